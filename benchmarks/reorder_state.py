"""Bytes of state per micro-batch in a stream ten times as long, against the short one: they must not grow.

What is compared is what Spark's state store wrote to the checkpoint, files of all kinds, divided by the batches.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pyarrow.parquet as pq
from pyspark.sql import SparkSession

import slackwater as sw
from benchmarks.data import out_of_order
from benchmarks.harness import Case
from benchmarks.reorder_spark import read

BATCHES, LONGER = 4, 10


def cases(*, quick: bool) -> Iterator[Case]:
    """One case: the same stream, four batches of it and forty."""
    rows = 2_000 if quick else 20_000
    spark = sw.session(app="benchmark")
    spark.sparkContext.setLogLevel("ERROR")
    folder = Path(tempfile.mkdtemp(prefix="slackwater-bench-"))
    for batches in (BATCHES, BATCHES * LONGER):
        _write_files(folder / str(batches), rows, batches)
    yield Case(
        f"state bytes per batch, stream {LONGER}x as long",
        lambda: _bytes_per_batch(spark, folder, BATCHES * LONGER),
        lambda: _bytes_per_batch(spark, folder, BATCHES),
        1.1,
        "the short stream",
        {"rows per batch": rows, "batches": BATCHES * LONGER},
    )
    shutil.rmtree(folder)


def _write_files(folder: Path, rows: int, batches: int) -> None:
    folder.mkdir(parents=True)
    table = out_of_order(rows * batches)
    for number in range(batches):
        pq.write_table(table.slice(number * rows, rows), folder / f"{number:03}.parquet")


def _bytes_per_batch(spark: SparkSession, folder: Path, batches: int) -> float:
    out = Path(tempfile.mkdtemp(dir=folder))
    stream = sw.stream(read(spark, folder / str(batches)), event_time="event_time", arrival="seq")
    query = sw.reorder(stream, contract=sw.FixedSlack("100 ms")).start(
        results=str(out / "results"), checkpoint=str(out / "checkpoint"), trigger={"availableNow": True}
    )
    query.awaitTermination()
    return sum(file.stat().st_size for file in (out / "checkpoint" / "state").rglob("*") if file.is_file()) / batches
