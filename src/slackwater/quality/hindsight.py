"""The slack one would have chosen knowing the future: what an adaptive slack is to be compared with."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

from slackwater.errors import ParameterError
from slackwater.estimate.arrays import Floats
from slackwater.quality.recall import reaches
from slackwater.time import Mask, Times


@dataclass(frozen=True, slots=True)
class Hindsight:
    """The smallest constant slack that would have done, and how we know."""

    slack: int | None  # in us; None if even the largest slack tried is too small
    evaluations: Mapping[int, float]  # the fulfillment of every slack that was tried
    monotone: bool  # whether among these no slack fails above one that does: only then is it surely the smallest


def smallest_constant(
    run: Callable[[int], float], target_share: float, low: int, high: int, granularity: int
) -> Hindsight:
    """Find the smallest slack of low, low + granularity ... high whose fulfillment reaches a share, by bisection.

    `run` gives the fulfillment for a constant slack in us, and is called once per slack: O(log n) runs for n slacks.
    Bisection assumes that more slack never hurts. That need not hold where recall is measured at instants that depend
    on the slack, so the neighbors above and below what was found are tried as well, and `monotone` says whether all
    that was tried agrees.

    >>> found = smallest_constant(lambda slack: min(1.0, slack / 50), 0.9, low=0, high=100, granularity=10)
    >>> found.slack, found.monotone, sorted(found.evaluations)
    (50, True, [0, 20, 30, 40, 50, 60, 100])
    """
    _check_range(low, high, granularity)
    tried = _Tried(run, target_share, low, high, granularity)
    last = -(-(high - low) // granularity)
    if not tried.reaches(last):
        return tried.conclude(None)
    first = 0 if tried.reaches(0) else _bisect(tried, 0, last)
    for neighbor in (first - 1, first + 1):
        if 0 <= neighbor <= last:
            tried.reaches(neighbor)
    return tried.conclude(first)


@dataclass(slots=True)
class _Tried:
    """The grid of slacks, by position, and what is known of it."""

    run: Callable[[int], float]
    target_share: float
    low: int
    high: int
    granularity: int
    evaluations: dict[int, float] = field(default_factory=dict)

    def slack(self, position: int) -> int:
        return min(self.low + position * self.granularity, self.high)

    def reaches(self, position: int) -> bool:
        slack = self.slack(position)
        if slack not in self.evaluations:
            self.evaluations[slack] = self.run(slack)
        return self.evaluations[slack] >= self.target_share

    def conclude(self, position: int | None) -> Hindsight:
        reached = [share >= self.target_share for _, share in sorted(self.evaluations.items())]
        slack = None if position is None else self.slack(position)
        return Hindsight(slack, self.evaluations, reached == sorted(reached))


def _bisect(tried: _Tried, short: int, enough: int) -> int:
    while enough - short > 1:
        middle = (short + enough) // 2
        if tried.reaches(middle):
            enough = middle
        else:
            short = middle
    return enough


def _check_range(low: int, high: int, granularity: int) -> None:
    if granularity <= 0:
        raise ParameterError("granularity", granularity, must="be > 0", remedy="10_000 us is what JI16 searches by")
    if not 0 <= low <= high:
        raise ParameterError("low", low, must=f"be >= 0 and at most high ({high})", remedy="use low=0")


@dataclass(frozen=True, slots=True)
class BestSlacks:
    """The smallest slack for each interval; where none reached the target, the largest tried."""

    slack: Times
    reached: Mask
    average: float


def best_per_interval(recall_surface: Floats, slacks: Times, target: float) -> BestSlacks:
    """Pick, interval by interval, the smallest slack whose recall reaches the target, each interval by itself.

    `recall_surface` has a row for each of the ascending `slacks` and a column for each interval: the recall of the
    period that ends there if the slack had been that one all along. So no constant slack does with less in any
    interval, but a slack that changes within a period may: a mark for controllers, not a bound that none can pass.

    >>> best = best_per_interval(np.array([[0.9, 0.5, 0.1], [1.0, 0.95, 0.2]]), np.array([0, 10]), target=0.9)
    >>> best.slack.tolist(), best.reached.tolist(), round(best.average, 2)
    ([0, 10, 10], [True, True, False], 6.67)
    """
    _check_surface(recall_surface, slacks)
    enough = reaches(recall_surface, target)
    reached: Mask = np.any(enough, axis=0)
    smallest = np.where(reached, enough.argmax(axis=0), len(slacks) - 1)
    slack = np.asarray(slacks, np.int64)[smallest]
    return BestSlacks(slack, reached, float(slack.mean()) if len(slack) else 0.0)


def _check_surface(recall_surface: Floats, slacks: Times) -> None:
    if recall_surface.ndim != 2 or len(recall_surface) != len(slacks):
        must = f"have a row for each of {len(slacks)} slacks"
        raise ParameterError("recall_surface", recall_surface.shape, must=must, remedy="one column per interval")
    if not len(slacks) or (np.diff(slacks) <= 0).any():
        raise ParameterError("slacks", slacks, must="be one or more, ascending", remedy="sort rows and slacks together")
