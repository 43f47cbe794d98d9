"""A small streaming job that must run in every way in which Spark can be started.

Run by spark-submit with the wheel as an archive, or with `--connect` against a local server of Spark Connect.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import SparkSession

import slackwater as sw

ROCKSDB = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"


def session() -> SparkSession:
    """Return the session of this way to start; what it lacks is set."""
    builder = SparkSession.builder
    builder = builder.remote("local[2]") if "--connect" in sys.argv else builder.appName("small job")
    spark: SparkSession = builder.getOrCreate()
    spark.conf.set("spark.sql.streaming.stateStore.providerClass", ROCKSDB)
    spark.conf.set("spark.sql.shuffle.partitions", "2")
    return spark


def run(spark: SparkSession, folder: Path) -> None:
    """Put a stream in order and add it up; check results, late rows, decisions and metrics."""
    (folder / "in").mkdir()
    rows = {"ts": pa.array([1, 4, 3, 5, 7, 8, 6, 9], pa.int64()), "seq": range(8), "line": ["a", "b"] * 4}
    pq.write_table(pa.table(rows), folder / "in" / "0.parquet")
    files = spark.readStream.schema("ts BIGINT, seq BIGINT, line STRING").parquet(str(folder / "in"))
    bus = sw.stream(files, name="bus", event_time="ts", unit="s", arrival="seq")
    wait = sw.FixedSlack("1 second")
    plans = {
        "ordered": sw.reorder(bus, contract=wait),
        "counted": sw.aggregate(bus, by="line", size="4 seconds", values={"n": sw.count()}, contract=wait, buckets=1),
    }
    with sw.monitor(spark) as monitor:
        for name, plan in plans.items():
            outputs = {each: str(folder / name / each) for each in ("results", "late", "decisions", "checkpoint")}
            plan.start(**outputs, trigger={"availableNow": True}, name=name).awaitTermination()
        if "--connect" not in sys.argv:
            spark.sparkContext._jsc.sc().listenerBus().waitUntilEmpty()
        found = {name: spark.read.parquet(str(folder / name / "results")).toPandas() for name in plans}
        arrived = {each.value for each in monitor.samples() if each.metric.name == "arrived_rows"}
    check([1, 3, 4, 5, 7, 8], sorted(found["ordered"]["ts"]), "rows in order")
    check([2, 2, 2], sorted(found["counted"]["n"]), "counts of windows")
    check(1, spark.read.parquet(str(folder / "ordered" / "late")).count(), "late rows")
    check(1, sw.latency(folder / "ordered" / "checkpoint").num_rows, "batches whose latency was measured")
    if "--connect" not in sys.argv or arrived:  # there, reports may come after the end
        check({8.0}, arrived, "rows that the monitor saw")


def check(expected: object, found: object, what: str) -> None:
    """Fail, saying what is wrong."""
    if expected != found:
        raise SystemExit(f"{what}: expected {expected}, found {found}")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        started = session()
        run(started, Path(place))
        sys.stdout.write(f"small job: as expected on {sw.__file__}\n")
        started.stop()
