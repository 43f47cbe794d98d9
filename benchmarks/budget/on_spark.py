"""Where the time of a micro-batch goes on Spark: from its progress reports and its event log."""

from __future__ import annotations

import statistics
import tempfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession
from rich.table import Table

import slackwater as sw
from benchmarks.budget.events import Job, jobs_of
from benchmarks.data import out_of_order
from benchmarks.spark_files import read, write_files

STARTING = 2  # batches that do not count
_PYTHON = "time to execute Python code"  # as Spark calls it
_VALUES = {"n": sw.count(), "total": sw.sum("x"), "most": sw.max("y")}


@dataclass(frozen=True)
class Timed:
    """The median of the counted batches of a query, part by part, in milliseconds."""

    name: str
    rows: int  # of a batch
    parts: dict[str, float]


def timed(*, quick: bool) -> Iterator[Timed]:
    """Measure small and large batches of a reorder, an aggregate and a join."""
    sizes = (2_000,) if quick else (2_000, 500_000)
    with tempfile.TemporaryDirectory(prefix="slackwater-budget-") as scratch:
        log, files = Path(scratch) / "log", 5 if quick else 8
        log.mkdir()
        logged = {"spark__eventLog__enabled": "true", "spark__eventLog__dir": log.as_uri()}
        spark = sw.session(app="budget", spark__eventLog__compress="false", **logged)
        spark.sparkContext.setLogLevel("ERROR")
        for rows in sizes:
            for name in ("a", "b"):
                write_files(Path(scratch) / f"{rows}" / name, out_of_order(rows * files), files)
            for name, plan in PLANS.items():
                yield _timed(name, rows, plan, spark, Path(scratch) / f"{rows}", log)
        spark.stop()


def table(runs: Iterable[Timed]) -> Table:
    """Return a line for each part of a batch, a column for each run."""
    runs = list(runs)
    shown = Table(title="on Spark: milliseconds of a micro-batch, median")
    shown.add_column("part")
    for run in runs:
        shown.add_column(f"{run.name}, {run.rows:,} rows", justify="right")
    for part in runs[0].parts:
        shown.add_row(part, *(f"{run.parts[part]:.0f}" for run in runs))
    return shown


def _timed(
    name: str, rows: int, plan: Callable[[SparkSession, Path], Any], spark: SparkSession, folder: Path, log: Path
) -> Timed:
    out = Path(tempfile.mkdtemp(dir=folder))
    outputs = {each: str(out / each) for each in ("results", "late", "decisions", "checkpoint")}
    query = plan(spark, folder).start(**outputs, trigger={"availableNow": True})
    query.awaitTermination()
    progress = {each["batchId"]: each for each in query.recentProgress if each["numInputRows"]}
    counted = sorted(progress)[STARTING:]
    jobs = {job.batch: job for job in jobs_of(log, str(query.id))}
    found = [parts_of(progress[batch], jobs[batch]) for batch in counted]
    medians = {part: statistics.median(each[part] for each in found) for part in found[0]}
    return Timed(name, rows * (2 if name == "join" else 1), medians)


def parts_of(progress: dict[str, Any], job: Job) -> dict[str, float]:
    """Return the parts of a batch; indented ones are within the one above, and of several tasks the longest counts."""
    took = progress["durationMs"]
    ran = sorted(stage for stage in job.stages if stage in job.tasks)
    packing, stateful = ran[:-1], ran[-1]
    return {
        "whole batch": took["triggerExecution"],
        "which files are new, which offsets": took["latestOffset"] + took.get("getBatch", 0),
        "logs of Spark's checkpoint": took["walCommit"] + took["commitOffsets"],
        "planning": took["queryPlanning"],
        "batch function": took["addBatch"],
        "  planning and start of its job, outputs, bookkeeping": took["addBatch"] - job.took,
        "  read, to Arrow, pack": max(job.lasted(stage) for stage in packing),
        "    scan of files": max(job.counted(stage, "scan time") for stage in packing),
        "    pack in Python": max(job.counted(stage, _PYTHON) for stage in packing),
        "  stateful stage": job.lasted(stateful),
        "    state opened": job.counted(stateful, "RocksDB: load - time taken to load the store"),
        "    call in Python, with what it asks of the state store": job.counted(stateful, _PYTHON),
        "    state committed": job.counted(stateful, "time to commit changes"),
    }


def _stream(spark: SparkSession, folder: Path, name: str) -> sw.Stream:
    return sw.stream(read(spark, folder / name), name=name, event_time="event_time", arrival="seq")


def _reorder(spark: SparkSession, folder: Path) -> Any:
    return sw.reorder(_stream(spark, folder, "a"), contract=sw.FixedSlack("100 ms"))


def _aggregate(spark: SparkSession, folder: Path) -> Any:
    stream, slack = _stream(spark, folder, "a"), sw.FixedSlack("100 ms")
    return sw.aggregate(stream, by="key", size="3 seconds", slide="1 second", values=_VALUES, contract=slack, buckets=2)


def _join(spark: SparkSession, folder: Path) -> Any:
    a, b = (_stream(spark, folder, name) for name in ("a", "b"))
    return sw.join(a, b, on="key", within="1 ms", contract=sw.FixedSlack("100 ms"), buckets=2)


PLANS: dict[str, Callable[[SparkSession, Path], Any]] = {"reorder": _reorder, "aggregate": _aggregate, "join": _join}
