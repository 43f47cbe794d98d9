"""Recall over time against the in-order truth, and how often it was good enough: JI16 Sec. II-B and VI.

Results are columns of result times, sorted, with how many results there are at each entry (an entry per result with a
count of 1 will do). Recall is measured against event time that the join has passed: results with times in
`[start, stop)`, where `stop` is not past the join's time, can no longer change.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from slackwater.errors import ParameterError
from slackwater.estimate.arrays import Floats
from slackwater.events import Rows
from slackwater.time import Mask, Times

NEARLY = 0.99  # of the target: JI16 reports the share of measurements that reach this as well
_ROUNDING = 1e-12  # 0.99 * 0.54 comes out above 0.5346, and a recall of exactly that must reach it


@dataclass(frozen=True, slots=True)
class ResultCounts:
    """How many results there are at each result time; `within` adds them up by two binary searches per span.

    >>> ResultCounts.of(np.array([1, 4, 4, 7]), np.array([2, 1, 1, 5])).within([0, 4], [4, 8]).tolist()
    [2, 7]
    """

    _time: Times
    _total: Rows  # of all entries before each, and of all

    @classmethod
    def of(cls, time: Times, count: Rows | None = None, *, name: str = "time") -> ResultCounts:
        """Add up the counts; each is 1 unless given. `name` is what errors call the times."""
        time = np.asarray(time, np.int64)
        check_sorted(name, time)
        count = np.ones(len(time), np.int64) if count is None else np.asarray(count, np.int64)
        return cls(time, np.concatenate((np.zeros(1, np.int64), np.cumsum(count))))

    def within(self, start: Times, stop: Times) -> Rows:
        """How many results have a time in each `[start, stop)`."""
        first, last = (np.searchsorted(self._time, edge, side="left") for edge in (start, stop))
        return np.asarray(self._total[last] - self._total[first], np.int64)


def recall_by_period(
    at: Times, produced_time: Times, produced: Rows | None, true_time: Times, true: Rows | None, period: int
) -> Floats:
    """Return gamma(P) at each instant: of the true results with times in `[at - period, at)`, the share produced.

    `at` is the join's time at each adaptation, `period` is P. Where there was nothing to find, the recall is 1.
    O(n log n) for n instants and sorted results.

    >>> produced, true = np.array([1, 5]), np.array([1, 2, 5, 6])
    >>> recall_by_period(np.array([3, 6, 20]), produced, None, true, None, period=3).tolist()
    [0.5, 1.0, 1.0]
    """
    at = np.asarray(at, np.int64)
    found = ResultCounts.of(produced_time, produced, name="produced_time").within(at - period, at)
    there = ResultCounts.of(true_time, true, name="true_time").within(at - period, at)
    return share_found(found, there)


def share_found(found: Rows, there: Rows) -> Floats:
    """Return found / there; 1 where nothing was there to be found.

    >>> share_found(np.array([1, 0, 0]), np.array([2, 3, 0])).tolist()
    [0.5, 0.0, 1.0]
    """
    return np.divide(found, there, out=np.ones(len(there)), where=there > 0)


def after_first_period(clock: Times, start: int, period: int) -> Mask:
    """Whether a measurement counts: those of the first period P, while the clock is before start + P, do not.

    `clock` is that of the input at each adaptation, `start` the first event time.

    >>> after_first_period(np.array([5, 59, 60, 61]), start=0, period=60).tolist()
    [False, False, True, True]
    """
    return np.greater_equal(clock, start + period)


def reaches(recalls: Floats, target: float) -> Mask:
    """Whether each recall is not below the target, up to the rounding of floating point.

    >>> reaches(np.array([0.5345, 0.5346]), 0.99 * 0.54).tolist()
    [False, True]
    """
    return np.greater_equal(recalls, target - _ROUNDING)


def fulfillment(recalls: Floats, target: float) -> float:
    """Return Phi(Γ): the share of the measurements that are not below the target; 1 if there is none.

    >>> fulfillment(np.array([0.98, 0.99, 1.0, 1.0]), target=0.99)
    0.75
    """
    reached = reaches(recalls, target)
    return float(reached.mean()) if reached.size else 1.0


class Phi(NamedTuple):
    """The shares of measurements that reach the target, and 99 % of it."""

    target: float
    nearly: float


def phi(recalls: Floats, target: float) -> Phi:
    """Return Phi(Γ) and Phi(.99Γ), the two figures that JI16 reports.

    >>> phi(np.array([0.97, 0.985, 0.99, 1.0]), target=0.99)
    Phi(target=0.5, nearly=0.75)
    """
    return Phi(fulfillment(recalls, target), fulfillment(recalls, NEARLY * target))


def check_sorted(name: str, time: Times) -> None:
    """Refuse times that go back: binary search would return nonsense without a word."""
    back = np.flatnonzero(np.diff(time) < 0)
    if len(back):
        raise ParameterError(
            name,
            int(time[back[0] + 1]),
            must=f"not go back (after {int(time[back[0]])})",
            remedy="sort the times and their counts together",
        )
