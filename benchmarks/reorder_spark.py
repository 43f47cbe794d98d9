"""The Spark reorder query, three outputs written, against an identity transformWithStateInPandas query.

Both read the same files, one per micro-batch, group by the same buckets and write Parquet with foreachBatch.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow.parquet as pq
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812
from pyspark.sql.streaming.stateful_processor import StatefulProcessor

import slackwater as sw
from benchmarks.data import out_of_order
from benchmarks.harness import Case


class Identity(StatefulProcessor):
    """Hands every row on and keeps nothing."""

    def init(self, handle: Any) -> None:
        """Open no state."""

    def handleInputRows(self, key: Any, rows: Iterator[Any], timerValues: Any) -> Iterator[pd.DataFrame]:  # noqa: N802, N803
        """Hand the rows on."""
        yield from rows

    def close(self) -> None:
        """Nothing to close."""


def cases(*, quick: bool) -> Iterator[Case]:
    """One bucket, and several."""
    rows, files = (400_000, 2) if quick else (2_000_000, 4)
    spark = sw.session(app="benchmark")
    spark.sparkContext.setLogLevel("ERROR")
    folder = Path(tempfile.mkdtemp(prefix="slackwater-bench-"))
    _write_files(folder / "in", rows, files)
    for buckets in (1, 4):
        yield Case(
            f"Spark reorder, {buckets} bucket(s)",
            lambda buckets=buckets: _ours(spark, folder, buckets),
            lambda buckets=buckets: _identity(spark, folder, buckets),
            1.5,
            "identity transformWithStateInPandas",
            {"rows": rows, "files": files, "buckets": buckets},
        )
    shutil.rmtree(folder)


def _write_files(folder: Path, rows: int, files: int) -> None:
    folder.mkdir(parents=True)
    table = out_of_order(rows)
    for number in range(files):
        pq.write_table(table.slice(number * rows // files, rows // files), folder / f"{number:03}.parquet")


def read(spark: SparkSession, folder: Path) -> DataFrame:
    """Return the files as a stream, one per micro-batch."""
    schema = spark.read.parquet(str(folder)).schema
    return spark.readStream.schema(schema).option("maxFilesPerTrigger", 1).parquet(str(folder))


def _ours(spark: SparkSession, folder: Path, buckets: int) -> None:
    out = Path(tempfile.mkdtemp(dir=folder))
    stream = sw.stream(read(spark, folder / "in"), event_time="event_time", arrival="seq")
    by = ("key",) if buckets > 1 else ()
    query = sw.reorder(stream, contract=sw.FixedSlack("40 ms"), by=by, buckets=buckets).start(
        results=str(out / "results"),
        late=str(out / "late"),
        decisions=str(out / "decisions"),
        checkpoint=str(out / "checkpoint"),
        trigger={"availableNow": True},
    )
    query.awaitTermination()


def _identity(spark: SparkSession, folder: Path, buckets: int) -> None:
    out = Path(tempfile.mkdtemp(dir=folder))
    rows = read(spark, folder / "in")
    bucket = F.pmod(F.xxhash64("key"), F.lit(buckets)).cast("int")
    same = (
        rows.withColumn("bucket", bucket)
        .groupBy("bucket")
        .transformWithStateInPandas(
            statefulProcessor=Identity(),
            outputStructType=rows.withColumn("bucket", bucket).schema,
            outputMode="Append",
            timeMode="None",
        )
    )

    def write(batch: DataFrame, number: int) -> None:
        batch.write.mode("overwrite").parquet(str(out / f"batch={number}"))

    query = (
        same.writeStream.foreachBatch(write)
        .option("checkpointLocation", str(out / "checkpoint"))
        .trigger(availableNow=True)
        .start()
    )
    query.awaitTermination()
