"""The streams that engines on Spark read: files, one of each stream in a micro-batch, or all there are."""

from __future__ import annotations

import os
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession

from benchmarks import spark_files


def stream(spark: SparkSession, data: Path, name: str) -> DataFrame:
    """Return a stream in arrival order; with `SLACKWATER_RIVALS_AT_ONCE` a backlog, taken as Spark does by itself."""
    files = None if "SLACKWATER_RIVALS_AT_ONCE" in os.environ else 1
    return spark_files.read(spark, data / "arrived" / name, files=files)
