"""The combination of consecutive panes, as both ends of a range move on: the two stacks of sliding-window aggregation.

Panes up to a border have *backward* combinations, from each of them to the border; those behind it are combined into
one *front*. A range then is one backward combination and the front, whatever its length. When its start has passed the
border, the border moves to the end of the range: each cell is combined twice in its life.

Events may still come for panes that are already combined, since later windows cover them. Behind the border they are
added to the front. Before it they are *extras*, kept by pane; when there are many, all is built anew.

All of this is derived: it can be dropped at any time, and is built again from the panes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from slackwater.compiled import compiled
from slackwater.core.algebra import scan, taken
from slackwater.core.cells import Cells
from slackwater.core.segments import stable_order

if TYPE_CHECKING:
    from slackwater.core.algebra import Algebra
    from slackwater.events import Rows

Read: TypeAlias = "Callable[[int, int], Cells | None]"  # the cells of panes [start, stop), by (pane, group)

_FEW = 4_096  # so many extra cells cost nothing


@dataclass(slots=True)
class Stacks:
    """Combinations of panes: backwards up to the border, in one piece from there to `upto`. Holds a cell for each."""

    functions: Sequence[Algebra]
    border: int
    upto: int
    back: Cells  # by (group, pane)
    heads: Rows  # of each group, its first cell that ranges may still begin with
    front: Cells | None = None
    extras: Cells | None = None  # by (pane, group)

    @classmethod
    def build(cls, start: int, stop: int, read: Read, functions: Sequence[Algebra]) -> Stacks:
        """Combine the panes [start, stop) backwards. O(cells)."""
        cells = read(start, stop)
        if cells is None:
            cells = Cells.none(functions)
        cells = cells[stable_order(cells.group)]
        begins = np.diff(cells.group, prepend=-1) != 0
        ends = np.append(begins[1:], True)[: len(begins)][::-1]
        states = tuple(
            taken(scan(function, taken(state, slice(None, None, -1)), ends), slice(None, None, -1))
            for function, state in zip(functions, cells.states, strict=True)
        )
        return cls(functions, stop, stop, Cells(cells.place, cells.group, states), np.flatnonzero(begins))

    def covers(self, start: int) -> bool:
        """Whether a range that begins here can be answered without building anew.

        Extras are gone through for each range: many of them, for as many ranges as are left, cost more than to build.
        """
        if start >= self.border or self.extras is None:
            return start < self.border
        return len(self.extras) <= max(_FEW, len(self.heads) * math.sqrt(self.border - start))

    def combined(self, start: int, stop: int, read: Read) -> Cells | None:
        """Return the combination of the panes [start, stop), group by group; neither end may go back.

        O(groups + extras), besides the cells of panes that no range had before.
        """
        if stop > self.upto:
            self.front = self._united(self.front, read(self.upto, stop))
            self.upto = stop
        self.heads = _advanced(self.back.place, self.back.group, self.heads, start)
        if self.extras is not None:
            self.extras = self.extras[int(np.searchsorted(self.extras.place, start)) :]
        return self._united(self._united(self.back[self.heads], self.front), self.extras)

    def add(self, cells: Cells) -> None:
        """Take in what came for panes that are already combined; other cells are left alone."""
        cells = cells[: int(np.searchsorted(cells.place, self.upto))]
        at = int(np.searchsorted(cells.place, self.border))
        if at < len(cells):
            self.front = self._united(self.front, cells[at:])
        if at:
            self.extras = cells[:at] if self.extras is None else self.extras.merged(cells[:at], self.functions)

    def _united(self, left: Cells | None, right: Cells | None) -> Cells | None:
        """Combine cells group by group, wherever they are."""
        parts = [part.by_group(self.functions) for part in (left, right) if part is not None and len(part)]
        if len(parts) < 2:
            return parts[0] if parts else None
        return parts[0].merged(parts[1], self.functions)


@compiled
def _advanced(place: Rows, group: Rows, heads: Rows, start: int) -> Rows:
    """Move heads on to the first cell of their group that is not before the start; those without one are dropped."""
    out = np.empty(len(heads), np.int64)
    count = 0
    for head in heads:
        at = head
        while at < len(place) and group[at] == group[head] and place[at] < start:
            at += 1
        if at < len(place) and group[at] == group[head]:
            out[count] = at
            count += 1
    return out[:count].copy()
