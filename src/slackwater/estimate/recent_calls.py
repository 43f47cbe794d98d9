"""When recent calls of an operator were, in processing time, and how far the clock was then.

What waits has a *mark*, and marks only grow from call to call: of a row, when it came (its arrival); of a window, its
end, at which the clock could have closed it. So one small list says of anything that leaves since when it has waited.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from slackwater.events import Rows
    from slackwater.time import Times

MOST_CALLS = 128


class Since(NamedTuple):
    """Calls since which something has waited, and how much of it did since each."""

    at: Times  # processing time, in us
    clock: Times
    how_many: Rows


class RecentCalls:
    """Remembers up to 128 calls. Of more, neighbors become one: some percent of a long wait are then uncertain.

    Neighbors count as the earlier one, so that no wait is understated, but for those from before the first call that is
    remembered.

    >>> calls = RecentCalls()
    >>> for mark, at in ((0, 100), (1, 200), (2, 300)):
    ...     calls.update(mark, at=at, clock=10 * at)
    >>> calls.get(np.array([0, 2, 0, 9]))
    Since(at=array([100, 300]), clock=array([1000, 3000]), how_many=array([2, 2]))
    """

    def __init__(self, state: Sequence[Sequence[int]] = ()) -> None:
        self._calls: list[tuple[int, int, int]] = [(mark, at, clock) for mark, at, clock in state]

    def update(self, mark: int, *, at: int, clock: int) -> None:
        """Note a call: what has a mark up to this, and above the one before, waits since then."""
        if self._calls and mark <= self._calls[-1][0]:
            return
        self._calls.append((mark, at, clock))
        if len(self._calls) > MOST_CALLS:
            self._join_neighbors(now=at)

    def get(self, marks: Times) -> Since:
        """Return since which calls these have waited; what is above all marks, since the last one."""
        known, at, clock = np.array(self._calls, np.int64).reshape(-1, 3).T
        if not len(known) or not len(marks):
            nothing = np.empty(0, np.int64)
            return Since(nothing, nothing, nothing)
        place = np.minimum(np.searchsorted(known, marks, side="left"), len(known) - 1)
        count = np.bincount(place, minlength=len(known))
        some = np.flatnonzero(count)
        return Since(at[some], clock[some], count[some])

    def forget(self, mark: int) -> None:
        """Forget all calls that only what has this mark or a smaller one could ask for; the last one stays."""
        self._calls = [call for call in self._calls[:-1] if call[0] > mark] + self._calls[-1:]

    def _join_neighbors(self, now: int) -> None:
        """Let two calls be one, where that matters least: they are near to each other, for how long ago they were."""
        at = np.array([call[1] for call in self._calls], np.int64)
        first = int(np.argmin((at[2:] - at[:-2]) / np.maximum(now - at[:-2], 1)))
        mark, (_, *then) = self._calls[first + 1][0], self._calls[first]
        self._calls[first : first + 2] = [(mark, then[0], then[1])]

    def snapshot(self) -> list[list[int]]:
        """Return all that is remembered."""
        return [list(call) for call in self._calls]
