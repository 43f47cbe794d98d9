"""How long a micro-batch takes at half load, against a query that only reads and writes the same rows.

Both have the same trigger, at which ours is busy half of the time, and get one file each time it fires. Ours writes
three outputs. The first batches, in which everything starts, do not count.
"""

from __future__ import annotations

import tempfile
import time
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from pyspark.sql import SparkSession
from pyspark.sql.streaming.query import StreamingQuery

import slackwater as sw
from benchmarks.data import out_of_order
from benchmarks.harness import Case
from benchmarks.spark_files import read, scratch, start_rival, write_files

STARTING = 4  # batches
_LOOK = 1.0  # seconds between two looks at all reports, which take time themselves
SLACK = sw.FixedSlack("100 ms")
VALUES = {"n": sw.count(), "total": sw.sum("x"), "most": sw.max("y")}

Start = Callable[[dict[str, Any]], StreamingQuery]


def cases(*, quick: bool) -> Iterator[Case]:
    """Half of the micro-batches, and 99 %, of a reorder and an aggregate: quick, of too few for more than a glance."""
    rows, files = (2_000, 8) if quick else (20_000, 44)
    with scratch() as (spark, folder):
        write_files(folder / "in", out_of_order(rows * files), files)
        for name, ours in (("reorder", _reorder), ("aggregate", _aggregate)):
            trigger = {"processingTime": f"{2 * typical(partial(ours, spark, folder), files)} milliseconds"}
            config = {"rows": rows, "batches": files - STARTING, **trigger}
            own, other = (
                Latencies(partial(durations, partial(start, spark, folder), files, trigger))
                for start in (ours, _passed)
            )
            against = 1.3, "pass-through, same trigger", config
            yield Case(f"micro-batch of a {name}, 50 %", own.median, other.median, *against)
            yield Case(f"micro-batch of a {name}, 99 %", own.slow, other.slow, *against)


@dataclass(frozen=True)
class Latencies:
    """Runs of a query: each says its median when it is made and later, in the same order, how slow its batches were."""

    run: Callable[[], list[int]]
    runs: deque[list[int]] = field(default_factory=deque)

    def median(self) -> float:
        """Run the query; return what half of its batches took at most."""
        self.runs.append(self.run())
        return float(np.median(self.runs[-1]))

    def slow(self) -> float:
        """Return what 99 % of the batches of the first run took that was not yet asked for it."""
        return float(np.percentile(self.runs.popleft(), 99))


def typical(start: Start, files: int) -> int:
    """Return the milliseconds that a batch takes when the next one follows at once."""
    return round(float(np.median(durations(start, files, {"availableNow": True}))))


def durations(start: Start, files: int, trigger: dict[str, Any]) -> list[int]:
    """Return the milliseconds of each batch of a run, but for the first ones."""
    query = start(trigger)
    while query.isActive and len(_took(query)) < files:  # Spark's own has batches without rows too, which do not count
        time.sleep(_LOOK)
    query.stop()
    return _took(query)[STARTING:]


def _took(query: StreamingQuery) -> list[int]:
    return [each["durationMs"]["triggerExecution"] for each in query.recentProgress if each["numInputRows"]]


def _reorder(spark: SparkSession, folder: Path, trigger: dict[str, Any]) -> StreamingQuery:
    stream = sw.stream(read(spark, folder / "in"), event_time="event_time", arrival="seq")
    return started(sw.reorder(stream, contract=SLACK), folder, trigger)


def _aggregate(spark: SparkSession, folder: Path, trigger: dict[str, Any]) -> StreamingQuery:
    stream = sw.stream(read(spark, folder / "in"), event_time="event_time", arrival="seq")
    windows = sw.aggregate(
        stream, by="key", size="3 seconds", slide="1 second", values=VALUES, contract=SLACK, buckets=2
    )
    return started(windows, folder, trigger)


def started(output: Any, folder: Path, trigger: dict[str, Any]) -> StreamingQuery:
    """Start a slackwater query with all three outputs."""
    out = Path(tempfile.mkdtemp(dir=folder))
    outputs = {name: str(out / name) for name in ("results", "late", "decisions", "checkpoint")}
    query: StreamingQuery = output.start(**outputs, trigger=trigger)
    return query


def _passed(spark: SparkSession, folder: Path, trigger: dict[str, Any]) -> StreamingQuery:
    return start_rival(read(spark, folder / "in"), folder, trigger)[0]
