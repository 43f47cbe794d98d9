"""A driver in client mode, as a process of its own: runs the join that it is asked for, as often as it is asked.

One line of JSON for each run, in and out; it ends with its input. Started by benchmarks.scale_out:

    python -m benchmarks.scale_driver spark://127.0.0.1:7077 2     (the master, executors)
"""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812

import slackwater as sw
from benchmarks.cluster import settings
from benchmarks.processor_time import by_role
from benchmarks.spark_files import read, run_ours
from benchmarks.split import by_executor, since, state_bytes

CONTRACTS = {"FixedSlack": sw.FixedSlack("1 second"), "Deadline": sw.Deadline("6 seconds")}
ANSWER = "answer: "  # workers may print, too


def main(master: str, executors: int) -> None:
    """Answer requests: a folder with the files of both streams, a contract and buckets."""
    spark = sw.session(app=f"scale-{executors}", master=master, **settings(executors))
    spark.sparkContext.setLogLevel("ERROR")
    try:
        for line in sys.stdin:
            print(ANSWER + json.dumps(run(spark, **json.loads(line))), flush=True)
    finally:
        spark.stop()


def run(spark: SparkSession, folder: str, contract: str, buckets: int) -> dict[str, Any]:
    """Join the files of two streams; return how long it and its batches took, whose time it was, and what came out."""
    spark.conf.set("spark.sql.shuffle.partitions", str(buckets))
    files = Path(folder)
    a, b = (sw.stream(read(spark, files / name), name=name, event_time="ts", arrival="seq") for name in "ab")
    joined = sw.join(a, b, on="key", within="5 seconds", contract=CONTRACTS[contract], buckets=buckets)
    batches: list[int] = []
    before, begun, started = by_role(os.getpid(), _application(spark)), by_executor(spark), time.perf_counter()
    out = run_ours(joined, files, batches)
    seconds, after = time.perf_counter() - started, by_role(os.getpid(), _application(spark))
    return {
        "seconds": seconds,
        "batch_seconds": [milliseconds / 1_000 for milliseconds in batches],
        "processor": {role: after[role] - before[role] for role in before},
        "results": fingerprint(spark.read.parquet(str(out / "results"))),
        "split": since(begun, by_executor(spark)),
        "state_bytes": state_bytes(out / "checkpoint"),
        "written": str(out / "results"),
        "at_work": _executors(spark),
    }


def fingerprint(rows: DataFrame) -> list[int]:
    """Return how many rows there are and the sum of their hashes: equal for equal rows, whatever their order."""
    hashed = F.sum(F.xxhash64("event_time", "a", "b").cast("decimal(38, 0)"))
    found = rows.agg(F.count("*"), F.coalesce(hashed, F.lit(0))).first()
    assert found is not None
    return [int(found[0]), int(found[1])]


def _executors(spark: SparkSession) -> int:
    """Return how many executors there are; Spark counts the driver as one more."""
    return len(spark.sparkContext._jsc.sc().statusTracker().getExecutorInfos()) - 1


def _application(spark: SparkSession) -> str:
    return str(spark.sparkContext.applicationId)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
