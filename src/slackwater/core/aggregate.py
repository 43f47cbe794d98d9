"""Window aggregates over a disordered stream: events go straight into panes, windows close behind the horizon.

PROD chapter 2, with the horizon in the place of punctuations. No event waits: the clock alone says when a window
`[start, end)` is complete enough to be emitted (`horizon >= end`), and then it never changes. An event is late if all
its windows were closed before its step; if only some were, it counts in the others.

As in `core/reorder.py` a batch is a set computation. An event of step s is in window w iff w covers it and was open
before s. For most events all their windows were: they go into their panes, and the windows that close are rolled up
from these. The others (*stragglers*) came behind the horizon of their own batch: they are added to each window that
closes in the batch after they came, and go into their panes only then.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from slackwater.core.arrivals import Arrivals
from slackwater.core.cells import Cells, Input
from slackwater.core.open_panes import OpenPanes
from slackwater.time import BEFORE_ALL_TIME, first_open_window, first_window, last_window, release_horizon

if TYPE_CHECKING:
    from slackwater.core.algebra import Algebra
    from slackwater.core.panes import Panes
    from slackwater.events import Events, Rows
    from slackwater.time import Times


@dataclass(frozen=True, slots=True)
class AggregateState:
    """All that an aggregate remembers: the clock, how far windows are closed, and the cells of each open pane."""

    clock: int | None = None
    reached: int | None = None  # the largest horizon so far: what it closed stays closed
    panes: Mapping[int, Cells] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class WindowAggregate:
    """What is to be computed for each window and group."""

    panes: Panes
    functions: tuple[Algebra, ...]

    def build(self, state: AggregateState | None = None) -> WindowAggregateLogic:
        """Start anew, or go on from a saved state."""
        return WindowAggregateLogic(self, state or AggregateState())


@dataclass(frozen=True, slots=True)
class Closed:
    """What a batch led to: the windows that closed, and the events that came too late."""

    windows: Cells | None  # by (window, group)
    late: Rows  # positions of late events in the batch
    late_behind: Times  # and how far windows were closed when each came
    _ends: Times  # sorted ends of these windows
    _reached: Times  # the largest horizon so far, by step
    _late_steps: Rows

    def results_by(self, step: Rows) -> Rows:
        """How many results of the batch there were after each of these steps."""
        return np.asarray(np.searchsorted(self._ends, self._reached[step], side="right"), np.int64)

    def late_by(self, step: Rows) -> Rows:
        """How many events of the batch had been late after each of these steps."""
        return np.asarray(np.searchsorted(self._late_steps, step, side="right"), np.int64)


@dataclass(frozen=True, slots=True)
class Placed:
    """Which windows events come in time for: `entry` to `last`; none if entry > last."""

    reached: Times  # the largest horizon so far, after each step
    before: Times  # and before the step of each event
    first: Rows  # the first window that covers each event
    entry: Rows  # the first of them that was still open when it came
    last: Rows  # the last window that covers it

    @classmethod
    def of(cls, panes: Panes, arrivals: Arrivals, slack: Times | int, closed_to: int) -> Placed:
        """Place events; `closed_to` is the largest horizon before them."""
        reached = np.maximum.accumulate(np.maximum(release_horizon(arrivals.clock, slack), closed_to))
        before = arrivals.per_event(np.concatenate(([closed_to], reached[:-1])))
        first = first_window(arrivals.events.time, panes.slide)
        entry = np.maximum(first, first_open_window(before, panes.slide))
        return cls(reached, before, first, entry, last_window(arrivals.events.time, panes.size, panes.slide))

    @property
    def late(self) -> Rows:
        """The positions of events whose windows were all closed."""
        return np.flatnonzero(self.entry > self.last)

    def straggling(self, opened: int) -> Rows:
        """The positions of events that missed some windows, but not all, of those open at the start of the batch."""
        return np.flatnonzero((self.entry > np.maximum(self.first, opened)) & (self.entry <= self.last))


class WindowAggregateLogic:
    """Holds one cell for each open pane and group. O(n) for a batch of n events, besides the windows that it closes.

    >>> from slackwater.core.algebra import Sum
    >>> from slackwater.core.panes import Panes
    >>> from slackwater.events import Events
    >>> logic = WindowAggregate(Panes(size=20, slide=10), (Sum(),)).build()
    >>> volume = Input(np.array([25, 20, 30, 7]))
    >>> arrivals = logic.arrive(Events.of([11, 15, 31, 2]))
    >>> out = logic.on_batch(arrivals, np.zeros(4, np.int64), [volume], slack=0)
    >>> out.windows.place.tolist(), out.windows.states[0][0].tolist(), out.late.tolist()
    ([1, 2], [45, 45], [3])
    """

    def __init__(self, config: WindowAggregate, state: AggregateState) -> None:
        self._panes, self._functions = config.panes, config.functions
        self._clock, self._reached = state.clock, state.reached
        self._held = _opened(config, state.panes)

    def arrive(self, events: Events) -> Arrivals:
        """Place events, in arrival order, behind those that arrived before. Changes nothing yet."""
        return Arrivals.after(self._clock, events)

    def on_batch(self, arrivals: Arrivals, group: Rows, inputs: Sequence[Input], *, slack: Times | int) -> Closed:
        """Take in events, each with its group and its values, and close what the horizon reaches."""
        if not arrivals.steps:
            return _nothing()
        placed = Placed.of(self._panes, arrivals, slack, self.closed_to)
        opened = first_open_window(self.closed_to, self._panes.slide)
        stopped = first_open_window(int(placed.reached[-1]), self._panes.slide)
        late, straggling = placed.late, placed.straggling(opened)
        time = arrivals.events.time
        self._put(time, group, inputs, _others(len(time), late, straggling))
        windows = self._held.closed(opened, stopped)
        if len(straggling):
            came = straggling[placed.entry[straggling] < stopped]
            spans = placed.entry[came], np.minimum(placed.last[came], stopped - 1)
            windows = self._with_stragglers(windows, *spans, group[came], _of(inputs, came))
            self._put(time, group, inputs, straggling[placed.last[straggling] >= stopped])
        self._clock, self._reached = int(arrivals.clock[-1]), int(placed.reached[-1])
        ends = np.empty(0, np.int64) if windows is None else self._panes.ends(windows.place)
        return Closed(windows, late, placed.before[late], ends, placed.reached, arrivals.step_of(late))

    def on_punctuation(self, time: int) -> Closed:
        """Close what ends up to this time, as if the horizon had reached it."""
        opened = first_open_window(self.closed_to, self._panes.slide)
        windows = self._held.closed(opened, first_open_window(time, self._panes.slide))
        self._reached = max(time, self.closed_to)
        return _nothing(windows)

    def on_end(self) -> Closed:
        """Drain: close every window that has events."""
        if not self._held:
            return _nothing()
        last = self._panes.last_window(np.array([max(self._held)]))
        return self.on_punctuation(max(int(self._panes.ends(last)[0]), self.closed_to))

    def snapshot(self) -> AggregateState:
        """Return all that is needed to go on."""
        return AggregateState(self._clock, self._reached, self._held.copy())

    @property
    def panes(self) -> OpenPanes:
        """The panes that windows still need, as they are now."""
        return self._held

    @property
    def clock(self) -> int | None:
        """The largest event time seen."""
        return self._clock

    @property
    def closed_to(self) -> int:
        """The largest horizon so far: windows that end up to it are closed."""
        return BEFORE_ALL_TIME if self._reached is None else self._reached

    def _put(self, time: Times, group: Rows, inputs: Sequence[Input], which: Rows | slice) -> None:
        """Add events to their panes."""
        time = time[which]
        if not len(time):
            return
        self._held.add(Cells.of(self._functions, self._panes.of(time), group[which], _of(inputs, which)))

    def _with_stragglers(
        self, windows: Cells | None, first: Rows, last: Rows, group: Rows, inputs: Sequence[Input]
    ) -> Cells | None:
        """Add events to the windows `first` to `last`: those that closed in this batch after they came."""
        if not len(first):
            return windows
        count = last - first + 1
        which = np.repeat(np.arange(len(first)), count)
        nth = np.arange(len(which)) - np.repeat(np.cumsum(count) - count, count)
        more = Cells.of(self._functions, first[which] + nth, group[which], _of(inputs, which))
        return more if windows is None else windows.merged(more, self._functions)


def _opened(config: WindowAggregate, panes: Mapping[int, Cells]) -> OpenPanes:
    return panes.copy() if isinstance(panes, OpenPanes) else OpenPanes(config.panes, config.functions, panes)


def _of(inputs: Sequence[Input], which: Rows | slice) -> list[Input]:
    return [each[which] for each in inputs]


def _others(count: int, late: Rows, straggling: Rows) -> Rows | slice:
    """Return the positions of all other events; all of them, mostly, so that nothing is gathered."""
    if not len(late) and not len(straggling):
        return slice(None)
    usual = np.ones(count, np.bool_)
    usual[late] = usual[straggling] = False
    return np.flatnonzero(usual)


def _nothing(windows: Cells | None = None) -> Closed:
    none = np.empty(0, np.int64)
    return Closed(windows, none, none, none, none, none)
