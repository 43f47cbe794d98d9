"""Window aggregates over an out-of-order stream: events go straight into panes, windows close behind the horizon.

PROD chapter 2, with the horizon in the place of punctuations. No event waits: the clock alone says when a window
`[start, end)` is complete enough to be emitted (`horizon >= end`), and then it never changes. An event is late if all
its windows were closed before its step; if only some were, it counts in the others.

As in `core/reorder.py` a batch is a set computation. An event of step s is in window w iff w covers it and was open
before s. For most events all their windows were: they go into their panes, and the windows that close are rolled up
from these. The others (*stragglers*) came behind the horizon of their own batch: they are added to each window that
closes in the batch after they came, and go into their panes only then.

A punctuation of the input closes windows as the horizon does. A prod shows windows that are still open: they are rolled
up from the same panes, which stay (PROD's rule R1: the topmost operator keeps its state).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from slackwater.core.aggregate_state import AggregateState
from slackwater.core.arrivals import Arrivals
from slackwater.core.cells import Cells, Input
from slackwater.core.closing import Closed, Placed, in_order
from slackwater.core.early_windows import Batch, Showing, rolled, usual_ones
from slackwater.core.empty_windows import EmptyWindows
from slackwater.core.open_panes import OpenPanes
from slackwater.core.punctuations import Promised, Punctuation
from slackwater.core.revisions import Revisions
from slackwater.core.segments import differs, spread_over
from slackwater.time import (
    AFTER_ALL_TIME,
    BEFORE_ALL_TIME,
    first_open_window,
    first_window_since,
    last_closed_end,
    last_window_until,
    window_end,
)

if TYPE_CHECKING:
    from slackwater.core.algebra import Algebra
    from slackwater.core.panes import Panes
    from slackwater.core.prods import Ask
    from slackwater.events import Events, Rows
    from slackwater.time import Mask, Times


_NONE = np.empty(0, np.int64)
Extra: TypeAlias = "tuple[Times, Rows, Sequence[Input]]"


@dataclass(frozen=True, slots=True)
class WindowAggregate:
    """What is to be computed for each window and group."""

    panes: Panes
    functions: tuple[Algebra, ...]
    numbered: bool = False  # whether results have numbers: the first of a window and group is 0
    with_empty: bool = False  # whether windows without events are reported too
    reach: int | None = None  # and then, for how many windows after its last event a group is; None: for all

    def build(self, state: AggregateState | None = None) -> WindowAggregateLogic:
        """Start anew, or go on from a saved state."""
        return WindowAggregateLogic(self, state or AggregateState())


class WindowAggregateLogic:
    """Holds one cell for each open pane and group. O(n) for a batch of n events, besides the windows that it closes.

    In memory, cells of a batch stay together: until the last of their panes has closed.

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
        self._promised, self._revisions = state.promised, Revisions(state.shown)
        self._numbered = config.numbered
        self._empty = EmptyWindows(config.functions, config.reach, state.seen) if config.with_empty else None

    def arrive(self, events: Events) -> Arrivals:
        """Place events, in arrival order, behind those that arrived before. Changes nothing yet."""
        return Arrivals.after(self._clock, events)

    def arrive_together(self, events: Events, *, weight: Rows, latest: int) -> Arrivals:
        """Place events of which some were added up by pane: they arrive in one step. Changes nothing yet."""
        return Arrivals.together(self._clock, events, weight=weight, latest=latest)

    def on_batch(
        self,
        arrivals: Arrivals,
        group: Rows,
        inputs: Sequence[Input],
        *,
        slack: Times | int,
        leads: Sequence[int] = (),
        last_is_quiet: bool = False,
        aside: Mask | None = None,
    ) -> Closed:
        """Take in events, each with its group and its values, and close what the horizon reaches.

        Each window is also shown early, so many us before its end as `leads` say; not after the last step if that is
        quiet. Events `aside` move the clock, but `take_back` adds them to their panes.
        """
        if not arrivals.steps:
            return self._closing(None)
        placed = Placed.of(self._panes, arrivals, slack, self.closed_to)
        opened = first_open_window(self.closed_to, self._panes.slide)
        stopped = first_open_window(int(placed.reached[-1]), self._panes.slide)
        late, straggling = placed.late, placed.straggling(opened)
        usual = usual_ones(len(arrivals.events), late, straggling.position, aside)
        batch = Batch(arrivals, placed, group, inputs, usual, straggling.position, aside)
        shown = self._put_and_show(batch, leads, arrivals.steps - last_is_quiet)
        windows = self._held.closed(opened, stopped)
        if len(straggling):
            close = straggling.entry < stopped
            came = straggling.position[close]
            spans = straggling.entry[close], np.minimum(straggling.last[close], stopped - 1)
            windows = self._with_stragglers(windows, *spans, group[came], _of(inputs, came))
            self._put(batch.pane(self._panes), group, inputs, straggling.position[straggling.last >= stopped])
        self._clock, self._reached = int(arrivals.clock[-1]), int(placed.reached[-1])
        windows = self._with_empty(windows, opened, stopped)
        early = [self._showing(found, showing) for showing, found in shown]
        closing = self._closing(windows, placed.reached, late, placed.late_closed)
        self._forget_shown()
        return in_order(closing, early)

    def on_punctuation(self, punctuation: Punctuation) -> Closed:
        """Close what ends up to its time, as if the horizon had reached it; of some groups only, if it says so.

        A range closes the windows that it covers together with the ranges that it meets.
        """
        promised = self._promised.after(punctuation)
        since, until = self._promised.around(punctuation)
        start = first_open_window(self.closed_to, self._panes.slide)
        stop = last_window_until(until, self._panes.slide) + 1
        if since is not None:
            start = max(start, first_window_since(since, self._panes.size, self._panes.slide))
        if punctuation.is_for_all:
            closing = self._closing(self._with_empty(self._held.closed(start, stop), start, stop))
            self._reached = max(punctuation.until, self.closed_to)
        else:
            closing = self._closing(self._closing_apart(punctuation, start, stop))
            self._purge(punctuation.groups, start, stop)
        self._promised = promised
        self._forget_shown()
        return closing

    def on_prod(self, asks: Sequence[Ask], also: Extra | None = None) -> tuple[Closed, list[int]]:
        """Show windows that are still open, and change nothing but their numbers; also say how many each ask got.

        `also` are events (time, group, inputs) that count in for this once.
        """
        held = self._held
        if also is not None:
            held.read_all()  # once for all prods of a batch: what a copy reads is forgotten with it
            self._held = held.copy()
            self._put(self._panes.of(also[0]), *also[1:], slice(None))
        try:
            return self._show(asks)
        finally:
            self._held = held

    def take_back(self, cells: Cells) -> Cells | None:
        """Add events that were set aside, as cells of panes; return what windows that are closed by now get of them."""
        opened = first_open_window(self.closed_to, self._panes.slide)
        still = self._panes.last_window(cells.place) >= opened
        if still.any():
            self._held.add(cells[still])
        apart = OpenPanes(self._panes, self._functions, {})
        apart.add(cells)
        found = apart.windows(BEFORE_ALL_TIME, AFTER_ALL_TIME if self._promised else opened)
        if found is None:
            return None
        return found[(found.place < opened) | self._promised.closed(self._panes, found)]

    def hand_over(self, last: int) -> Cells | None:
        """Return the windows up to `last` that are still open, and forget what they had. They must not overlap."""
        start = first_open_window(self.closed_to, self._panes.slide)
        found = self._roll(start, last + 1, None)
        self._purge(None, start, last + 1)
        return found if found is None else found[~self._promised.closed(self._panes, found)]

    def _show(self, asks: Sequence[Ask]) -> tuple[Closed, list[int]]:
        slide = self._panes.slide
        first = max(min(ask.first for ask in asks), first_open_window(self.closed_to, slide))
        last = max(ask.last for ask in asks)
        found = self._roll(first, last + 1, None)
        if found is None:
            return self._closing(None), [0] * len(asks)
        found = found[~self._promised.closed(self._panes, found)]
        matches = [ask.matches(found) for ask in asks]
        return self._closing(found[np.logical_or.reduce(matches)], final=False), [int(each.sum()) for each in matches]

    def on_end(self) -> Closed:
        """Drain: close every window that has events."""
        if not self._held:
            return self._closing(None)
        last = self._panes.last_window(np.array([max(self._held)]))
        stop = max(int(self._panes.ends(last)[0]), self.closed_to)
        opened = first_open_window(self.closed_to, self._panes.slide)
        stopped = first_open_window(stop, self._panes.slide)
        closing = self._closing(self._with_empty(self._held.closed(opened, stopped), opened, stopped))
        self._reached = stop
        self._forget_shown()
        return closing

    def close_until(self, time: int) -> None:
        """Close windows that end up to this time, given that they have no events: those that come for them are late."""
        self._reached = max(self.closed_to, time)

    def snapshot(self) -> AggregateState:
        """Return all that is needed to go on."""
        return AggregateState(
            self._clock, self._reached, self._held.copy(), self._promised, self._revisions.cells, self._seen
        )

    @property
    def panes(self) -> OpenPanes:
        """The panes that windows still need, as they are now."""
        return self._held

    @property
    def open_from(self) -> int:
        """The earliest time that is in a window which is still open."""
        return window_end(first_open_window(self.closed_to, self._panes.slide), self._panes.slide) - self._panes.size

    @property
    def closed_end(self) -> int:
        """The end of the last window that is closed for all groups."""
        return last_closed_end(self.closed_to, self._panes.slide)

    @property
    def slide(self) -> int:
        """How far apart windows are."""
        return self._panes.slide

    @property
    def promised(self) -> Promised:
        """What punctuations have said so far."""
        return self._promised

    @property
    def clock(self) -> int | None:
        """The largest event time seen."""
        return self._clock

    @property
    def closed_to(self) -> int:
        """The largest horizon so far: windows that end up to it are closed."""
        return BEFORE_ALL_TIME if self._reached is None else self._reached

    def _put(self, pane: Rows, group: Rows, inputs: Sequence[Input], which: Rows | slice) -> None:
        """Add events to their panes."""
        pane = pane[which]
        if len(pane):
            self._held.add(Cells.of(self._functions, pane, group[which], _of(inputs, which)))

    def _put_and_show(self, batch: Batch, leads: Sequence[int], steps: int) -> list[tuple[Showing, Cells]]:
        """Add events to their panes, and return what each lead shows of windows in these steps, the longest first."""
        earliest = min([batch.placed.earliest, *map(int, self._panes.first_window(self._held.numbers()))])
        asked = sorted(set(leads), reverse=True)
        due = [Showing.of(lead, batch.arrivals, steps, self._panes.slide, earliest) for lead in asked]
        due = [each for each in due if each.stop > each.start]
        if not due:
            self._put(batch.pane(self._panes), batch.group, batch.inputs, batch.usual)
            return []
        held, whole = self._held.cells(), None
        shown: list[tuple[Showing, Cells]] = []
        for showing in due:
            parts, panes = batch.fragments(self._panes, self._functions, showing)
            whole = panes if whole is None else whole
            parts[0] = parts[0] if held is None else held.merged(parts[0], self._functions)
            found = rolled(parts, self._panes, self._functions, start=showing.start, stop=showing.stop)
            if found is not None:
                shown.append((showing, self._still_open(found, showing, batch, [each for each, _ in shown])))
        if whole is not None and len(whole):
            self._held.add(whole)
        return shown

    def _still_open(self, found: Cells, showing: Showing, batch: Batch, others: Sequence[Showing]) -> Cells:
        """Leave out windows that close as they are shown, and those that another lead has shown after the same step."""
        ends = self._panes.ends(found.place)
        step = showing.steps_of(ends)
        wanted = batch.placed.reached[step] < ends
        for other in others:
            wanted &= ~other.shows_at(ends, step)
        return found[wanted & ~self._promised.closed(self._panes, found)]

    def _showing(self, found: Cells, showing: Showing) -> Closed:
        """Number windows that are shown."""
        step = showing.steps_of(self._panes.ends(found.place))
        number = self._revisions.count(found) if self._numbered else None
        return Closed(found, step, number, np.zeros(len(found), np.bool_), _NONE, _NONE, _NONE)

    def _roll(self, start: int, stop: int, groups: Rows | None) -> Cells | None:
        """Return the windows [start, stop) that have events (of these groups), as far as panes know them."""
        windows = self._held.windows(start, stop)
        return windows if windows is None or groups is None else windows[np.isin(windows.group, groups)]

    def _with_empty(self, windows: Cells | None, start: int, stop: int) -> Cells | None:
        return windows if self._empty is None else self._empty.filled(self._not_promised(windows), start, stop)

    def _closing_apart(self, punctuation: Punctuation, start: int, stop: int) -> Cells | None:
        """Return what a punctuation closes of some groups alone, or out of order."""
        windows = self._roll(start, stop, punctuation.groups)
        if self._empty is None:
            return windows
        windows = self._not_promised(windows)
        if punctuation.groups is not None:
            return self._empty.filled_of(punctuation.groups, windows, start, stop)
        before = self._roll(first_open_window(self.closed_to, self._panes.slide), start, None)
        return self._empty.filled_between(windows, start, stop, self._not_promised(before))

    def _not_promised(self, windows: Cells | None) -> Cells | None:
        """Leave out windows that punctuations have closed before."""
        if windows is None or not self._promised:
            return windows
        return windows[~self._promised.closed(self._panes, windows)]

    @property
    def _seen(self) -> Cells | None:
        return None if self._empty is None else self._empty.seen

    def _closing(
        self,
        windows: Cells | None,
        reached: Times = _NONE,
        late: Rows = _NONE,
        late_behind: Times = _NONE,
        *,
        final: bool = True,
    ) -> Closed:
        """Number the windows that leave, but for those that had left before."""
        windows = self._not_promised(windows)
        if windows is None or not len(windows):
            return Closed(None, _NONE, None, np.empty(0, np.bool_), late, late_behind, reached)
        number = self._revisions.count(windows) if self._numbered else None
        step = np.zeros(len(windows), np.int64)
        if len(reached):
            begins = np.flatnonzero(differs(windows.place))  # of each window: its groups close together
            of_windows = np.searchsorted(reached, self._panes.ends(windows.place[begins]), side="left")
            step = np.repeat(of_windows, np.diff(begins, append=len(windows)))
        return Closed(windows, step, number, np.full(len(windows), final), late, late_behind, reached)

    def _purge(self, groups: Rows | None, start: int, stop: int) -> None:
        """Forget what only the windows [start, stop) need, and windows before that are closed for all."""
        numbers = np.fromiter(self._held, np.int64, len(self._held))
        opened = first_open_window(self.closed_to, self._panes.slide)
        first = np.maximum(self._panes.first_window(numbers), opened)
        for pane in numbers[(first >= start) & (self._panes.last_window(numbers) < stop)].tolist():
            cells = self._held.pop(pane)
            kept = np.zeros(len(cells), np.bool_) if groups is None else ~np.isin(cells.group, groups)
            if kept.any():
                self._held[pane] = cells[kept]

    def _forget_shown(self) -> None:
        """Forget the numbers of windows that are closed."""
        shown = self._revisions.cells
        if shown is not None:
            closed = shown.place < first_open_window(self.closed_to, self._panes.slide)
            self._revisions.forget(closed | self._promised.closed(self._panes, shown))

    def _with_stragglers(
        self, windows: Cells | None, first: Rows, last: Rows, group: Rows, inputs: Sequence[Input]
    ) -> Cells | None:
        """Add events to the windows `first` to `last`: those that closed in this batch after they came."""
        if not len(first):
            return windows
        which, window = spread_over(np.arange(len(first)), first, last)
        more = Cells.of(self._functions, window, group[which], _of(inputs, which))
        return more if windows is None else windows.merged(more, self._functions)


def _opened(config: WindowAggregate, panes: Mapping[int, Cells]) -> OpenPanes:
    return panes.copy() if isinstance(panes, OpenPanes) else OpenPanes(config.panes, config.functions, panes)


def _of(inputs: Sequence[Input], which: Rows | slice) -> list[Input]:
    return [each[which] for each in inputs]
