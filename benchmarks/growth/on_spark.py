"""What grows on Spark: buckets, with few rows in each micro-batch, so that what a bucket costs by itself is seen.

A bucket is a group of Spark's stateful operator. With as many shuffle partitions as buckets each is also a task with a
state store of its own, which is Spark's price and not ours: a query of Spark's own, with as many partitions, says how
much that is. With two partitions, whatever the buckets, only the buckets grow.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812

import slackwater as sw
from benchmarks.data import out_of_order
from benchmarks.growth.curve import Curve, Work
from benchmarks.processor_time import of_tree
from benchmarks.spark_files import read, run_ours, run_rival, write_files

BATCHES = 4
ROWS = 20_000  # of a batch
FIXED = 2  # partitions
_PARTITIONS = "spark.sql.shuffle.partitions"


def spark_curves(spark: SparkSession, folder: Path, *, quick: bool) -> list[Curve]:
    """Return the curves; quick ones have few buckets."""
    counts = (1, 2, 4) if quick else (1, 10, 50, 200)
    write_files(folder / "in", out_of_order(BATCHES * ROWS), BATCHES)

    def curve(operator: str, grows: str, work: Callable[[int], int]) -> Curve:
        clock = partial(of_tree, os.getpid())
        return Curve(operator, grows, counts, lambda n: _work(work, int(n)), clock=clock)

    return [
        curve("aggregate on Spark", "buckets, two tasks", lambda n: _ours(spark, folder, n, FIXED)),
        curve("aggregate on Spark", "buckets, a task each", lambda n: _ours(spark, folder, n, n)),
        curve("Spark's own aggregate", "tasks", lambda n: _native(spark, folder, n)),
    ]


def _work(work: Callable[[int], int], size: int) -> Work:
    return lambda: work(size)


def _ours(spark: SparkSession, folder: Path, buckets: int, partitions: int) -> int:
    stream = sw.stream(read(spark, folder / "in"), event_time="event_time", arrival="seq")
    windows = sw.aggregate(
        stream,
        by="key",
        size="3 seconds",
        slide="1 second",
        values={"n": sw.count(), "total": sw.sum("x"), "most": sw.max("y")},
        contract=sw.FixedSlack("1 second"),
        buckets=buckets,
    )
    return _counted(spark, partitions, lambda: run_ours(windows, folder))


def _native(spark: SparkSession, folder: Path, partitions: int) -> int:
    rows = read(spark, folder / "in").withWatermark("event_time", "1 second")
    values = F.count("*").alias("n"), F.sum("x").alias("total"), F.max("y").alias("most")
    windows: DataFrame = rows.groupBy(F.window("event_time", "3 seconds", "1 second"), "key").agg(*values)
    return _counted(spark, partitions, lambda: run_rival(windows, folder))


def _counted(spark: SparkSession, partitions: int, run: Callable[[], Any]) -> int:
    before = spark.conf.get(_PARTITIONS)
    spark.conf.set(_PARTITIONS, str(partitions))
    out = run()
    spark.conf.set(_PARTITIONS, str(before))
    return int(spark.read.parquet(str(out / "results")).count())
