"""A checkpoint is of one query at a time: another one is refused, or fails in words that say why."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import slackwater as sw
from slackwater.errors import QueryError, StateError

pytestmark = pytest.mark.spark
RUNS = "a query that runs, expected one that is stopped; stop it first, or give a checkpoint of its own"


def show(folder: Path, *times: int) -> None:
    """Let a file come."""
    (folder / "in").mkdir(exist_ok=True)
    pq.write_table(pa.table({"ts": pa.array(times, pa.int64())}), folder / "in" / f"{times[0]}.parquet")


def start(spark, folder: Path, checkpoint: str = "checkpoint", results: str = "results"):
    frame = spark.readStream.schema("ts BIGINT").parquet(str(folder / "in"))
    ordered = sw.reorder(sw.stream(frame, name="bus", event_time="ts", unit="s"), contract=sw.NoSlack())
    return ordered.start(results=folder / results, checkpoint=f"file:{folder / checkpoint}")


def written(folder: Path) -> list[int]:
    files = sorted((folder / "results").glob("batch=*/*.parquet"))
    return [time for file in files for time in pq.read_table(file, partitioning=None)["ts"].to_pylist()]


def test_a_second_query_is_refused_the_first_runs_on_and_when_it_is_stopped_it_can_go_on(spark, tmp_path):
    show(tmp_path, 1, 2)
    first = start(spark, tmp_path)
    try:
        with pytest.raises(StateError, match=RUNS):  # before it has done anything
            start(spark, tmp_path, results="other")
        first.processAllAvailable()
        with pytest.raises(StateError, match=RUNS):
            start(spark, tmp_path)
        show(tmp_path, 3)
        first.processAllAvailable()
    finally:
        first.stop()
    show(tmp_path, 4)
    second = start(spark, tmp_path)
    try:
        second.processAllAvailable()
    finally:
        second.stop()
    assert [1, 2, 3, 4] == written(tmp_path)


def test_a_query_that_another_process_has_overtaken_says_so(spark, tmp_path):
    show(tmp_path, 1)
    query = start(spark, tmp_path)
    try:
        query.processAllAvailable()
        offsets = tmp_path / "checkpoint" / "offsets"
        (offsets / "1").write_text((offsets / "0").read_text())  # as the other one plans its next batch
        show(tmp_path, 2)
        with pytest.raises(QueryError, match=r"another query writes to the same checkpoint .*; stop one of them") as it:
            query.processAllAvailable()
    finally:
        query.stop()
    assert "\n" not in str(it.value)
