"""Starts Python workers while the caller still puts a query together: they are there when its first rows are."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from threading import Thread
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import SparkSession


def start_python(spark: SparkSession) -> Thread:
    """Let Spark start its Python daemon and a worker, beside whatever the caller does next."""
    thread = Thread(target=_run, args=(spark,), name="slackwater-start-python", daemon=True)
    thread.start()
    return thread


def _run(spark: SparkSession) -> None:
    # Nothing depends on it: a session that is stopped meanwhile ends it, and a query starts what it does not find.
    with suppress(Exception):
        spark.sparkContext.setJobDescription("slackwater: starts Python")
        spark.range(1).mapInArrow(_as_they_are, "id BIGINT").write.format("noop").mode("overwrite").save()


def _as_they_are(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    return batches
