"""What every result of an aggregate would have been at every slack.

A window that ends at `end` gets, with a constant slack K, the events that came before the clock was K past its end:
those that need no more than K (`time.slack_to_stay_open`). So the value of a result is a step function of the slack,
which changes where one of its events is needed, and the last value is the true one. Nothing has to be run again to
know what another slack would have given, and it does not matter which slack was in force.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from slackwater.core.algebra import Algebra, State, joined_states, scan, taken
from slackwater.core.cells import Cells, Input
from slackwater.core.segments import differs, slots_of, spread_over
from slackwater.estimate.needed_slack import bin_of
from slackwater.models.relative_error import is_within, relative_error
from slackwater.time import first_open_window, first_window, last_window, slack_to_stay_open

if TYPE_CHECKING:
    from slackwater.core.arrivals import Arrivals
    from slackwater.core.panes import Panes
    from slackwater.events import Rows
    from slackwater.time import Mask, Times


@dataclass(frozen=True, slots=True)
class ResultSteps:
    """Steps by (window, group, slack), each once: what the events that need this slack add to the result."""

    window: Rows
    group: Rows
    slack: Times  # or its bin
    states: tuple[State, ...]

    def __len__(self) -> int:
        return len(self.window)

    def __getitem__(self, which: Rows | slice | Mask) -> ResultSteps:
        states = tuple(taken(state, which) for state in self.states)
        return ResultSteps(self.window[which], self.group[which], self.slack[which], states)

    @classmethod
    def of_events(
        cls,
        panes: Panes,
        functions: Sequence[Algebra],
        arrivals: Arrivals,
        group: Rows,
        inputs: Sequence[Input],
        *,
        not_before: Times | None = None,
    ) -> ResultSteps:
        """Find the steps that events make; `group` and `inputs` have an entry for each event. Nothing is rounded.

        With `not_before` an event makes none in windows that end before the time that it says for it.

        O(events + cells x overlap) for events that no window ended before, the overlap for each of the others.
        """
        time, before = arrivals.events.time, arrivals.per_event(arrivals.before)
        behind = first_window(time, panes.slide) < first_open_window(before, panes.slide)
        usual, late = np.flatnonzero(~behind), np.flatnonzero(behind)
        parts = []
        if len(usual):
            which = slice(None) if not len(late) else usual
            cells = Cells.of(functions, panes.of(time[which]), group[which], [each[which] for each in inputs])
            parts.append(_of_cells(cells, panes))
        if len(late):
            spans = first_window(time[late], panes.slide), last_window(time[late], panes.size, panes.slide)
            event, window = spread_over(late, *spans)
            if not_before is not None:
                counts = panes.ends(window) >= not_before[event]
                event, window = event[counts], window[counts]
            slack = slack_to_stay_open(panes.ends(window), before[event])
            parts.append(_of_late(functions, window, slack, group[event], [each[event] for each in inputs]))
        return cls.concat(parts, functions)

    @classmethod
    def of_cells(cls, window: int, cells: Cells) -> ResultSteps:
        """Return the steps of one window; the place of a cell is its slack."""
        order = np.argsort(cells.group, kind="stable")
        place = np.full(len(cells), window, np.int64)
        return cls(place, cells.group[order], cells.place[order], tuple(taken(state, order) for state in cells.states))

    def as_cells(self) -> Cells:
        """Return the steps of one window, as cells whose place is the slack."""
        order = np.lexsort((self.group, self.slack))
        return Cells(self.slack[order], self.group[order], tuple(taken(state, order) for state in self.states))

    @classmethod
    def concat(cls, parts: Sequence[ResultSteps], functions: Sequence[Algebra]) -> ResultSteps:
        """Put steps together; there must be some."""
        if len(parts) == 1:
            return parts[0].combined(functions)
        return cls(
            np.concatenate([part.window for part in parts]),
            np.concatenate([part.group for part in parts]),
            np.concatenate([part.slack for part in parts]),
            tuple(map(joined_states, zip(*(part.states for part in parts), strict=True))),
        ).combined(functions)

    def combined(self, functions: Sequence[Algebra]) -> ResultSteps:
        """Return the steps in order; those of equal window, group and slack become one. O(n log n)."""
        order = np.lexsort((self.slack, self.group, self.window))
        mine = self[order]
        begins = differs(mine.window) | differs(mine.group) | differs(mine.slack)
        if begins.all():
            return mine
        states = tuple(scan(each, state, begins) for each, state in zip(functions, mine.states, strict=True))
        last = np.flatnonzero(np.append(begins[1:], True))
        return ResultSteps(mine.window, mine.group, mine.slack, states)[last]

    def in_bins(self, functions: Sequence[Algebra]) -> ResultSteps:
        """Return the steps with bins in the place of slacks."""
        return replace(self, slack=bin_of(self.slack)).combined(functions)

    def needs(self, functions: Sequence[Algebra | None], bound: float) -> ResultNeeds:
        """Find which slacks keep a bound; None in place of a function: its value does not count."""
        begins = differs(self.window) | differs(self.group)
        return ResultNeeds(self, begins, _within(self.states, functions, begins, bound))


@dataclass(frozen=True, slots=True)
class ResultNeeds:
    """From which slack on results are within a bound."""

    steps: ResultSteps
    begins: Mask  # the first step of each result
    within: Mask  # whether the result is within the bound with the slack of a step, and up to that of the next

    @property
    def window(self) -> Rows:
        """The window of each result."""
        return self.steps.window[self.begins]

    @property
    def slack(self) -> Times:
        """Return the smallest slack from which on each result is within the bound, with every larger one too."""
        starts = np.flatnonzero(self.begins)
        if not len(starts):
            return np.empty(0, np.int64)
        last_bad = np.maximum.reduceat(np.where(self.within, -1, np.arange(len(self.within))), starts)
        return self.steps.slack[np.where(last_bad >= 0, last_bad + 1, starts)]

    def changes(self) -> tuple[Times, Rows]:
        """Return the slacks at which results come within the bound (+1) or leave it again (-1): exact, for a constant.

        A result that has no step yet is not emitted, which no bound allows.
        """
        before = np.concatenate(([False], self.within[:-1])) & ~self.begins
        change = self.within.astype(np.int64) - before
        some = np.flatnonzero(change)
        return self.steps.slack[some], change[some]


def _within(states: Sequence[State], functions: Sequence[Algebra | None], begins: Mask, bound: float) -> Mask:
    """Compare the value at each step with that of the last step of its result."""
    starts = np.flatnonzero(begins)
    last = np.repeat(np.append(starts[1:], len(begins)) - 1, np.diff(np.append(starts, len(begins))))
    within = np.ones(len(begins), np.bool_)
    for function, state in zip(functions, states, strict=True):
        if function is not None:
            values, valid = function.lower(scan(function, state, begins))
            due = None if valid is None else valid[last]
            error = relative_error(values, values[last], emitted_valid=valid, true_valid=due)
            within &= is_within(error, bound)
    return within


def _of_cells(cells: Cells, panes: Panes) -> ResultSteps:
    """Spread the cells of panes over their windows; their events came before any of these ended."""
    first, last = panes.first_window(cells.place), panes.last_window(cells.place)
    which, window = spread_over(np.arange(len(cells)), first, last)
    states = tuple(taken(state, which) for state in cells.states)
    return ResultSteps(window, cells.group[which], np.zeros(len(which), np.int64), states)


def _of_late(
    functions: Sequence[Algebra], window: Rows, slack: Times, group: Rows, inputs: Sequence[Input]
) -> ResultSteps:
    place, position, slots = slots_of([window, slack])
    occurs = np.flatnonzero(position >= 0)
    cells = Cells.of(functions, place, group, inputs)
    where = np.full(slots, -1, np.int64)
    where[occurs] = position[occurs]
    return ResultSteps(window[where[cells.place]], cells.group, slack[where[cells.place]], cells.states)
