"""How the work of a query is divided: tasks, time and shuffled bytes of each executor, and the state of each bucket."""

from __future__ import annotations

from pathlib import Path

from pyspark.sql import SparkSession

_FIGURES = {
    "tasks": "completedTasks",
    "task_ms": "totalDuration",
    "read": "totalShuffleRead",
    "sent": "totalShuffleWrite",
}

Split = dict[str, dict[str, int]]


def by_executor(spark: SparkSession) -> Split:
    """Return what each executor has done so far: tasks, their milliseconds, bytes read from and sent to shuffles."""
    known = spark.sparkContext._jsc.sc().statusStore().executorList(True)
    executors = [known.apply(place) for place in range(known.size())]
    return {
        each.id(): {name: int(getattr(each, method)()) for name, method in _FIGURES.items()}
        for each in executors
        if each.id() != "driver"
    }


def since(before: Split, after: Split) -> Split:
    """Return what was done between two looks.

    >>> since({"0": {"tasks": 2}}, {"0": {"tasks": 5}, "1": {"tasks": 1}})
    {'0': {'tasks': 3}, '1': {'tasks': 1}}
    """
    return {
        executor: {name: value - before.get(executor, {}).get(name, 0) for name, value in done.items()}
        for executor, done in after.items()
    }


def state_bytes(checkpoint: Path) -> list[int]:
    """Return the bytes of files of each partition of the state, in which a bucket is: all versions that are kept."""
    operator = checkpoint / "state" / "0"
    partitions = sorted((each for each in operator.iterdir() if each.name.isdigit()), key=lambda each: int(each.name))
    return [sum(file.stat().st_size for file in each.rglob("*") if file.is_file()) for each in partitions]
