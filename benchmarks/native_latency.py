"""How long small micro-batches of a join and an aggregate take, against Spark's own operators with RocksDB.

Both have the same trigger, at which the slower of the two is busy half of the time, get one file of each stream
whenever it fires, and wait as long for late rows. A result is there when its batch has ended, so its latency is that of
the batch and what it had to wait for. Ours writes late rows and decisions too. The first batches, in which everything
starts, do not count.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from pyspark.sql import SparkSession
from pyspark.sql import functions as F  # noqa: N812

import slackwater as sw
from benchmarks.batch_latency import VALUES
from benchmarks.data import out_of_order
from benchmarks.half_load import TURNS
from benchmarks.harness import Case
from benchmarks.join_local import arrival_order, keyed
from benchmarks.micro_batches import STARTING, Latencies, Started, at_once, busy_half, durations, started
from benchmarks.spark_files import read, scratch, start_rival, write_files

LIMIT = 1.0
SLACK = "1 second"
BUCKETS = 2


def cases(*, quick: bool) -> Iterator[Case]:
    """Half of the micro-batches, and 99 %, of a join and an aggregate: quick, of too few for more than a glance."""
    rows, files = (2_000, 8) if quick else (20_000, 24)
    with scratch() as (spark, folder):
        _write(folder, rows, files)
        for name, ours, native in (("a join", _join, _native_join), ("an aggregate", _aggregate, _native_aggregate)):
            starts = [partial(start, spark, folder) for start in (ours, native)]
            warm = [at_once(start, files) for start in starts]
            trigger = busy_half(max(warm, key=np.median))
            own, other = (
                Latencies(partial(durations, start, files, trigger), took)
                for start, took in zip(starts, warm, strict=True)
            )
            against = LIMIT, "Spark's own, same trigger", {"rows": rows, "batches": files - STARTING, **trigger}
            yield Case(
                f"small micro-batch of {name} against Spark's own, 50 %",
                own.median,
                other.median,
                *against,
                turns=TURNS,
            )
            yield Case(
                f"small micro-batch of {name} against Spark's own, 99 % of {files - STARTING}",
                own.slow,
                other.slow,
                *against,
                turns=TURNS,
            )


def _write(folder: Path, rows: int, files: int) -> None:
    write_files(folder / "in", out_of_order(rows * files), files)
    for name, seed in (("a", 1), ("b", 2)):
        table = arrival_order(keyed(rows * files, seed), seed)
        write_files(folder / name, table.set_column(0, "ts", table["ts"].cast(pa.timestamp("us", tz="UTC"))), files)


def _join(spark: SparkSession, folder: Path, trigger: dict[str, Any]) -> Started:
    a, b = (sw.stream(read(spark, folder / name), name=name, event_time="ts") for name in "ab")
    joined = sw.join(a, b, on="key", within="5 seconds", contract=sw.FixedSlack(SLACK), buckets=BUCKETS)
    return started(joined, folder, trigger)


def _native_join(spark: SparkSession, folder: Path, trigger: dict[str, Any]) -> Started:
    a, b = (read(spark, folder / name).withWatermark("ts", SLACK).alias(name) for name in "ab")
    close = "a.key = b.key and a.ts between b.ts - interval 5 seconds and b.ts + interval 5 seconds"
    joined = a.join(b, F.expr(close)).select(
        F.greatest("a.ts", "b.ts").alias("event_time"), F.struct("a.*").alias("a"), F.struct("b.*").alias("b")
    )
    return start_rival(joined, folder, trigger)


def _aggregate(spark: SparkSession, folder: Path, trigger: dict[str, Any]) -> Started:
    windows = sw.aggregate(
        sw.stream(read(spark, folder / "in"), event_time="event_time"),
        by="key",
        size="3 seconds",
        slide="1 second",
        values=VALUES,
        contract=sw.FixedSlack(SLACK),
        buckets=BUCKETS,
    )
    return started(windows, folder, trigger)


def _native_aggregate(spark: SparkSession, folder: Path, trigger: dict[str, Any]) -> Started:
    rows = read(spark, folder / "in").withWatermark("event_time", SLACK)
    values = F.count("*").alias("n"), F.sum("x").alias("total"), F.max("y").alias("most")
    windows = rows.groupBy(F.window("event_time", "3 seconds", "1 second"), "key").agg(*values)
    return start_rival(windows, folder, trigger)
