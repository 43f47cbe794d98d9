"""Panes: the largest pieces of time whose events are in the same windows, so that windows can share their aggregates.

PROD Sec. 2.3 (after Li et al. 2005) cuts time into panes of gcd(size, slide). Where the slide divides the size these
are the same. Where it does not, only the ends and the starts of windows matter: two panes for each slide, however
small the common divisor is. See docs/decisions/0017.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from slackwater.errors import ParameterError
from slackwater.time import first_window, last_window, window_end

if TYPE_CHECKING:
    from slackwater.events import Rows
    from slackwater.time import Times


@dataclass(frozen=True, slots=True)
class Panes:
    """Windows of `size`, one every `slide`, and the panes they consist of; both in us, 0 < slide <= size.

    Windows and panes are numbered; both numbers grow with time.

    >>> panes = Panes(size=60, slide=20)
    >>> panes.of(np.array([211, 230])).tolist(), panes.first_window(np.array([10])).tolist(), panes.per_window
    ([10, 11], [10], 3)
    >>> Panes(size=25, slide=10).of(np.array([-1, 0, 4, 5, 10])).tolist()
    [-1, 0, 0, 1, 2]
    """

    size: int
    slide: int

    def __post_init__(self) -> None:
        """Refuse gaps between windows: with them a pane would have another number than the only window it is in."""
        if not 0 < self.slide <= self.size:
            raise ParameterError(
                "slide", self.slide, must=f"be > 0 and at most the size ({self.size})", remedy="windows leave no gaps"
            )

    @property
    def per_window(self) -> int:
        """How many panes a window consists of: the same for all, and without gaps."""
        whole, rest = divmod(self.size, self.slide)
        return whole if not rest else 2 * whole + 1

    def of(self, times: Times) -> Rows:
        """Return the pane of each event."""
        number: Rows = first_window(times, self.slide)
        if not self._starts_at:
            return number
        return 2 * number + (times - number * self.slide >= self._starts_at)

    def first_window(self, pane: Rows) -> Rows:
        """Return the first window that a pane is in."""
        return pane if not self._starts_at else pane // 2

    def last_window(self, pane: Rows) -> Rows:
        """Return the last window that a pane is in."""
        return last_window(self._start(pane), self.size, self.slide)

    def first_pane(self, window: int) -> int:
        """Return the first pane of a window."""
        return self.end_pane(window) - self.per_window

    def end_pane(self, window: int) -> int:
        """Return the first pane behind a window.

        >>> Panes(size=60, slide=20).end_pane(10), Panes(size=25, slide=10).end_pane(10)
        (11, 22)
        """
        return (window + 1) * (2 if self._starts_at else 1)

    def last_end(self, times: Times) -> Times:
        """Return the end of the last window that an event is in: once that is closed, the event is late."""
        return window_end(last_window(times, self.size, self.slide), self.slide)

    def ends(self, window: Rows) -> Times:
        """Return the end of each window: the first time after it."""
        return window_end(window, self.slide)

    def starts(self, window: Rows) -> Times:
        """Return the start of each window: the first time in it."""
        return self.ends(window) - self.size

    @property
    def _starts_at(self) -> int:
        """Where between two ends the start of a window lies; 0 if they coincide."""
        return -self.size % self.slide

    def _start(self, pane: Rows) -> Times:
        if not self._starts_at:
            return pane * self.slide
        return np.asarray(pane // 2 * self.slide + pane % 2 * self._starts_at)
