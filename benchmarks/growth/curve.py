"""Cost over size, and its exponent: 1 where twice the size costs twice as much, 0 where it does not matter.

Cost is processor time of the process, all threads: what else the machine does hardly matters to it. On Spark it is that
of the driver, its JVM and its workers.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

LIMIT = 1.1

Work = Callable[[], int]


@dataclass(frozen=True)
class Curve:
    """One thing that grows.

    Attributes:
        operator: what is run.
        grows: what grows, for people.
        sizes: how large it is, ascending.
        build: makes the work for a size; the work returns how many results it had.
        per_result: whether cost is divided by the results, where these grow too but not as the size does.
        clock: the seconds of processor time so far.
    """

    operator: str
    grows: str
    sizes: Sequence[float]
    build: Callable[[float], Work]
    per_result: bool = False
    clock: Callable[[], float] = time.process_time


@dataclass(frozen=True)
class Point:
    """The median cost of a size, and what came out."""

    size: float
    seconds: float
    lowest: float
    highest: float
    results: int


@dataclass(frozen=True)
class Grown:
    """A curve that was measured."""

    operator: str
    grows: str
    per_result: bool
    points: tuple[Point, ...]

    @property
    def exponent(self) -> float:
        """Return the slope of the line through all points, both axes logarithmic."""
        return exponent([(point.size, self._cost(point)) for point in self.points])

    @property
    def last(self) -> float:
        """Return the slope between the two largest sizes: what has a fixed cost looks too good in the whole."""
        return exponent([(point.size, self._cost(point)) for point in self.points[-2:]])

    @property
    def held(self) -> bool:
        """Return whether neither slope is above the limit."""
        return max(self.exponent, self.last) <= LIMIT

    def as_json(self) -> dict[str, Any]:
        """Return everything as plain values."""
        return {**asdict(self), "exponent": self.exponent, "last": self.last, "held": self.held}

    def _cost(self, point: Point) -> float:
        return point.seconds / max(point.results, 1) if self.per_result else point.seconds


def exponent(points: Sequence[tuple[float, float]]) -> float:
    """Return the power of the size that fits the cost best.

    >>> round(exponent([(1, 3.0), (2, 6.0), (4, 12.0)]), 6)
    1.0
    """
    sizes, costs = np.log(np.array(points, dtype=float)).T
    return float(np.polyfit(sizes, costs, 1)[0])


def measure(curve: Curve, repeat: int) -> Iterator[Point]:
    """Measure the sizes of a curve one after the other; before the first, the smallest is run once without counting."""
    curve.build(curve.sizes[0])()
    for size in curve.sizes:
        work, times, results = curve.build(size), [], 0
        for _ in range(repeat):
            started = curve.clock()
            results = work()
            times.append(curve.clock() - started)
        yield Point(size, statistics.median(times), min(times), max(times), results)
