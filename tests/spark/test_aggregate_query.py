"""Aggregates as real Spark queries: parity with the in-process run, buckets, restarts, quiet places."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

import slackwater as sw
from tests.spark.test_query import as_files, as_stream, run

pytestmark = pytest.mark.spark
ROWS = 3_000
VALUES = {"n": sw.count(), "total": sw.sum("x"), "most": sw.max("x"), "average": sw.mean("x")}


@pytest.fixture(scope="module")
def table() -> pa.Table:
    random = np.random.default_rng(12)
    delays = np.where(random.random(ROWS) < 0.7, 0, random.exponential(150_000, ROWS)).astype(np.int64)
    return pa.table(
        {
            "ts": pa.array(np.arange(ROWS) * 2_000 + 1_600_000_000_000_000 - delays).cast(pa.timestamp("us", tz="UTC")),
            "seq": np.arange(ROWS),
            "key": random.integers(0, 20, ROWS),
            "x": pa.array(random.integers(0, 100, ROWS), mask=random.random(ROWS) < 0.1),
        }
    )


def plan(frame, *, contract, by="key", **options):
    bus = sw.stream(frame, name="bus", event_time="ts", arrival="seq", max_ahead=None)
    return sw.aggregate(bus, by=by, size="500 ms", slide="100 ms", values=VALUES, contract=contract, **options)


def by_window(rows: pa.Table) -> list[dict]:
    shown = [{name: round(v, 9) if isinstance(v, float) else v for name, v in row.items()} for row in rows.to_pylist()]
    return sorted(shown, key=lambda row: (row["window"]["end"], row.get("key", 0)))


@pytest.mark.parametrize("by", ["key", ()], ids=["grouped", "ungrouped"])
def test_a_streaming_run_gives_what_a_run_in_process_gives(spark, tmp_path, table, by):
    contract = sw.MaxSlack(cap="100 ms")
    local = plan(table, contract=contract, by=by)
    stream = as_stream(spark, as_files(table, tmp_path / "in", files=4, shuffled=True))
    _, found = run(plan(stream, contract=contract, by=by), tmp_path)
    assert by_window(local.results) == by_window(found["results"].select(local.results.column_names))
    assert local.late["seq"].to_pylist() == found["late"]["seq"].to_pylist()
    columns = ["at", "slack", "arrived", "released", "late", "results"]
    assert local.decisions.select(columns).to_pylist() == found["decisions"].select(columns).to_pylist()


def test_buckets_together_have_every_window_of_every_group(spark, tmp_path, table):
    contract = sw.FixedSlack("10 seconds")
    stream = as_stream(spark, as_files(table, tmp_path / "in", files=2))
    _, found = run(plan(stream, contract=contract, buckets=3), tmp_path)
    local = plan(table, contract=contract)
    assert by_window(local.results) == by_window(found["results"].select(local.results.column_names))
    assert 0 == found["late"].num_rows


@pytest.mark.parametrize("buckets", [1, 3])
def test_a_bounded_run_gives_what_a_run_in_process_gives(spark, table, buckets):
    contract = sw.FixedSlack("10 seconds") if buckets > 1 else sw.FixedSlack("20 ms")
    frame = spark.createDataFrame(table)
    out = plan(frame, contract=contract, buckets=buckets)
    local = plan(table, contract=contract)
    assert by_window(local.results) == by_window(out.results.toArrow())
    assert local.late.num_rows == out.late.count()


def test_windows_are_those_of_spark_itself(spark, table):
    from pyspark.sql import functions as F  # noqa: N812

    frame = spark.createDataFrame(table)
    ours = plan(frame, contract=sw.FixedSlack("10 seconds")).results
    window = F.window("ts", "500 milliseconds", "100 milliseconds")
    values = (F.count("*").alias("n"), F.sum("x").alias("total"), F.max("x").alias("most"), F.avg("x").alias("average"))
    spark_own = frame.groupBy(window, "key").agg(*values)
    assert by_window(spark_own.toArrow()) == by_window(ours.toArrow())


CONTRACTS = [sw.FixedSlack("50 ms"), sw.RelativeError(0.05, adaptation_interval="100 ms")]


@pytest.mark.parametrize("contract", CONTRACTS, ids=lambda c: type(c).__name__)
def test_a_query_goes_on_from_its_checkpoint(spark, tmp_path, table, contract):
    folder = as_files(table, tmp_path / "all", files=4)
    some = tmp_path / "in"
    some.mkdir()
    for number in range(4):
        (folder / f"{number:03}.parquet").rename(some / f"{number:03}.parquet")
        _, found = run(plan(as_stream(spark, some), contract=contract), tmp_path, drain=number == 3)
    local = plan(table, contract=contract)
    assert by_window(local.results) == by_window(found["results"].select(local.results.column_names))
    assert local.late["seq"].to_pylist() == found["late"]["seq"].to_pylist()
    assert local.decisions["slack"].to_pylist() == found["decisions"]["slack"].to_pylist()


def test_progress_says_that_no_row_waits(spark, tmp_path, table):
    stream = as_stream(spark, as_files(table, tmp_path / "in", files=1))
    query, _ = run(plan(stream, contract=sw.FixedSlack("50 ms")), tmp_path, drain=False)
    seen = query.lastProgress["observedMetrics"]["slackwater"]
    assert (ROWS, 0) == (seen["released"] + seen["late"], seen["buffered"])


def test_the_plan_says_what_spark_will_run(spark, tmp_path, table):
    text = plan(as_stream(spark, as_files(table, tmp_path / "in", files=1)), contract=sw.NoSlack()).explain()
    assert "an Arrow chunk for each open pane" in text
