"""The Spark reorder query, three outputs written, against an identity transformWithStateInPandas query.

Both read the same files, one per micro-batch, group by the same buckets and write Parquet with foreachBatch.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd
from pyspark.sql import SparkSession
from pyspark.sql import functions as F  # noqa: N812
from pyspark.sql.streaming.stateful_processor import StatefulProcessor

import slackwater as sw
from benchmarks.data import out_of_order
from benchmarks.harness import Case
from benchmarks.spark_files import read, run_ours, run_rival, scratch, write_files
from slackwater.contracts import Contract

IDENTITY = "identity transformWithStateInPandas"


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
    with scratch() as (spark, folder):
        write_files(folder / "in", out_of_order(rows), files)
        for buckets in (1, 4):
            yield Case(
                f"Spark reorder, {buckets} bucket(s)",
                partial(reorder, spark, folder, sw.FixedSlack("40 ms"), buckets),
                partial(identity, spark, folder, buckets),
                1.5,
                IDENTITY,
                {"rows": rows, "files": files, "buckets": buckets},
            )


def reorder(spark: SparkSession, folder: Path, contract: Contract, buckets: int = 1) -> None:
    """Reorder the files in `folder / "in"`."""
    stream = sw.stream(read(spark, folder / "in"), event_time="event_time", arrival="seq")
    by = ("key",) if buckets > 1 else ()
    run_ours(sw.reorder(stream, contract=contract, by=by, buckets=buckets), folder)


def identity(spark: SparkSession, folder: Path, buckets: int = 1) -> None:
    """Hand the files in `folder / "in"` through a stateful operator that keeps nothing."""
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
    run_rival(same, folder)
