"""Which windows events come in time for, and what a batch of them led to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from slackwater.compiled import compiled
from slackwater.core.cells import Cells
from slackwater.time import (
    BEFORE_ALL_TIME,
    first_open_window,
    first_window,
    last_window,
    release_horizon,
    window_end,
    window_is_closed,
)

if TYPE_CHECKING:
    from slackwater.core.arrivals import Arrivals
    from slackwater.core.panes import Panes
    from slackwater.events import Rows
    from slackwater.time import Mask, Times

# The rules of time for one event; some are typed for columns.
_first_window: Any = compiled(first_window)
_first_open_window: Any = compiled(first_open_window)
_release_horizon: Any = compiled(release_horizon)
_window_end: Any = compiled(window_end)
_window_is_closed: Any = compiled(window_is_closed)


@dataclass(frozen=True, slots=True)
class Closed:
    """What a batch led to: the windows that left, and the events that came too late."""

    windows: Cells | None  # by (step, early ones last, window, group)
    step: Rows  # of each of them, the step after which it left
    number: Rows | None  # and its revision, where results are numbered
    final: Mask  # and whether it closed, or was shown early
    late: Rows  # positions of late events in the batch
    late_behind: Times  # and how far windows were closed when each came
    reached: Times  # the largest horizon so far, after each step


@dataclass(frozen=True, slots=True)
class Placed:
    """Which windows events come in time for: all that cover them, but for events that came *behind* an open window."""

    reached: Times  # the largest horizon so far, after each step
    first: Rows  # the first window that covers each event
    earliest: int  # of these
    behind: Rows  # the positions of events of which at least one window was closed when they came
    closed: Times  # how far windows were closed then, for each of these
    entry: Rows  # their first window that was not
    last: Rows  # and the last that covers them: none was open if entry > last

    @classmethod
    def of(
        cls,
        panes: Panes,
        arrivals: Arrivals,
        slack: Times | int,
        closed_to: int,
        promised: Times | int = BEFORE_ALL_TIME,
    ) -> Placed:
        """Place events; `closed_to` is the largest horizon before them, `promised` that of input before each step."""
        time = arrivals.events.time
        reached, before = _reached(arrivals.clock, _each(slack), _each(promised), closed_to)
        first, earliest, behind = _windows(time, arrivals.steps_of_events, before, panes.slide)
        closed = before[arrivals.step_of(behind)]
        entry = first_open_window(closed, panes.slide)
        return cls(reached, first, earliest, behind, closed, entry, last_window(time[behind], panes.size, panes.slide))

    @property
    def late(self) -> Rows:
        """The positions of events whose windows were all closed."""
        return self.behind[self.entry > self.last]

    @property
    def late_closed(self) -> Times:
        """How far windows were closed when each of these came."""
        return self.closed[self.entry > self.last]

    def straggling(self, opened: int) -> Straggling:
        """The events that missed some windows, but not all, of those open at the start of the batch."""
        which = np.flatnonzero((self.entry > opened) & (self.entry <= self.last))
        return Straggling(self.behind[which], self.entry[which], self.last[which])


@dataclass(frozen=True, slots=True)
class Straggling:
    """Events that came in time for some of their windows only, `entry` to `last`."""

    position: Rows
    entry: Rows
    last: Rows

    def __len__(self) -> int:
        return len(self.position)


def in_order(closed: Closed, early: Sequence[Closed]) -> Closed:
    """Put what was shown early among what closed: by step, final ones first, then by window and group."""
    parts = [each for each in (closed, *early) if each.windows is not None and len(each.windows)]
    if len(parts) < 2 and (not parts or parts[0] is closed):
        return closed
    windows = Cells.concat([each.windows for each in parts if each.windows is not None])
    step, final = (np.concatenate([getattr(each, name) for each in parts]) for name in ("step", "final"))
    numbers = [each.number for each in parts if each.number is not None]
    order = np.argsort(2 * step + ~final, kind="stable")
    if len(parts) - (parts[0] is closed) > 1:  # two leads may show several windows after one step
        order = np.lexsort((windows.group, windows.place, ~final, step))
    return replace(
        closed,
        windows=windows[order],
        step=step[order],
        number=np.concatenate(numbers)[order] if numbers else None,
        final=final[order],
    )


def _each(values: Times | int) -> Times:
    """Return values by step as a column; one, if it holds for all of them."""
    column = np.atleast_1d(np.asarray(values, np.int64))
    return column[:1] if column.strides == (0,) else np.ascontiguousarray(column)


@compiled
def _reached(clock: Times, slack: Times, promised: Times, closed_to: int) -> tuple[Times, Times]:
    """Return the largest horizon so far, after each step, and how far windows were closed before it."""
    reached, before, highest = np.empty(len(clock), np.int64), np.empty(len(clock), np.int64), closed_to
    one_slack, one_promise = len(slack) == 1, len(promised) == 1
    for step in range(len(clock)):
        highest = max(highest, promised[0 if one_promise else step])
        before[step] = highest
        highest = max(highest, _release_horizon(clock[step], slack[0 if one_slack else step]))
        reached[step] = highest
    return reached, before


@compiled
def _windows(time: Times, step: Rows, before: Times, slide: int) -> tuple[Rows, int, Rows]:
    """Return the first window of each event, the earliest of them, and which events came behind an open window.

    Neighbors are mostly in the same window, and a comparison is cheaper than a division. `before` never falls.
    """
    first, behind, count = np.empty(len(time), np.int64), np.empty(len(time), np.int64), 0
    window, opened = _first_window(time[0], slide), _first_open_window(before[0], slide)
    start, end, closes = _window_end(window - 1, slide), _window_end(window, slide), _window_end(opened, slide)
    earliest = window
    for i in range(len(time)):
        if time[i] < start or time[i] >= end:
            window = _first_window(time[i], slide)
            start, end = _window_end(window - 1, slide), _window_end(window, slide)
            earliest = min(earliest, window)
        first[i] = window
        closed = before[step[i] if len(step) else i]
        if _window_is_closed(closes, closed):
            opened = _first_open_window(closed, slide)
            closes = _window_end(opened, slide)
        if window < opened:
            behind[count] = i
            count += 1
    return first, earliest, behind[:count].copy()
