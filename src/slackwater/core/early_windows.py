"""Early results of all windows of a batch at once: what was there of each when the clock came near its end.

A window is shown after the first step whose clock is at most `lead` before its end. It then has the events that came by
that step, so an event is in the early results of its windows from the first one on that had not been shown before it
came. Events of a pane that *missed* equally many of its windows are a fragment of it (PROD Sec. 3.3: a prod breaks a
pane into fragments). For d missed windows, fragments are panes of windows that are d slides shorter, so they are rolled
up as panes are: in O(cells + results), however many windows are shown. Most events missed none or one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from slackwater.compiled import compiled
from slackwater.core.cells import Cells, Input
from slackwater.core.panes import Panes
from slackwater.core.rollup import windows_of
from slackwater.time import first_unshown_window, last_window, window_end

if TYPE_CHECKING:
    from slackwater.core.algebra import Algebra
    from slackwater.core.arrivals import Arrivals
    from slackwater.core.closing import Placed
    from slackwater.events import Rows
    from slackwater.time import Mask, Times

APART = 2  # so many fragments of a pane are told apart in the pass over all events: none missed, one missed


@dataclass(frozen=True, slots=True)
class Showing:
    """The windows [start, stop) that are due to be shown in some steps, `lead` before their end."""

    lead: int
    start: int
    stop: int
    clock: Times  # after each step
    before: int  # and before the first
    slide: int

    @classmethod
    def of(cls, lead: int, arrivals: Arrivals, steps: int, slide: int, earliest: int) -> Showing:
        """Say what is due in the first `steps`; no window before `earliest` has events."""
        before = int(arrivals.before[0])
        start = max(first_unshown_window(before, lead, slide), earliest)
        last = int(arrivals.clock[steps - 1]) if steps else before
        return cls(lead, start, max(start, first_unshown_window(last, lead, slide)), arrivals.clock, before, slide)

    def steps_of(self, ends: Times) -> Rows:
        """Return the steps after which windows with these ends are shown."""
        return np.asarray(np.searchsorted(self.clock, ends - self.lead, side="left"), np.int64)

    def shows_at(self, ends: Times, steps: Rows) -> Mask:
        """Return which windows with these ends it shows after these steps: no other one need show them then."""
        return np.asarray((self.steps_of(ends) == steps) & (ends - self.lead > self.before))

    def missed(self, arrivals: Arrivals, pane: Rows, first: Rows, last: Rows) -> tuple[Rows, Rows, Rows]:
        """Return the fragment of each event; the positions of those that missed more, and how many these missed.

        `first` and `last` are the windows that cover each event. Of the second, none is left that missed all.
        """
        position, unshown = self._changes(arrivals)
        fragment, odd = np.empty_like(pane), np.empty_like(pane)
        count = _fragments(pane, first, last, position, unshown, self.start, APART, fragment, odd)
        odd = odd[:count].copy()
        return fragment, odd, self.missed_by(arrivals, odd, first)

    def missed_by(self, arrivals: Arrivals, which: Rows, first: Rows) -> Rows:
        """Return how many windows some events missed: those that had been shown before they came."""
        position, unshown = self._changes(arrivals)
        at = np.searchsorted(position, which, side="right")
        return np.maximum(np.append(self.start, unshown)[at] - first[which], 0)

    def _changes(self, arrivals: Arrivals) -> tuple[Rows, Rows]:
        """Return from which events on the first window that was not yet shown is another one, and which it is."""
        if self.stop - self.start > arrivals.steps:  # after a silence: fewer steps than windows
            shown = np.clip(first_unshown_window(self.clock, self.lead, self.slide), self.start, self.stop)
            steps = np.flatnonzero(np.diff(shown, prepend=self.start))
            return arrivals.arrived_by(steps), shown[steps]
        windows = np.arange(self.start, self.stop)
        return arrivals.arrived_by(self.steps_of(window_end(windows, self.slide))), windows + 1


@dataclass(frozen=True, slots=True)
class Fragments:
    """The cells of a batch by (pane, how many windows were missed, group); beyond `APART` all together."""

    cells: Cells

    @classmethod
    def of(cls, functions: Sequence[Algebra], fragment: Rows, group: Rows, inputs: Sequence[Input]) -> Fragments:
        """Aggregate events, in one pass."""
        return cls(Cells.of(functions, fragment, group, inputs))

    def missing(self, count: int) -> Cells:
        """Return the cells of events that missed so many windows, by pane."""
        panes, missed = np.divmod(self.cells.place, APART + 1)
        which = np.flatnonzero(missed == count)
        found = self.cells[which]
        return Cells(panes[which], found.group, found.states)

    def panes(self, functions: Sequence[Algebra]) -> Cells:
        """Return whole panes."""
        out = self.missing(0)
        for count in range(1, APART + 1):
            out = out.merged(self.missing(count), functions)
        return out


@dataclass(frozen=True, slots=True)
class Batch:
    """Events on their way into panes: the usual ones, and those that stragglers are (see core/aggregate.py)."""

    arrivals: Arrivals
    placed: Placed
    group: Rows
    inputs: Sequence[Input]
    usual: Rows | slice
    straggling: Rows
    aside: Mask | None = None  # events that are not on their way yet

    def pane(self, panes: Panes) -> Rows:
        """Return the pane of each event."""
        return self.placed.first if panes.size % panes.slide == 0 else panes.of(self.arrivals.events.time)

    def fragments(self, panes: Panes, functions: Sequence[Algebra], showing: Showing) -> tuple[dict[int, Cells], Cells]:
        """Return the cells of the events by how many windows they missed, and the panes of the usual ones."""
        first, last = self.placed.first, last_window(self.arrivals.events.time, panes.size, panes.slide)
        pane = self.pane(panes)
        fragment, odd, missed = showing.missed(self.arrivals, pane, first, last)
        if self.aside is not None:
            odd, missed = odd[~self.aside[odd]], missed[~self.aside[odd]]
        inputs = [each[self.usual] for each in self.inputs]
        fragments = Fragments.of(functions, fragment[self.usual], self.group[self.usual], inputs)
        if len(self.straggling):
            odd = np.union1d(odd, self.straggling)
            missed = showing.missed_by(self.arrivals, odd, first)
            in_time = first[odd] + missed <= last[odd]
            odd, missed = odd[in_time], missed[in_time]
        parts = odd_cells(functions, pane[odd], missed, self.group[odd], [each[odd] for each in self.inputs])
        for count in range(APART):
            mine = fragments.missing(count)
            parts[count] = mine.merged(parts[count], functions) if count in parts else mine
        return parts, fragments.panes(functions)


def usual_ones(count: int, late: Rows, straggling: Rows, aside: Mask | None) -> Rows | slice:
    """Return the positions of the events that are none of these: mostly all, so that nothing is gathered."""
    if not len(late) and not len(straggling) and aside is None:
        return slice(None)
    usual = np.ones(count, np.bool_) if aside is None else ~aside
    usual[late] = usual[straggling] = False
    return np.flatnonzero(usual)


def odd_cells(
    functions: Sequence[Algebra], pane: Rows, missed: Rows, group: Rows, inputs: Sequence[Input]
) -> dict[int, Cells]:
    """Return the cells of some events, by how many windows they missed; for the few that are not told apart above."""
    out: dict[int, Cells] = {}
    if len(pane):
        most = int(missed.max()) + 1
        cells = Cells.of(functions, pane * most + missed, group, inputs)
        for count in np.unique(missed).tolist():
            found = cells[np.flatnonzero(cells.place % most == count)]
            out[count] = Cells(found.place // most, found.group, found.states)
    return out


def rolled(
    parts: dict[int, Cells], panes: Panes, functions: Sequence[Algebra], *, start: int, stop: int
) -> Cells | None:
    """Return the windows [start, stop) from cells by pane, given for each how many of its first windows it missed."""
    out: Cells | None = None
    per_slide = 1 if panes.size % panes.slide == 0 else 2
    for missed, cells in sorted(parts.items()):
        cells = cells[panes.first_window(cells.place) + missed <= panes.last_window(cells.place)]
        if not len(cells):
            continue
        shorter = panes.size - missed * panes.slide
        if shorter < panes.slide:  # each pane that is left is in one window, and each window has one
            windows = Cells(panes.last_window(cells.place), cells.group, cells.states)
            windows = windows[(windows.place >= start) & (windows.place < stop)]
        else:
            shifted = Cells(cells.place + missed * per_slide, cells.group, cells.states)
            windows = windows_of(shifted, Panes(shorter, panes.slide), functions, start=start, stop=stop)
        out = windows if out is None else out.merged(windows, functions)
    return out if out is not None and len(out) else None


@compiled
def _fragments(
    pane: Rows,
    first: Rows,
    last: Rows,
    position: Rows,
    unshown: Rows,
    start: int,
    apart: int,
    fragment: Rows,
    odd: Rows,
) -> int:
    """Number fragments, and write down who missed `apart` windows or more, but not all; return how many those are."""
    count, change, now = 0, 0, start
    for i in range(len(pane)):
        while change < len(position) and position[change] <= i:
            now = unshown[change]
            change += 1
        missed = now - first[i]
        if missed < 0:
            missed = 0
        elif missed >= apart:
            if now <= last[i]:
                odd[count] = i
                count += 1
            missed = apart
        fragment[i] = pane[i] * (apart + 1) + missed
    return count
