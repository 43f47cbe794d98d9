"""Joins with one slack for all buckets as real queries: parity with the run without Spark, restarts, refusals."""

from __future__ import annotations

import os
import shutil
import signal
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import functions as F  # noqa: N812

import slackwater as sw
from slackwater.errors import ParameterError
from slackwater.spark.call import DECISIONS, LATE, RESULTS
from slackwater.spark.control_stream import send
from tests.spark.job import frame_of, led_plan_of
from tests.spark.rounds import Rounds, batches, join_of, thin_streams
from tests.spark.test_kill import run_job, run_to_the_end
from tests.spark.test_query import read

pytestmark = pytest.mark.spark
BATCHES = 3
# The hash by which Spark spreads keys 0, 1, ...: buckets of a run without Spark must be the same.
KEYS = 40
OUTPUTS = {RESULTS: "results", LATE: "late", DECISIONS: "decisions"}


@pytest.fixture(scope="module")
def tables() -> list[pa.Table]:
    return thin_streams(seconds=120, per_second=20, keys=KEYS)


@pytest.fixture(scope="module")
def undisturbed(spark, tables) -> Rounds:
    """Run the same batches without Spark, one after the other."""
    keys = spark.range(KEYS).select("id", F.pmod(F.xxhash64("id"), F.lit(4)).alias("bucket")).toArrow()
    bucket = keys.sort_by("id")["bucket"].to_numpy()
    return Rounds(led_plan_of(tables).node, lambda key: bucket[key]).run(tables, count=BATCHES)


def write_files(tables: list[pa.Table], folder: Path) -> None:
    for number, parts in enumerate(batches(tables, BATCHES)):
        for stream, part in enumerate(parts):
            path = folder / f"in{stream}" / f"{number}.parquet"
            path.parent.mkdir(exist_ok=True)
            pq.write_table(part, path)
            os.utime(path, (1_700_000_000 + number,) * 2)


def run(plan, folder: Path) -> None:
    """Run a query until it has seen all rows and all that the driver had to say."""
    query = plan.start(
        **{name: str(folder / name) for name in ("results", "late", "decisions", "checkpoint", "control")}
    )
    try:
        query.processAllAvailable()
    finally:
        query.stop()


def canonical(table: pa.Table) -> list[dict]:
    rows = table.drop_columns(["took_us"]) if "took_us" in table.column_names else table
    return sorted(rows.to_pylist(), key=repr)


def check_equal(undisturbed: Rounds, folder: Path) -> None:
    for kind, name in OUTPUTS.items():
        assert canonical(undisturbed.output(kind)) == canonical(read(folder / name)), name


def test_a_query_does_what_its_buckets_and_its_driver_do_without_spark(spark, tmp_path, tables, undisturbed):
    write_files(tables, tmp_path)
    joined = led_plan_of([frame_of(spark, tmp_path / f"in{stream}") for stream in range(2)])
    run(joined, tmp_path)
    send(tmp_path / "control", "drain")
    run(joined, tmp_path)
    assert len(undisturbed.told) == BATCHES
    check_equal(undisturbed, tmp_path)
    records = list((tmp_path / "checkpoint" / "slackwater" / "slack").glob("*.json"))
    assert len(records) < BATCHES  # Spark deletes those that all buckets have heard

    other = join_of(joined.frames, sw.Recall(0.95, over="1 minute"), buckets=4)
    with pytest.raises(ParameterError, match="scope must be that of the checkpoint"):
        run(other, tmp_path)


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_a_query_killed_within_a_batch_repeats_its_decisions_and_goes_on_as_if_undisturbed(
    tmp_path, tables, undisturbed
):
    write_files(tables, tmp_path)
    assert -signal.SIGKILL == run_job(tmp_path, "led=yes", "after=results", "batch=1").wait(timeout=240)
    first = tmp_path / "first"  # what the killed attempt had written of batch 1
    shutil.copytree(tmp_path / "results" / "batch=1", first / "results" / "batch=1")
    shutil.copytree(tmp_path / "checkpoint" / "slackwater", first / "slackwater")
    run_to_the_end(tmp_path, "led=yes")
    again = pq.read_table(tmp_path / "results" / "batch=1", partitioning=None)
    assert canonical(read(first / "results")) == canonical(again)
    check_equal(undisturbed, tmp_path)


def test_one_output_by_itself_has_no_driver(spark, tmp_path, tables):
    write_files(tables, tmp_path)
    joined = led_plan_of([frame_of(spark, tmp_path / f"in{stream}") for stream in range(2)])
    with pytest.raises(ParameterError, match=r"scope must be \"bucket\" where one output is read by itself"):
        _ = joined.results


def test_bounded_buckets_decide_by_themselves(spark, tables):
    frames = [spark.createDataFrame(table.slice(0, 500)) for table in tables]
    contract = sw.Recall(0.95, over="1 minute")
    both = [join_of(frames, contract, buckets=2, scope=scope) for scope in ("bucket", "global")]
    assert "each bucket decides by itself" in both[1].explain()
    assert canonical(both[0].decisions.toArrow()) == canonical(both[1].decisions.toArrow())
    assert np.isin(both[1].decisions.toArrow()["bucket"].to_numpy(), [0, 1]).all()
