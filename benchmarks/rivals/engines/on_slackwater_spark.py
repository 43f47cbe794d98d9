"""slackwater on Spark: micro-batches of files, RocksDB state and checkpoints, results, late rows and decisions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

import slackwater as sw
from benchmarks.rivals.engines.spark_figures import figures
from benchmarks.rivals.engines.spark_source import stream
from benchmarks.rivals.jobs import CORES, SIZE_MS, SLACK_MS, SLIDE_MS, WITHIN_MS, by_group, main

_SLACK = sw.FixedSlack(f"{SLACK_MS} ms")


def begin() -> SparkSession:
    """Start a session."""
    cores = {"master": f"local[{CORES}]", "spark__sql__shuffle__partitions": str(CORES)}
    spark: SparkSession = sw.session(app="rivals", short_lived=True, **cores)
    spark.sparkContext.setLogLevel("ERROR")
    return spark


def merge(spark: SparkSession, data: Path, out: Path) -> dict[str, float]:
    """Merge two streams, in one bucket: one order over all rows."""
    streams = (_stream(spark, data, name, "ts", "key", "value") for name in "ab")
    return _run(sw.merge(*streams, contract=_SLACK), out)


def join2(spark: SparkSession, data: Path, out: Path) -> dict[str, float]:
    """Join two streams."""
    return _join(spark, data, out, "ab")


def join3(spark: SparkSession, data: Path, out: Path) -> dict[str, float]:
    """Join three streams."""
    return _join(spark, data, out, "abc")


def aggregate(spark: SparkSession, data: Path, out: Path, group: str) -> dict[str, float]:
    """Aggregate one stream by a column."""
    windows = sw.aggregate(
        _stream(spark, data, "d", "ts", group, "value"),
        by=group,
        size=f"{SIZE_MS} ms",
        slide=f"{SLIDE_MS} ms",
        values={"n": sw.count(), "total": sw.sum("value"), "most": sw.max("value")},
        contract=_SLACK,
        buckets=CORES,
    )
    return _run(windows, out)


JOBS = {"merge": merge, "join2": join2, "join3": join3, **by_group(aggregate)}


def _join(spark: SparkSession, data: Path, out: Path, names: str) -> dict[str, float]:
    streams = (_stream(spark, data, name, "ts", "key", "value") for name in names)
    return _run(sw.join(*streams, on="key", within=f"{WITHIN_MS} ms", contract=_SLACK, buckets=CORES), out)


def _stream(spark: SparkSession, data: Path, name: str, *columns: str) -> sw.Stream:
    return sw.stream(stream(spark, data, name).select(*columns), name=name, event_time="ts")


def _run(output: Any, out: Path) -> dict[str, float]:
    checkpoint = out.parent / "checkpoint"  # beside `out`, where only results are looked for
    query = output.start(
        results=str(out),
        late=str(out.parent / "late"),
        decisions=str(out.parent / "decisions"),
        checkpoint=str(checkpoint),
        trigger={"availableNow": True},
    )
    query.awaitTermination()
    return figures(query, checkpoint)


if __name__ == "__main__":
    main(begin, JOBS)
