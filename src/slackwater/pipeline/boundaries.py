"""When decisions fall due, and what is written down about them.

The clock of adaptation is the event time of the raw input: were it that of the results, a raised slack would stall
adaptation. A silence that jumps over several boundaries at once gives one decision.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from slackwater.control.controller import estimated_by
from slackwater.time import intervals_passed

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from slackwater.contracts import Contract
    from slackwater.core.arrivals import Arrivals
    from slackwater.core.merged import MergedArrivals
    from slackwater.events import Rows
    from slackwater.measurement import Counts, Numbers
    from slackwater.time import Times

    # After each of these steps, how many events had arrived, been released, been late, and how many results there
    # were: from the start of the stream.
    CountsBy = Callable[[Rows], tuple[Rows, Rows, Rows, Rows]]


@dataclass(frozen=True, slots=True)
class Decisions:
    """Decisions as columns; the counts are from the start of the stream."""

    at: Times
    intervals: Rows
    slack: Times
    max_delay: Times
    arrived: Rows
    released: Rows
    late: Rows
    results: Rows
    estimated: Numbers  # nan where there is none
    measured: Numbers
    past: Rows  # events past a deadline, since the decision before: slack-ready, or waited for all the same

    @classmethod
    def none(cls) -> Decisions:
        """No decisions."""
        empty, unknown = np.empty(0, np.int64), np.empty(0)
        return cls(empty, empty, empty, empty, empty, empty, empty, empty, unknown, unknown, empty)

    def __len__(self) -> int:
        return len(self.at)

    @classmethod
    def concat(cls, parts: Sequence[Decisions]) -> Decisions:
        """Put decisions one after the other."""
        parts = [part for part in parts if len(part)]
        return cls(*map(np.concatenate, zip(*(part.columns() for part in parts), strict=True))) if parts else cls.none()

    def columns(self) -> tuple[Any, ...]:
        """Return the columns in the order of the fields."""
        return tuple(getattr(self, field.name) for field in fields(self))

    def as_columns(self, contract: Contract) -> dict[str, Any]:
        """Return the columns under the names of the decisions schema, qualities in the terms of the contract."""
        return {
            "at": self.at,
            "slack": self.slack,
            "max_delay": self.max_delay,
            "arrived": self.arrived,
            "released": self.released,
            "late": self.late,
            "buffered": self.arrived - self.released - self.late,
            "results": self.results,
            "slack_ready": contract.slack_ready(self.past),
            "ruled": contract.ruled(self.slack, self.past),
            "estimated": pa.array(contract.shown(self.estimated), from_pandas=True),
            "measured": pa.array(contract.shown(self.measured), from_pandas=True),
        }


def with_estimate(decisions: Decisions, controller: object) -> Decisions:
    """Write down what a controller expected of the slack that was in force."""
    estimated = estimated_by(controller)
    if estimated is None:
        return decisions
    return replace(decisions, estimated=np.full(len(decisions), float(estimated)))


def stretches_of(crossed: Rows, steps: int) -> list[tuple[int, int]]:
    """Cut steps `[start, stop)` where a boundary is crossed: the step that crosses it belongs to what it ends.

    >>> stretches_of(np.array([1, 4]), 6), stretches_of(np.array([1, 4]), 5)
    ([(0, 2), (2, 5), (5, 6)], [(0, 2), (2, 5)])
    """
    edges = [0, *(crossed + 1).tolist(), steps]
    return [(start, stop) for start, stop in pairwise(edges) if start < stop]


class Boundaries:
    """Follows the clock from boundary to boundary and keeps the largest delay since the last one."""

    def __init__(self, interval: int, *, clock: int | None = None, max_delay: int = 0) -> None:
        self._interval = interval
        # The number of the interval that the clock is in: not saved, since another contract counts other intervals.
        self._current = None if clock is None else int(intervals_passed(clock, interval))
        self._max_delay = max_delay

    @property
    def max_delay(self) -> int:
        """The largest delay since the last boundary: all that must be saved besides the clock."""
        return self._max_delay

    def crossed(self, clock: Times) -> Rows:
        """Return the steps at which a boundary is crossed; the first event of a stream crosses none."""
        if not len(clock):
            return np.empty(0, np.int64)
        before, last = self._before(clock), int(intervals_passed(int(clock[-1]), self._interval))
        if last - before > len(clock):  # a silence, or fewer events than intervals: look at every step instead
            return np.flatnonzero(np.diff(np.asarray(intervals_passed(clock, self._interval)), prepend=before))
        limits = np.arange(before + 1, last + 1, dtype=np.int64) * self._interval
        steps = np.searchsorted(clock, limits, side="left")
        return steps if len(steps) < 2 else steps[np.append(True, steps[1:] > steps[:-1])]

    def passed(self, clock: Times, steps: Rows) -> Rows:
        """Return how many boundaries are crossed at each of the steps that cross any: several after a silence."""
        if not len(steps):
            return np.empty(0, np.int64)
        numbers = np.asarray(intervals_passed(clock[steps], self._interval))
        passed = numbers.copy()
        passed[0] -= self._before(clock)
        passed[1:] -= numbers[:-1]
        return passed

    def pass_over(
        self, arrivals: Arrivals | MergedArrivals, steps: Rows, slack: Times, counts_by: CountsBy
    ) -> Decisions:
        """Move on, and write down one decision for each of the steps that have `crossed` a boundary."""
        if not arrivals.steps:
            return Decisions.none()
        intervals = self.passed(arrivals.clock, steps)
        self._current = self._before(arrivals.clock) + int(intervals.sum())
        arrived, released, late, results = counts_by(steps)
        unknown = np.full(len(steps), np.nan)
        return Decisions(
            at=arrivals.clock[steps],
            intervals=intervals,
            slack=slack[steps],
            max_delay=self._max_delays(arrivals, steps),
            arrived=arrived,
            released=released,
            late=late,
            results=results,
            estimated=unknown,
            measured=unknown,
            past=np.zeros(len(steps), np.int64),
        )

    def close(self, clock: int | None, slack: int, counts: Counts, results: int) -> Decisions:
        """Write down a last decision, at the end of the input."""
        if clock is None:
            return Decisions.none()
        numbers = (clock, 1, slack, self._max_delay, counts.arrived, counts.released, counts.late, results)
        self._max_delay = 0
        at, *rest = (np.array([number], np.int64) for number in numbers)
        intervals, of_slack, max_delay, arrived, released, late, completed = rest
        unknown = np.full(1, np.nan)
        none = np.zeros(1, np.int64)
        return Decisions(
            at, intervals, of_slack, max_delay, arrived, released, late, completed, unknown, unknown, past=none
        )

    def _before(self, clock: Times) -> int:
        """Return the number of the interval before these steps; the first event of a stream begins one."""
        return int(intervals_passed(int(clock[0]), self._interval)) if self._current is None else self._current

    def _max_delays(self, arrivals: Arrivals | MergedArrivals, steps: Rows) -> Times:
        """Return the largest delay up to each boundary since the one before, and remember that of the rest."""
        if not len(steps) or steps[0] == arrivals.steps - 1:  # a part of one interval, whether or not it ends it
            largest_of_all = max(arrivals.max_delay, self._max_delay)
            self._max_delay = 0 if len(steps) else largest_of_all
            return np.full(len(steps), largest_of_all)
        starts = np.concatenate(([0], steps + 1))
        padded = np.append(arrivals.largest_delay, 0)  # so that nothing after the last boundary is a delay of zero
        largest = np.maximum.reduceat(padded, starts)
        largest[0] = max(int(largest[0]), self._max_delay)
        self._max_delay = int(largest[-1])
        return largest[:-1]
