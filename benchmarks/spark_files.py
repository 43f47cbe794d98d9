"""Streams of files for the benchmarks on Spark: one file per micro-batch, all in a folder that goes away again."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.pandas.types import from_arrow_schema
from pyspark.sql.streaming.query import StreamingQuery

import slackwater as sw
from slackwater.spark.own_settings import OF_LOCAL_FILES

_OLDEST = 1_700_000_000


@contextmanager
def scratch() -> Iterator[tuple[SparkSession, Path]]:
    """Give a session that says nothing but errors, and a folder.

    Rivals get the settings of files of a checkpoint that our queries have by themselves (`spark/own_settings.py`).
    """
    spark = sw.session(app="benchmark")
    for name, value in OF_LOCAL_FILES.items():
        spark.conf.set(name, value)
    spark.sparkContext.setLogLevel("ERROR")
    folder = Path(tempfile.mkdtemp(prefix="slackwater-bench-"))
    try:
        yield spark, folder
    finally:
        shutil.rmtree(folder)


def write_files(folder: Path, table: pa.Table, files: int) -> None:
    """Write the rows in arrival order, as many to each file but the last."""
    folder.mkdir(parents=True)
    rows = -(-table.num_rows // files)
    for number in range(files):
        pq.write_table(table.slice(number * rows, rows), folder / f"{number:03}.parquet")
    in_order_of_names(folder)


def in_order_of_names(folder: Path) -> None:
    """Give files times of their own, a second apart: Spark takes them in that order, and the same time in any."""
    for second, file in enumerate(sorted(folder.iterdir())):
        os.utime(file, (_OLDEST + second,) * 2)


def read(spark: SparkSession, folder: Path, *, files: int | None = 1) -> DataFrame:
    """Return the files as a stream, so many per micro-batch, or all there are.

    Its schema is given, as users give it: to let Spark find it out takes a job, which is most of a cold query's start.
    """
    schema = from_arrow_schema(pq.read_schema(min(folder.glob("*.parquet"))))
    reader = spark.readStream.schema(schema)
    return (reader.option("maxFilesPerTrigger", files) if files else reader).parquet(str(folder))


def run_ours(output: Any, folder: Path, batches: list[int] | None = None) -> Path:
    """Run a slackwater query to its end, all three outputs written below `folder`; return where they are.

    How many milliseconds each batch with rows took is added to `batches`.
    """
    out = Path(tempfile.mkdtemp(dir=folder))
    query = output.start(
        results=str(out / "results"),
        late=str(out / "late"),
        decisions=str(out / "decisions"),
        checkpoint=str(out / "checkpoint"),
        trigger={"availableNow": True},
    )
    query.awaitTermination()
    if batches is not None:
        took = [each["durationMs"]["triggerExecution"] for each in query.recentProgress if each["numInputRows"]]
        batches.extend(took)
    return out


def run_rival(rows: DataFrame, folder: Path) -> Path:
    """Run a query of Spark's own to its end, its output written batch by batch; return where it is."""
    query, out = start_rival(rows, folder, {"availableNow": True})
    query.awaitTermination()
    return out


def start_rival(rows: DataFrame, folder: Path, trigger: dict[str, Any]) -> tuple[StreamingQuery, Path]:
    """Start a query of Spark's own, its output written batch by batch; return it and where its output is."""
    out = Path(tempfile.mkdtemp(dir=folder))

    def write(batch: DataFrame, number: int) -> None:
        batch.write.mode("overwrite").parquet(str(out / "results" / f"batch={number}"))

    writer = rows.writeStream.foreachBatch(write).option("checkpointLocation", str(out / "checkpoint"))
    return writer.trigger(**trigger).start(), out
