"""A driver as a process of its own: runs queries over all their input, then drains them. It may be killed at any time.

python -m tests.chaos.driver spark://127.0.0.1:7077 /data/reorder=reorder ...     (the master, folder=query)
"""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.cluster import settings
from pyspark.sql import SparkSession

import slackwater as sw
from slackwater.spark.control_stream import put
from slackwater.spark.java_start import java_options
from slackwater.spark.python_start import LAUNCHER, has_pyspark_installed
from slackwater.spark.session import java_found
from tests.chaos.queries import QUERIES

OUTPUTS = ("results", "late", "decisions")
_EXECUTORS = 2
_RETRIES = {
    "spark__task__maxFailures": "10000",
    "spark__stage__maxConsecutiveAttempts": "10000",
    "spark__locality__wait": "0s",  # there is nobody to wait for where executors come and go
    "spark__sql__shuffle__partitions": "2",
    "spark__python__authenticate__socketTimeout": "120s",  # forked workers of a busy machine take their time
}


def _quick_to_start() -> dict[str, str]:
    """Return settings with which executors and their Python start as soon as those of a local session do."""
    return {
        "spark__executor__extraJavaOptions": java_options(java_found(), short_lived=True),
        "spark__executorEnv__SLACKWATER_PYTHON": sys.executable,
        "spark__python__daemon__module": "slackwater.spark.daemon",
    }


def main(master: str, asked: list[tuple[Path, str]]) -> None:
    """Run all queries, two at the same time: most of a small batch is waiting."""
    on_cluster = master.startswith("spark:")
    cluster = {**settings(_EXECUTORS), **_quick_to_start()} if on_cluster else {"spark__driver__memory": "1g"}
    spark = sw.session(app="chaos", master=master, short_lived=True, **{**cluster, **_RETRIES})
    if on_cluster and has_pyspark_installed():
        spark.sparkContext.pythonExec = str(LAUNCHER)
    spark.sparkContext.setLogLevel("WARN")  # lost tasks and executors are counted in what is written
    with ThreadPoolExecutor(2) as threads:
        for done in [threads.submit(partial(run, spark, folder, name)) for folder, name in asked]:
            done.result()
    spark.stop()


def run(spark: SparkSession, folder: Path, name: str) -> None:
    """Run a query over the files that are there, then drain it."""
    begin(spark, folder, name)
    put(folder / "control" / "drain.json", '{"kind": "drain"}\n')  # the same file however often
    begin(spark, folder, name)


def begin(spark: SparkSession, folder: Path, name: str) -> None:
    """Run a query over the files that are there."""
    start(QUERIES[name].of(frames_of(spark, folder)), folder).awaitTermination()


def start(plan: Any, folder: Path) -> Any:
    """Start a plan that ends with the files that are there."""
    return plan.start(
        **{name: str(folder / name) for name in OUTPUTS},
        checkpoint=str(folder / "checkpoint"),
        control=str(folder / "control"),
        trigger={"availableNow": True},
    )


def frames_of(spark: SparkSession, folder: Path) -> list[Any]:
    """Return the streams of a query's input, a file of each for every batch."""
    schema = "ts BIGINT, seq BIGINT, key BIGINT, value BIGINT, text STRING"
    reader = spark.readStream.schema(schema).option("maxFilesPerTrigger", 1)
    return [reader.parquet(str(stream)) for stream in sorted((folder / "in").iterdir())]


if __name__ == "__main__":
    main(sys.argv[1], [(Path(where), name) for where, _, name in (each.rpartition("=") for each in sys.argv[2:])])
