"""Which windows events come in time for, and what a batch of them led to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from slackwater.core.cells import Cells
from slackwater.time import BEFORE_ALL_TIME, first_open_window, first_window, last_window, release_horizon

if TYPE_CHECKING:
    from slackwater.core.arrivals import Arrivals
    from slackwater.core.panes import Panes
    from slackwater.events import Rows
    from slackwater.time import Mask, Times


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
    """Which windows events come in time for: `entry` to `last`; none if entry > last."""

    reached: Times  # the largest horizon so far, after each step
    before: Times  # and before the step of each event
    first: Rows  # the first window that covers each event
    entry: Rows  # the first of them that was still open when it came
    last: Rows  # the last window that covers it

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
        horizon = np.maximum(release_horizon(arrivals.clock, slack), closed_to)
        reached = np.maximum.accumulate(np.maximum(horizon, promised))
        before = arrivals.per_event(np.maximum(np.concatenate(([closed_to], reached[:-1])), promised))
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
