"""Windows without events, where they are asked for: a group is reported for a while after its last event.

Which these are follows from the windows that have events alone, not from how they were cut into batches.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from slackwater.compiled import compiled
from slackwater.core.cells import Cells
from slackwater.core.segments import stable_order

if TYPE_CHECKING:
    from slackwater.core.algebra import Algebra
    from slackwater.events import Rows


_NONE = np.empty(0, np.int64)


@dataclass(slots=True)
class EmptyWindows:
    """Adds them to windows that close. Holds one entry for each group that would be reported next.

    >>> from slackwater.core.algebra import Count
    >>> empty = EmptyWindows((Count(),), reach=2)
    >>> closed = Cells(np.array([3, 7]), np.array([0, 0]), ((np.array([5, 6]),),))
    >>> found = empty.filled(closed, 3, 9)
    >>> found.place.tolist(), found.states[0][0].tolist()
    ([3, 4, 5, 7, 8], [5, 0, 0, 6, 0])
    """

    functions: Sequence[Algebra]
    reach: int | None  # how many windows after its last one with events a group is reported; None: all
    seen: Cells | None = None  # the last window with events of each group, and such that closed before their turn

    def filled(self, windows: Cells | None, start: int, stop: int) -> Cells | None:
        """Return the windows [start, stop) with those that have no events. O(results), but for a sort by group."""
        if stop <= start:
            return windows
        known = _by_group((self.seen, windows))
        self._remember(known, stop)
        return self._with_gaps(windows, known, start, stop)

    def filled_of(self, groups: Rows, windows: Cells | None, start: int, stop: int) -> Cells | None:
        """Return the same of some groups alone, whose windows close before those of others do."""
        if stop <= start or self.seen is None:
            return self.filled(windows, start, stop)
        mine = np.isin(self.seen.group, groups)
        others, self.seen = self.seen[~mine], self.seen[mine]
        found = self.filled(windows, start, stop)
        self.seen = _placed(_by_group((others, self.seen)))
        return found

    def filled_between(self, windows: Cells | None, start: int, stop: int, before: Cells | None) -> Cells | None:
        """Return the same of windows that close before earlier ones do; of those, `before` have events by now."""
        if stop <= start:
            return windows
        found = self._with_gaps(windows, _by_group((self.seen, before, windows)), start, stop)
        self.seen = _placed(_by_group((self.seen, windows)))
        return found

    def _with_gaps(self, windows: Cells | None, known: tuple[Rows, Rows], start: int, stop: int) -> Cells | None:
        group, place = known
        if not len(group):
            return windows
        reach = stop - int(place.min()) if self.reach is None else self.reach
        empty_group, window = _gaps(group, place, reach, start, stop)
        if not len(window):
            return windows
        order = stable_order(empty_group)
        order = order[stable_order(window[order])]
        empty = self._without_events(window[order], empty_group[order])
        return empty if windows is None else windows.merged(empty, self.functions)

    def _remember(self, known: tuple[Rows, Rows], stop: int) -> None:
        """Keep the last window before `stop` of each group, and those behind it that have closed already."""
        group, place = known
        last = np.append((group[1:] != group[:-1]) | (place[1:] >= stop), True)[: len(group)]
        last &= True if self.reach is None else place + self.reach >= stop
        self.seen = _placed((group[last], place[last]))

    def _without_events(self, window: Rows, group: Rows) -> Cells:
        nothing = np.zeros(len(window), np.int64), np.zeros(len(window), np.bool_)
        return Cells(window, group, tuple(function.lift(*nothing) for function in self.functions))


def _by_group(parts: Sequence[Cells | None]) -> tuple[Rows, Rows]:
    """Return the groups and places of cells, those of a group one after the other in the order of their places."""
    some = [part for part in parts if part is not None and len(part)]
    group = np.concatenate([_NONE, *(part.group for part in some)])
    place = np.concatenate([_NONE, *(part.place for part in some)])
    order = stable_order(place)
    order = order[stable_order(group[order])]
    return group[order], place[order]


def _placed(known: tuple[Rows, Rows]) -> Cells | None:
    """Return groups and places as cells, without any states."""
    group, place = known
    order = np.lexsort((group, place))
    return Cells(place[order], group[order], ()) if len(group) else None


@compiled
def _gaps(group: Rows, place: Rows, reach: int, start: int, stop: int) -> tuple[Rows, Rows]:
    """Return the windows in [start, stop) behind each window with events, up to the next one of its group."""
    count = 0
    first, last = np.empty(len(group), np.int64), np.empty(len(group), np.int64)
    for i in range(len(group)):
        upto = place[i + 1] if i + 1 < len(group) and group[i + 1] == group[i] else stop
        first[i], last[i] = max(place[i] + 1, start), min(upto, stop, place[i] + reach + 1)
        count += max(last[i] - first[i], 0)
    groups, windows = np.empty(count, np.int64), np.empty(count, np.int64)
    at = 0
    for i in range(len(group)):
        for window in range(first[i], last[i]):
            groups[at], windows[at] = group[i], window
            at += 1
    return groups, windows
