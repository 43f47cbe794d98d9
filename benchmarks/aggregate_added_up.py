"""Rows without groups added up where they are read: what their one bucket still has to do, and whole queries.

Without groups there is one bucket, and one call of it for each micro-batch: a part that no cluster can spread. Its
processor time is measured first, in process: the bytes of packets in, state and results out. Then whole queries, with
and without adding up, and against Spark's own `groupBy(window(...))` with RocksDB. Results are compared and must be
equal.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812

import slackwater as sw
from benchmarks.harness import Case, discarding
from benchmarks.spark_files import run_ours, run_rival, scratch
from slackwater.plan.nodes import AggregateNode
from slackwater.spark.added_up import Adding
from slackwater.spark.aggregate_call import run_aggregate_call
from slackwater.spark.horizons import Known, horizon_of
from slackwater.spark.packets import from_bytes, to_bytes
from slackwater.spark.state import MemoryChunks
from slackwater.spark.stored_aggregate import AggregateSaved

SIZE, SLIDE = "30 seconds", "10 seconds"
PARTITIONS = 2  # files of a micro-batch
LIMIT = 0.25  # of what a call costs that gets rows
OF_SPARK = 0.5  # of what Spark's own takes: the aim of every aggregate on Spark
VALUES = {"n": sw.count(), "total": sw.sum("x"), "most": sw.max("x")}
CONTRACTS = {"fixed slack": sw.FixedSlack("10 seconds"), "drop ratio": sw.DropRatio(0.01)}


def cases(*, quick: bool) -> Iterator[Case]:
    """The calls of the bucket alone, then queries."""
    rows = 200_000 if quick else 1_000_000
    for name, contract in CONTRACTS.items():
        yield _call_case(name, contract, rows)
    batches = 2 if quick else 4
    with scratch() as (spark, folder):
        table = _table(batches * rows)
        _write(folder / "in", table, batches)
        ours, native = partial(_ours, spark, folder), partial(_native, spark, folder)
        rows_alone = partial(ours, adds_up=False)
        results = _same(spark, ours(), rows_alone(), native())
        config = {"rows": table.num_rows, "batches": batches, "partitions": PARTITIONS, "results": results}
        name = "Spark aggregate without groups, windows of 3 slides"
        for rival, what, limit in ((rows_alone, "the same, rows sent", 1.0), (native, "groupBy(window)", OF_SPARK)):
            yield Case(name, discarding(ours), discarding(rival), limit, what, config)


@dataclass(frozen=True)
class Calls:
    """The calls of one bucket: three micro-batches, of which the last is measured."""

    node: AggregateNode
    table: pa.Table

    def seconds(self, *, added: bool) -> float:
        """Return the processor time of the last call."""
        saved, store, known, took = AggregateSaved(), MemoryChunks(), None, 0.0
        for batch in range(3):
            bodies = self._packed(self._rows(batch), known if added else None)
            started = time.process_time()
            rows, cells = (pa.concat_tables(map(from_bytes, each)) if each else None for each in bodies)
            rows = self.table.slice(0, 0) if rows is None else rows
            call = run_aggregate_call(self.node, 0, saved, store, rows, processing_time=0, drain=False, cells=cells)
            took = time.process_time() - started
            assert isinstance(call.saved, AggregateSaved)
            saved = call.saved
            known = Known(*json.loads(horizon_of(self.node, saved, read=0)))
        return took

    def _rows(self, batch: int) -> pa.Table:
        rows = self.table.num_rows // 3
        return self.table.slice(batch * rows, rows)

    def _packed(self, rows: pa.Table, known: Known | None) -> tuple[list[bytes], list[bytes]]:
        """Return packets of rows, and packets of cells, as several partitions send them."""
        count = rows.num_rows // PARTITIONS
        parts = [rows.slice(number * count, count) for number in range(PARTITIONS)]
        split = [(part, None) if known is None else Adding(self.node).split(part, known) for part in parts]
        rest = [to_bytes(each) for each, _ in split if each.num_rows]
        return rest, [to_bytes(cells) for _, cells in split if cells is not None]


def _call_case(name: str, contract: sw.contracts.Contract, rows: int) -> Case:
    table = _table(3 * rows)
    stream = sw.stream(table, event_time="ts", max_ahead=None)
    calls = Calls(sw.aggregate(stream, size=SIZE, slide=SLIDE, values=VALUES, contract=contract).node, table)
    return Case(
        f"call of the bucket, {rows} rows without groups, {name}",
        lambda: calls.seconds(added=True),
        lambda: calls.seconds(added=False),
        LIMIT,
        "the same call, rows sent",
        {"rows": rows, "partitions": PARTITIONS},
    )


def _table(rows: int) -> pa.Table:
    """Rows of which a fifth is out of order, by up to five seconds, 5,000 for each second of event time."""
    random = np.random.default_rng(1)
    delays = np.where(random.random(rows) < 0.8, 0, random.integers(0, 5_000_000, rows))
    ts = pa.array(np.arange(rows) * 200 - delays + 10**15).cast(pa.timestamp("us", tz="UTC"))
    return pa.table(
        {"ts": ts, "key": pa.array(random.integers(0, 1_000, rows)), "x": pa.array(random.integers(0, 1_000, rows))}
    )


def _write(folder: Path, table: pa.Table, batches: int) -> None:
    """Write files in arrival order, and a last row far in the future, which closes every window."""
    folder.mkdir(parents=True)
    files = batches * PARTITIONS
    rows = -(-table.num_rows // files)
    for number in range(files):
        pq.write_table(table.slice(number * rows, rows), folder / f"{number:03}.parquet")
    far = pa.table({"ts": pa.array([12 * 10**14]).cast(pa.timestamp("us", tz="UTC")), "key": [0], "x": [0]})
    pq.write_table(far, folder / "999.parquet")


def _read(spark: SparkSession, folder: Path) -> DataFrame:
    schema = spark.read.parquet(str(folder)).schema
    return spark.readStream.schema(schema).option("maxFilesPerTrigger", PARTITIONS).parquet(str(folder))


def _ours(spark: SparkSession, folder: Path, *, adds_up: bool = True) -> Path:
    stream = sw.stream(_read(spark, folder / "in"), event_time="ts")
    out = sw.aggregate(stream, size=SIZE, slide=SLIDE, values=VALUES, contract=sw.FixedSlack("10 seconds"))
    return run_ours(replace(out, adds_up=adds_up), folder)


def _native(spark: SparkSession, folder: Path) -> Path:
    values = F.count("*").alias("n"), F.sum("x").alias("total"), F.max("x").alias("most")
    late = _read(spark, folder / "in").withWatermark("ts", "10 seconds")
    return run_rival(late.groupBy(F.window("ts", SIZE, SLIDE)).agg(*values), folder)


def _same(spark: SparkSession, *outs: Path) -> int:
    """Check that all have the same results; return how many."""
    found = []
    for out in outs:
        rows = spark.read.parquet(str(out / "results")).where("window.end < timestamp_seconds(1100000000)")
        flat = rows.select(F.col("window.start").alias("start"), "n", "total", "most").toArrow()
        found.append(flat.sort_by("start").combine_chunks())
    assert all(found[0].equals(each) for each in found), [each.num_rows for each in found]
    return int(found[0].num_rows)
