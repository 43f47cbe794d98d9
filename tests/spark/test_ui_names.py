"""What Spark's UI shows: names of queries and jobs."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from slackwater.spark.ui_names import described, name_for


class Context:
    """Local properties as Spark's context has them."""

    def __init__(self, description: str | None) -> None:
        self.description = description

    def getLocalProperty(self, name):  # noqa: N802  (as Spark has it)
        return self.description

    def setLocalProperty(self, name, value):  # noqa: N802
        self.description = value


class Session:
    def __init__(self, description: str | None = "jams<br/>batch = 7") -> None:
        self.sparkContext = Context(description)


def test_a_job_says_what_it_is_for_after_what_spark_says():
    spark = Session()
    assert "jams<br/>batch = 7<br/>late" == described(spark, "late", lambda: spark.sparkContext.description)()


def test_jobs_that_follow_are_described_as_before():
    spark = Session()
    described(spark, "late", lambda: None)()
    assert "jams<br/>batch = 7" == spark.sparkContext.description


def test_the_description_is_as_before_when_the_work_fails():
    spark = Session()
    with pytest.raises(ZeroDivisionError):
        described(spark, "late", lambda: 1 / 0)()
    assert "jams<br/>batch = 7" == spark.sparkContext.description


def test_under_connect_jobs_are_the_servers():
    remote = type("SparkSession", (), {"__module__": "pyspark.sql.connect.session"})()
    assert 3 == described(remote, "late", lambda: 3)()


def session_with(*names: str) -> SimpleNamespace:
    """A session in which queries of these names run."""
    return SimpleNamespace(streams=SimpleNamespace(active=[SimpleNamespace(name=name) for name in names]))


def test_a_query_that_another_thread_is_starting_has_its_name_already():
    with (
        name_for(None, "join of a, b", session_with()) as first,
        name_for(None, "join of a, b", session_with()) as next_,
    ):
        assert ("join of a, b", "join of a, b (2)") == (first, next_)
    with name_for(None, "join of a, b", session_with()) as again:
        assert "join of a, b" == again


def test_the_name_of_a_user_is_taken_as_it_is():
    with name_for("jams", "join of a, b", session_with("jams")) as name:
        assert "jams" == name
