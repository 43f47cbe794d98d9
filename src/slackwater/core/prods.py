"""When windows are shown early: asked for by the clock, or by prods that come with the stream (PROD Sec. 3.1, 3.2)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from slackwater.time import first_unshown_window, intervals_passed

if TYPE_CHECKING:
    from slackwater.core.cells import Cells
    from slackwater.events import Rows
    from slackwater.time import Mask, Times

ALL_WINDOWS = 2**62  # later than any window


@dataclass(frozen=True, slots=True)
class Ask:
    """Asks for the windows `first` to `last` (both included), as far as they are open and have events."""

    first: int = -ALL_WINDOWS
    last: int = ALL_WINDOWS
    groups: Rows | None = None  # None: all

    def matches(self, cells: Cells) -> Mask:
        """Return which windows it asks for."""
        wanted = (cells.place >= self.first) & (cells.place <= self.last)
        return wanted if self.groups is None else wanted & np.isin(cells.group, self.groups)


@dataclass(frozen=True, slots=True)
class Prods:
    """Asks that follow from the clock: `lead` us before the end of every window, and every so many us.

    >>> asks = Prods(leads=(5,)).due(np.array([4, 6, 16]), before=0, slide=10)
    >>> [(step, ask.first, ask.last) for step, ask in asks]
    [(1, 0, 0), (2, 1, 1)]
    """

    leads: tuple[int, ...] = ()
    every: int | None = None

    def due(self, clock: Times, before: int, slide: int) -> Iterator[tuple[int, Ask]]:
        """Yield the steps after which windows are to be shown; `clock` is that after each step."""
        for lead in self.leads:
            shown = np.asarray(first_unshown_window(clock, lead, slide))
            earlier = first_unshown_window(before, lead, slide)
            for step in np.flatnonzero(np.diff(shown, prepend=earlier)).tolist():
                yield step, Ask(int(shown[step - 1]) if step else earlier, int(shown[step]) - 1)
        if self.every is not None:
            ticks = np.asarray(intervals_passed(clock, self.every))
            for step in np.flatnonzero(np.diff(ticks, prepend=intervals_passed(before, self.every))).tolist():
                yield step, Ask()
