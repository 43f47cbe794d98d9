"""What a checkpoint was begun with; no session is needed for that."""

from __future__ import annotations

import errno
import json
import os

import pytest

from slackwater.errors import QueryError, StateError
from slackwater.spark.control_stream import put
from slackwater.spark.plan_file import Begun, difference

PLAN = Begun("join of bus and scats in 4 buckets; release by arrival", timers=False, control=True)


@pytest.fixture
def checkpoint(tmp_path):
    """The checkpoint of a query whose first batch has begun."""
    (tmp_path / "offsets").mkdir()
    PLAN.keep(tmp_path)
    return tmp_path


def other(**options) -> Begun:
    return Begun(**{"plan": PLAN.plan, "timers": PLAN.timers, "control": PLAN.control, **options})


def test_the_same_plan_goes_on(checkpoint):
    PLAN.check(checkpoint)
    PLAN.check(f"file://{checkpoint}")


def test_another_plan_is_refused_with_what_is_different_and_what_may_be(checkpoint):
    changed = other(plan=PLAN.plan.replace("4", "8"))
    with pytest.raises(
        StateError, match=r"and scats in 4 buckets.*this query has.*in 8 buckets.*contract.* may change"
    ):
        changed.check(checkpoint)


def test_a_refusal_names_each_parameter_that_was_changed_with_both_values(checkpoint):
    (checkpoint / "slackwater" / "plan.json").unlink()
    other(parameters={"buckets": "4", "size": "2 s"}).keep(checkpoint)
    changed = other(plan="another", parameters={"buckets": "8", "size": "3 s"})
    with pytest.raises(
        StateError,
        match=r"with buckets = 4 and size = 2 s, this query has buckets = 8 and size = 3 s; change .* may change",
    ):
        changed.check(checkpoint)


def test_another_operator_is_all_that_a_refusal_names(checkpoint):
    (checkpoint / "slackwater" / "plan.json").unlink()
    other(parameters={"streams": "a, b", "operator": "join", "within of a": "2 s"}).keep(checkpoint)
    changed = other(plan="another", parameters={"streams": "a", "operator": "reorder", "by": "none"})
    with pytest.raises(
        StateError, match=r"with operator = join, this query has operator = reorder; change operator back, or drain"
    ):
        changed.check(checkpoint)


def test_a_file_of_an_older_version_has_no_parameters_and_shows_an_excerpt(checkpoint):
    older = json.dumps({"plan": PLAN.plan, "timers": False, "control": True})
    (checkpoint / "slackwater" / "plan.json").write_text(older)
    changed = other(plan=PLAN.plan.replace("4", "8"), parameters={"buckets": "8"})
    with pytest.raises(StateError, match=r"in 4 buckets.*this query has.*in 8 buckets"):
        changed.check(checkpoint)


def test_timers_cannot_come_or_go(checkpoint):
    with pytest.raises(StateError, match=r"no timers for silent streams, this query has timers .* availableNow"):
        other(timers=True).check(checkpoint)


def test_a_control_stream_cannot_come_or_go(checkpoint):
    with pytest.raises(StateError, match="a control stream, this query has no control stream; give control= as before"):
        other(control=False).check(checkpoint)


def test_what_was_begun_stays_written_once_a_batch_is_committed(checkpoint):
    (checkpoint / "commits").mkdir()
    (checkpoint / "commits" / "0").touch()
    other(timers=True).keep(checkpoint)
    PLAN.check(checkpoint)


def test_a_checkpoint_from_before_there_was_such_a_file_is_left_to_the_buckets(tmp_path):
    (tmp_path / "offsets").mkdir()
    PLAN.check(tmp_path)


@pytest.mark.parametrize("where", ["s3a://bucket/checkpoint", "dbfs:/checkpoint"])
def test_a_checkpoint_that_cannot_be_looked_into_is_left_to_the_buckets(where, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    PLAN.check(where)
    PLAN.keep(where)
    assert [] == list(tmp_path.iterdir())


def test_nothing_is_written_where_spark_has_no_checkpoint(tmp_path):
    PLAN.keep(tmp_path / "elsewhere")
    assert [] == list(tmp_path.iterdir())


def test_a_damaged_file_is_named(checkpoint):
    (checkpoint / "slackwater" / "plan.json").write_text("{")
    with pytest.raises(StateError, match=r"an unreadable file .*plan\.json"):
        PLAN.check(checkpoint)


def test_a_difference_in_the_middle_has_a_few_words_around_it():
    one, two = (f"a b c d e f {middle} g h i j k l" for middle in ("x", "y z"))
    assert ("... c d e f x g h i j ...", "... c d e f y z g h i j ...") == difference(one, two)


def test_one_text_may_be_the_beginning_of_the_other():
    assert ("a b", "a b c") == difference("a b", "a b c")


def test_a_full_disk_is_named_with_what_to_do(tmp_path, monkeypatch):
    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(QueryError, match=r"plan\.json failed: no space is left on a disk; make room.*nothing is lost"):
        put(tmp_path / "plan.json", "{}")


@pytest.mark.parametrize("text", ['{"plan": "", "timers": 5, "control": true}', "[]", "[" * 9_999])
def test_a_file_that_is_json_but_nothing_that_was_written_is_refused(checkpoint, text):
    (checkpoint / "slackwater" / "plan.json").write_text(text)
    with pytest.raises(StateError, match="an unreadable file"):
        PLAN.check(checkpoint)
