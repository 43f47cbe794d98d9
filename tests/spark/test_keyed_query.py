"""A clock per key as real Spark queries: the local results for any number of buckets, across restarts."""

from __future__ import annotations

import shutil

import numpy as np
import pyarrow as pa
import pytest

import slackwater as sw
from tests.spark.test_query import as_files, as_stream, run, timeless

pytestmark = pytest.mark.spark
ROWS, KEYS = 2_000, 12
SLACK = sw.FixedSlack("150 ms")  # too short for some


@pytest.fixture(scope="module")
def table() -> pa.Table:
    """Keys that are minutes apart, each with its own disorder."""
    random = np.random.default_rng(5)
    key = random.integers(0, KEYS, ROWS)
    delays = np.where(random.random(ROWS) < 0.7, 0, random.exponential(150_000, ROWS)).astype(np.int64)
    times = 1_600_000_000_000_000 + np.arange(ROWS) * 3_000 - delays - key * 60_000_000
    return pa.table(
        {
            "ts": pa.array(times).cast(pa.timestamp("us", tz="UTC")),
            "seq": np.arange(ROWS),
            "key": [None if k == 7 else f"device {k}" for k in key],
        }
    )


def reordered(frame, buckets, contract=SLACK):
    return sw.reorder(
        sw.stream(frame, name="s", event_time="ts", arrival="seq"), contract=contract, by="key", buckets=buckets
    )


def by_key(rows: pa.Table) -> dict:
    """The rows of each key, in the order in which they are there."""
    found: dict = {}
    for row in rows.to_pylist():
        found.setdefault(row["key"], []).append(row)
    return found


@pytest.mark.parametrize("buckets", [1, 4])
def test_any_number_of_buckets_and_a_restart_give_the_local_results_of_every_key(spark, tmp_path, table, buckets):
    local = reordered(table, buckets)
    whole = as_files(table, tmp_path / "whole", files=4, shuffled=True)
    folder = tmp_path / "in"
    folder.mkdir()
    for number, path in enumerate(sorted(whole.iterdir())):
        shutil.copy2(path, folder)
        if number == 1:
            run(reordered(as_stream(spark, folder), buckets), tmp_path, drain=False)
    _, found = run(reordered(as_stream(spark, folder), buckets), tmp_path)
    assert by_key(local.results) == by_key(found["results"])
    assert by_key(local.late) == by_key(found["late"])
    assert 0 < local.late.num_rows < ROWS / 10
    if buckets == 1:
        assert local.results.to_pylist() == found["results"].to_pylist()
        assert timeless(local.decisions) == timeless(found["decisions"])


def test_a_bounded_frame_gives_the_local_results_of_every_key(spark, table):
    local = reordered(table, 4)
    found = reordered(spark.createDataFrame(table).repartition(3), 4)
    assert by_key(local.results) == by_key(found.results.toArrow())
    assert by_key(local.late) == by_key(found.late.toArrow())


def test_explain_says_that_each_key_has_its_own_clock(spark, tmp_path, table):
    folder = as_files(table, tmp_path / "in", files=1)
    text = reordered(as_stream(spark, folder), 4).explain()
    assert "per key, each with its own clock (4 buckets, each with its own slack)" in text
    assert "what is known of each key" in text
