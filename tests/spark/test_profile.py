"""Spark finds what the in-process profile finds, without the rows coming to the driver."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

import slackwater as sw
from slackwater.errors import ColumnError, ParameterError

pytestmark = pytest.mark.spark


def rows(count: int = 3_000) -> pa.Table:
    random = np.random.default_rng(1)
    start = np.datetime64("2024-05-01", "us")
    delays = np.where(random.random(count) < 0.3, random.exponential(50_000, count), 0).astype("timedelta64[us]")
    times = pa.array(start + np.arange(count) * np.timedelta64(1_000, "us") - delays).cast(pa.timestamp("us", "UTC"))
    times = pa.array([None if at % 97 == 0 else each for at, each in enumerate(times.to_pylist())], times.type)
    keys = pa.array([None if key == 9 else f"k{key}" for key in random.integers(0, 10, count)])
    return pa.table({"ts": times, "seq": np.arange(count) // 2, "key": keys, "line": random.integers(0, 3, count)})


@pytest.mark.parametrize("chunk_rows", [1_000_000, 700])
def test_spark_gives_the_same_profile(spark, monkeypatch, chunk_rows):
    monkeypatch.setattr("slackwater.spark.profile.CHUNK_ROWS", chunk_rows)
    table = rows()
    asked = {"event_time": "ts", "arrival": "seq", "by": "key", "stream": "line"}
    expected = sw.profile(table, **asked).to_dict()
    shuffled = table.take(np.random.default_rng(2).permutation(table.num_rows))
    found = sw.profile(spark.createDataFrame(shuffled).repartition(3), **asked).to_dict()
    found["subject"]["source"] = expected["subject"]["source"]
    assert expected == found


def test_the_unit_of_integers_is_guessed_on_spark_too(spark):
    frame = spark.createDataFrame([(1_700_000_005, 1), (1_700_000_000, 2)], "ts long, seq int")
    found = sw.profile(frame, event_time="ts", arrival="seq")
    assert ("s", True, 5_000_000) == (found.subject.unit, found.subject.unit_is_guessed, found.delays.largest)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({}, ParameterError, "arrival must be given for a Spark DataFrame"),
        ({"arrival": "sec"}, ColumnError, "did you mean seq"),
        ({"arrival": "gone"}, ColumnError, "does not exist"),
        ({"arrival": "empty"}, ColumnError, "every row must say when it arrived"),
    ],
)
def test_a_mistake_is_named_before_a_worker_meets_it(spark, options, error, message):
    frame = spark.createDataFrame([(1_700_000_005, 1, None)], "ts long, seq int, empty int")
    with pytest.raises(error, match=message):
        sw.profile(frame, event_time="ts", **options)


def test_text_is_refused_on_spark_too(spark):
    frame = spark.createDataFrame([("2024-05-01T08:00:00Z", 1)], "ts string, seq int")
    with pytest.raises(ColumnError, match="it looks like a time"):
        sw.profile(frame, event_time="ts", arrival="seq")


def test_a_frame_without_rows_has_a_profile(spark):
    frame = spark.createDataFrame([], "ts long, seq int")
    assert 0 == sw.profile(frame, event_time="ts", arrival="seq").rows
