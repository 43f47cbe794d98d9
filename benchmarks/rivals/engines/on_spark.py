"""Spark's own operators, on the micro-batches that ours gets; the state store is chosen by the catalog.

A stream-stream join gives what it finds at once; windows wait for the watermark. There is no sort of a stream.
"""

from __future__ import annotations

import os
from pathlib import Path

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812

from benchmarks.rivals.engines.spark_figures import figures
from benchmarks.rivals.engines.spark_source import stream
from benchmarks.rivals.jobs import CORES, SIZE_MS, SLACK_MS, SLIDE_MS, WITHIN_MS, by_group, main
from slackwater.spark.java_start import java_options
from slackwater.spark.own_settings import OF_LOCAL_FILES
from slackwater.spark.session import java_found

_STATE = "spark.sql.streaming.stateStore"
_PROVIDERS = "org.apache.spark.sql.execution.streaming.state"


def begin() -> SparkSession:
    """Start a session that is set as ours, with the state store that `SLACKWATER_RIVALS_STORE` names.

    Without the second compiler (`SLACKWATER_RIVALS_QUICK`) a short job gains, and a long one loses.
    """
    settings = {
        f"{_STATE}.providerClass": f"{_PROVIDERS}.{os.environ['SLACKWATER_RIVALS_STORE']}",
        f"{_STATE}.rocksdb.changelogCheckpointing.enabled": "true",
        "spark.sql.shuffle.partitions": str(CORES),
        "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",
        "spark.sql.session.timeZone": "UTC",
        **OF_LOCAL_FILES,
        "spark.driver.extraJavaOptions": java_options(
            java_found(), short_lived="SLACKWATER_RIVALS_QUICK" in os.environ
        ),
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.driver.memory": "4g",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
    }
    builder = SparkSession.builder.appName("rivals").master(f"local[{CORES}]")
    for name, value in settings.items():
        builder = builder.config(name, value)
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    return spark


def join2(spark: SparkSession, data: Path, out: Path) -> dict[str, float]:
    """Join by key and distance in time."""
    a, b = (_side(spark, data, name) for name in "ab")
    return _run(_in_order_of_columns(a.join(b, _same("a", "b")), "ab"), out)


def join3(spark: SparkSession, data: Path, out: Path) -> dict[str, float]:
    """Join the third to what the first two gave; of their times one alone may keep its watermark."""
    a, b, c = (_side(spark, data, name) for name in "abc")
    plain = F.timestamp_micros(F.unix_micros("b_ts")).alias("b_ts")
    two = a.join(b, _same("a", "b")).select("a_key", "a_ts", "a_value", plain, "b_value")
    return _run(_in_order_of_columns(two.join(c, _same("a", "c") & _close("b", "c")), "abc"), out)


def aggregate(spark: SparkSession, data: Path, out: Path, group: str) -> dict[str, float]:
    """Group by sliding window and a column."""
    rows = stream(spark, data, "d").withWatermark("ts", f"{SLACK_MS} milliseconds")
    window = F.window("ts", f"{SIZE_MS} milliseconds", f"{SLIDE_MS} milliseconds")
    values = F.count("*").alias("n"), F.sum("value").alias("total"), F.max("value").alias("most")
    return _run(rows.groupBy(window, group).agg(*values), out)


JOBS = {"join2": join2, "join3": join3, **by_group(aggregate)}


def _side(spark: SparkSession, data: Path, name: str) -> DataFrame:
    rows = stream(spark, data, name)
    named = rows.select(*(F.col(column).alias(f"{name}_{column}") for column in ("ts", "key", "value")))
    return named.withWatermark(f"{name}_ts", f"{SLACK_MS} milliseconds")


def _same(one: str, other: str) -> Column:
    return F.expr(f"{one}_key = {other}_key") & _close(one, other)


def _close(one: str, other: str) -> Column:
    within = f"interval {WITHIN_MS // 1_000} seconds"
    return F.expr(f"{one}_ts between {other}_ts - {within} and {other}_ts + {within}")


def _in_order_of_columns(joined: DataFrame, names: str) -> DataFrame:
    latest = F.greatest(*(f"{name}_ts" for name in names)).alias("event_time")
    columns = [f"{name}_{column}" for name in names for column in ("ts", "value")]
    return joined.select(latest, F.col("a_key").alias("key"), *columns)


def _run(rows: DataFrame, out: Path) -> dict[str, float]:
    def write(batch: DataFrame, number: int) -> None:
        batch.write.mode("overwrite").parquet(str(out / f"batch={number}"))

    checkpoint = out.parent / "checkpoint"
    writer = rows.writeStream.foreachBatch(write).option("checkpointLocation", str(checkpoint))
    query = writer.trigger(availableNow=True).start()
    query.awaitTermination()
    return figures(query, checkpoint)


if __name__ == "__main__":
    main(begin, JOBS)
