"""Runs a streaming query, one file of each stream in a micro-batch, and says how long its micro-batches took."""

from __future__ import annotations

import shutil
import tempfile
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from pyspark.sql.streaming.query import StreamingQuery

STARTING = 4  # batches in which everything starts, which do not count
_LOOK = 1.0  # seconds between two looks at all reports, which take time themselves

Started: TypeAlias = tuple[StreamingQuery, Path]  # and the folder of its outputs and checkpoint
Start: TypeAlias = Callable[[dict[str, Any]], Started]  # with a trigger


@dataclass
class Latencies:
    """Runs of a query: each says its median when it is made and later, in the same order, how slow its batches were.

    The first is one that there was, `warm`: the harness does not count it, and a run takes most of a minute.
    """

    run: Callable[[], list[int]]
    warm: list[int] | None = None
    runs: deque[list[int]] = field(default_factory=deque)

    def median(self) -> float:
        """Run the query; return what half of its batches took at most."""
        took, self.warm = self.warm or self.run(), None
        self.runs.append(took)
        return float(np.median(took))

    def slow(self) -> float:
        """Return what 99 % of the batches took, of the first run that was not yet asked: both have as many turns."""
        return float(np.percentile(self.runs.popleft(), 99))


def busy_half(took: list[int]) -> dict[str, Any]:
    """Return the trigger at which a query is busy half of the time whose batches take so many milliseconds.

    >>> busy_half([400, 500, 900])
    {'processingTime': '1000 milliseconds'}
    """
    return {"processingTime": f"{2 * round(float(np.median(took)))} milliseconds"}


def at_once(start: Start, files: int) -> list[int]:
    """Return the milliseconds of each batch, but for the first ones, when the next one follows at once."""
    return durations(start, files, {"availableNow": True})


def durations(start: Start, files: int, trigger: dict[str, Any]) -> list[int]:
    """Return the milliseconds of each batch of a run, but for the first ones."""
    took, out = followed(start, files, trigger)
    shutil.rmtree(out)  # a run may write a gigabyte
    return took[STARTING:]


def followed(start: Start, files: int, trigger: dict[str, Any]) -> tuple[list[int], Path]:
    """Run a query until it has taken so many files; return what each batch took, in ms, and where its outputs are."""
    query, out = start(trigger)
    while query.isActive and len(_took(query)) < files:  # Spark's own has batches without rows too, which do not count
        time.sleep(_LOOK)
    failed = query.exception()
    query.stop()
    if failed is not None:
        raise failed
    return _took(query), out


def _took(query: StreamingQuery) -> list[int]:
    return [each["durationMs"]["triggerExecution"] for each in query.recentProgress if each["numInputRows"]]


def started(output: Any, folder: Path, trigger: dict[str, Any]) -> Started:
    """Start a slackwater query with all three outputs."""
    out = Path(tempfile.mkdtemp(dir=folder))
    outputs = {name: str(out / name) for name in ("results", "late", "decisions", "checkpoint")}
    return output.start(**outputs, trigger=trigger), out
