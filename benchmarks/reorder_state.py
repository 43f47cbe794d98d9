"""Bytes of state per micro-batch in a stream ten times as long, against the short one: they must not grow.

What is compared is what Spark's state store wrote to the checkpoint, files of all kinds, divided by the batches.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

from pyspark.sql import SparkSession

import slackwater as sw
from benchmarks.data import out_of_order
from benchmarks.harness import Case
from benchmarks.spark_files import read, scratch, write_files

BATCHES, LONGER = 4, 10


def cases(*, quick: bool) -> Iterator[Case]:
    """One case: the same stream, four batches of it and forty."""
    rows = 2_000 if quick else 20_000
    with scratch() as (spark, folder):
        for batches in (BATCHES, BATCHES * LONGER):
            write_files(folder / str(batches), out_of_order(rows * batches), batches)
        yield Case(
            f"state bytes per batch, stream {LONGER}x as long",
            lambda: _bytes_per_batch(spark, folder, BATCHES * LONGER),
            lambda: _bytes_per_batch(spark, folder, BATCHES),
            1.1,
            "the short stream",
            {"rows per batch": rows, "batches": BATCHES * LONGER},
        )


def _bytes_per_batch(spark: SparkSession, folder: Path, batches: int) -> float:
    out = Path(tempfile.mkdtemp(dir=folder))
    stream = sw.stream(read(spark, folder / str(batches)), event_time="event_time", arrival="seq")
    query = sw.reorder(stream, contract=sw.FixedSlack("100 ms")).start(
        results=str(out / "results"), checkpoint=str(out / "checkpoint"), trigger={"availableNow": True}
    )
    query.awaitTermination()
    return sum(file.stat().st_size for file in (out / "checkpoint" / "state").rglob("*") if file.is_file()) / batches
