"""Results of an aggregate at every slack, kept until no event that late is to be expected any more.

For each window that is watched there are the states of its groups by the slack that their events need, in bins of 2 %.
What a slack needs is also when it comes: events that need no more than `a` have all come once the clock is `a` past the
end of their window. So a result can be judged at any age from its cells alone, however the stream is cut into batches:
the value with all events of that age is taken for the true one, and later, when the window is twice as old, again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from slackwater.core.cells import Cells, Input
from slackwater.core.panes import Panes
from slackwater.core.result_steps import ResultSteps
from slackwater.estimate.kernels import MOST_BINS
from slackwater.estimate.needed_slack import bin_of, slack_of_bin
from slackwater.time import BEFORE_ALL_TIME, first_window, slack_to_stay_open

if TYPE_CHECKING:
    from slackwater.core.algebra import Algebra
    from slackwater.core.arrivals import Arrivals
    from slackwater.events import Rows
    from slackwater.time import Times

_OVERLAP = 4  # windows that overlap more are nearly the same: of those only some are watched
_DOUBLING = 35  # bins: 1.02 ** 35 is 2
_LEAST, _MOST = 8, 512  # windows that are kept after their end
_LONGER = 4  # how many times as long as any event has needed so far, within these limits


@dataclass(frozen=True, slots=True)
class LedgerState:
    """All that a ledger remembers."""

    clock: int | None = None
    whole: int | None = None  # windows that end before it began before the stream did: they are like no other
    longest: int = 0  # that an event needed so far
    gone: int = BEFORE_ALL_TIME  # windows that end before it are not kept any more
    windows: Mapping[int, Cells] = field(default_factory=dict)  # the place of a cell is its bin of slack


@dataclass(frozen=True, slots=True)
class Judged:
    """Windows at some age, by when that is: from which slack on their results are within the bound."""

    due: Times  # the clock at which a window has that age
    end: Times  # of the window
    edges: Rows  # of each, where its bins begin; and one more
    bins: Rows  # of each result, the bin of the slack that it needs

    def __len__(self) -> int:
        return len(self.due)

    def of(self, number: int) -> Rows:
        """Return the bins of one."""
        return self.bins[self.edges[number] : self.edges[number + 1]]


@dataclass(frozen=True, slots=True)
class ResultLedger:
    """Which results are watched, and when they are good enough; `functions` has None where a value does not count."""

    panes: Panes
    functions: tuple[Algebra, ...]
    counted: tuple[bool, ...]
    bound: float
    youngest: int  # the age at which windows are judged first, in us
    most: int | None = None  # the longest wait that makes sense

    @property
    def watched(self) -> Panes:
        """The windows that are watched: all, or every so many."""
        stride = max(1, self.panes.size // self.panes.slide // _OVERLAP)
        return Panes(self.panes.size, self.panes.slide * stride)

    def build(self, state: LedgerState | None = None) -> ResultLedgerLogic:
        """Start anew, or go on from a saved state."""
        return ResultLedgerLogic(self, state or LedgerState())


class ResultLedgerLogic:
    """Logic of `ResultLedger`. Holds cells for at most 512 windows after their end, mostly for a few."""

    def __init__(self, config: ResultLedger, state: LedgerState) -> None:
        self._config = config
        self._panes = config.watched
        self._clock, self._whole = state.clock, state.whole
        self._longest, self._gone = state.longest, state.gone
        self._held = dict(state.windows)
        first = int(bin_of(np.array([config.youngest]))[0])
        self._ages = [0, *range(first, MOST_BINS, _DOUBLING)]  # in bins; none is judged at age 0
        self._age_us = np.array([slack_of_bin(number) for number in self._ages])

    def on_batch(self, arrivals: Arrivals, group: Rows, inputs: Sequence[Input]) -> Judged:
        """Take in events, each with its group and its values; judge windows that come of age on the way."""
        if not arrivals.steps:
            return _none()
        if self._whole is None:
            first = int(
                arrivals.arrived_by(np.zeros(1, np.int64))[0]
            )  # all that came first together: they have no order
            self._whole = int(arrivals.events.time[:first].min()) + self._panes.size
        gone = self._frontier(arrivals)
        steps = ResultSteps.of_events(
            self._panes, self._config.functions, arrivals, group, inputs, not_before=arrivals.per_event(gone)
        )
        self._add(steps.in_bins(self._config.functions))
        judged = self._judge(arrivals.clock, gone)
        self._clock, self._gone = int(arrivals.clock[-1]), int(gone[-1])
        return judged

    def forget(self) -> None:
        """Drop windows that no event can reach any more."""
        ends = self.ends
        for window in self._numbers[ends < self._gone].tolist():
            del self._held[window]

    def on_end(self) -> None:
        """Let go of all windows: what the end of the input has closed says nothing about waiting."""
        if len(self._held):
            self._gone = max(self._gone, int(self.ends[-1]) + 1)
        self._held = {}

    @property
    def ends(self) -> Times:
        """The ends of the windows that are held, in ascending order."""
        return self._panes.ends(self._numbers)

    @property
    def gone(self) -> int:
        """Windows that end before it get no more events."""
        return self._gone

    def ends_reached(self, clock: Times, reached: Times, closed_to: int) -> Times:
        """Return the ends of windows that closed, step by step, and that events may still come to: all, held or not.

        `reached` is how far windows are closed after each step, `closed_to` how far before the first.
        """
        slide = self._panes.slide
        closed = np.concatenate(([closed_to], reached[:-1]))
        first = np.maximum(closed, clock - self._limits[1]) // slide + 1  # an end at either is no new one
        count = np.maximum(reached // slide - first + 1, 0)
        within = np.arange(int(count.sum())) - np.repeat(np.cumsum(count) - count, count)
        ends: Times = (np.repeat(first, count) + within) * slide
        return ends

    def snapshot(self) -> LedgerState:
        """Return all that is needed to go on. Cells are replaced, never changed."""
        return LedgerState(self._clock, self._whole, self._longest, self._gone, dict(self._held))

    @property
    def _numbers(self) -> Rows:
        return np.sort(np.fromiter(self._held, np.int64, len(self._held)))

    @property
    def _limits(self) -> tuple[int, int]:
        """For how long after its end a window is kept: at least, and at most."""
        least = max(_LEAST * self._panes.slide, _LONGER * self._config.youngest)
        most = _MOST * self._panes.slide if self._config.most is None else _LONGER * self._config.most
        return least, max(least, min(most, _MOST * self._panes.slide))

    def _frontier(self, arrivals: Arrivals) -> Times:
        """Return before which end windows are not kept any more, at each step: it never goes back."""
        before = arrivals.per_event(arrivals.before)
        first = self._panes.ends(first_window(arrivals.events.time, self._panes.slide))
        needed = slack_to_stay_open(first, before)
        longest = np.maximum.accumulate(np.maximum(needed, self._longest))
        # as the events before a step made it: an event must not make the room that it needs itself
        arrived = arrivals.arrived_by(np.arange(arrivals.steps - 1))
        known = np.concatenate(([self._longest], longest[arrived - 1]))
        self._longest = int(longest[-1])
        kept = np.clip(_LONGER * known, *self._limits)
        return np.maximum(np.maximum.accumulate(arrivals.before - kept), self._gone)

    def _add(self, steps: ResultSteps) -> None:
        steps = steps[self._panes.ends(steps.window) >= (self._whole or 0)]
        if not len(steps):
            return
        starts = np.flatnonzero(np.diff(steps.window, prepend=steps.window[0] - 1))
        bounds = [*starts.tolist(), len(steps)]
        for number, window in enumerate(steps.window[starts].tolist()):
            new = steps[bounds[number] : bounds[number + 1]].as_cells()
            old = self._held.get(window)
            self._held[window] = new if old is None else old.merged(new, self._config.functions)

    def _judge(self, clock: Times, gone: Times) -> Judged:
        """Judge the windows that come of an age, where anything has come since they were judged before."""
        since = BEFORE_ALL_TIME if self._clock is None else self._clock
        numbers, ends = self._numbers, self.ends
        parts: list[ResultSteps] = []
        due, end = [], []
        for window, ended in zip(numbers.tolist(), ends.tolist(), strict=True):
            low = max(int(np.searchsorted(self._age_us, since - ended, side="right")), 1)
            high = int(np.searchsorted(self._age_us, int(clock[-1]) - ended, side="right"))
            for age in range(low, high):
                at = ended + int(self._age_us[age])
                known = self._known_at(window, age)
                if known is not None and gone[np.searchsorted(clock, at)] <= ended:
                    parts.append(ResultSteps.of_cells(len(parts), known))
                    due.append(at)
                    end.append(ended)
        return self._needs(parts, np.array(due, np.int64), np.array(end, np.int64))

    def _known_at(self, window: int, age: int) -> Cells | None:
        """Return what has come of a window by an age; None if nothing has since the age before."""
        cells = self._held[window]
        stop = int(np.searchsorted(cells.place, self._ages[age], side="right"))
        before = int(np.searchsorted(cells.place, self._ages[age - 1], side="right")) if age > 1 else 0
        return cells[:stop] if stop > before else None

    def _needs(self, parts: list[ResultSteps], due: Times, end: Times) -> Judged:
        if not parts:
            return _none()
        functions = self._config.functions
        counted = [each if use else None for each, use in zip(functions, self._config.counted, strict=True)]
        needs = ResultSteps.concat(parts, functions).needs(counted, self._config.bound)
        edges = np.searchsorted(needs.window, np.arange(len(parts) + 1))
        order = np.argsort(due, kind="stable")
        bins = needs.slack
        sorted_bins = [bins[edges[place] : edges[place + 1]] for place in order.tolist()]
        sizes = np.diff(edges)[order]
        return Judged(due[order], end[order], np.concatenate(([0], np.cumsum(sizes))), np.concatenate(sorted_bins))


def _none() -> Judged:
    empty = np.empty(0, np.int64)
    return Judged(empty, empty, np.zeros(1, np.int64), empty)
