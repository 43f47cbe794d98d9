"""Whether memory follows what waits on disk: it must not, since Spark takes in so many files at a time.

Rows that wait could be in memory of Python or in the heap of the JVM. What a JVM has besides is bounded only as a whole
(`tests.load.overload`): it grows in a process that has just begun, presumably by compiled code (decision 0038).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tests.load.running import lines_of
from tests.load.samples import MB
from tests.load.slope import slope

ROW_BYTES = 32  # four numbers: no row takes less in memory
COUNTED, COLLECTED = 60, 24  # samples of a run, and of the heap: enough for an interval, however short it is
_WARM = 0.25  # the share of the time that does not count: workers start, code is compiled


@dataclass(frozen=True)
class Followed:
    """How many bytes of memory came with each row that waits on disk, and its 95 % interval."""

    bytes_per_row: float
    low: float
    high: float

    @property
    def is_bounded(self) -> bool:
        """Whether rows that wait are elsewhere: were they here, each would take ROW_BYTES; half of that is too much.

        What is not known, because there were too few samples, is not bounded either.
        """
        return -math.inf < self.low < ROW_BYTES / 2


def followed(memory: Sequence[tuple[float, float]], waiting: Sequence[tuple[float, float]]) -> Followed:
    """Compare MB with the rows that wait, both by seconds. Nothing that waits more is a mistake of who asks.

    >>> seconds = range(60)
    >>> found = followed([(at, 500 + at) for at in seconds], [(at, 100_000 * at) for at in seconds])
    >>> round(found.bytes_per_row, 1), found.is_bounded
    (10.5, True)
    """
    mb, rows = (_late(np.array(each, float)) for each in (memory, waiting))
    more = float(np.polyfit(rows[:, 0], rows[:, 1], 1)[0]) * 3_600
    assert more > 0, "nothing waits longer and longer: this is no overload"
    block = (mb[-1, 0] - mb[0, 0]) / (len(mb) - 1)
    grown = slope(mb[:, 0] - mb[0, 0], mb[:, 1], block=block)
    return Followed(*(float(each * MB / more) for each in (grown.per_hour, grown.low, grown.high)))


def memory_of(folder: Path, rows_of_a_file: float) -> tuple[Followed, Followed]:
    """Return what memory of Python, and what is live in the heap of the JVM, have to do with what waits."""
    samples, heap = lines_of(folder / "samples.jsonl"), lines_of(folder / "heap.jsonl")
    waiting = [(each["at"], each["waiting_files"] * rows_of_a_file) for each in samples]
    python = [(each["at"], each["python_mb"]) for each in samples]
    live = [(each["at"], each["heap"] / MB) for each in heap if each["at"] <= samples[-1]["at"]]
    return followed(python, waiting), followed(live, waiting)


def _late(points: np.ndarray) -> np.ndarray:
    begin, end = points[0, 0], points[-1, 0]
    return points[points[:, 0] >= begin + _WARM * (end - begin)]
