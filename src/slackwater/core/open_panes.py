"""The panes that windows still need: cells are added to them, windows are rolled up from them.

Where they are stored elsewhere, a pane is read when something is added to it, or when a window needs it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, MutableMapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np

from slackwater.core.cells import Cells
from slackwater.core.rollup import rolled_around, windows_of
from slackwater.core.segments import differs
from slackwater.core.two_stacks import Stacks

if TYPE_CHECKING:
    from slackwater.core.algebra import Algebra
    from slackwater.core.panes import Panes
    from slackwater.events import Rows

_OVERLAP = 8  # from so many panes a window on, it pays to remember combinations
_SHARE = 4  # if at most one in so many panes is new


class PaneSource(Protocol):
    """Where panes are stored."""

    def read(self, numbers: Sequence[int]) -> Mapping[int, Cells]:
        """Return the cells of some panes."""


@dataclass(frozen=True, slots=True)
class _Pane:
    """The cells of a pane: some of those that came together, which are cut only when they are asked for.

    So all that came together stays in memory for as long as one of its panes is open.
    """

    among: Cells
    start: int
    stop: int

    @classmethod
    def of(cls, cells: Cells) -> _Pane:
        return cls(cells, 0, len(cells))

    @property
    def cells(self) -> Cells:
        return self.among if self.stop - self.start == len(self.among) else self.among[self.start : self.stop]

    def with_next(self, other: _Pane) -> _Pane | None:
        """Return both as one piece; None if they did not come together, one behind the other."""
        if self.among is not other.among or self.stop != other.start:
            return None
        return _Pane(self.among, self.start, other.stop)


class OpenPanes(MutableMapping[int, Cells]):
    """Cells by the number of their pane. They are replaced, never changed."""

    def __init__(
        self,
        panes: Panes,
        functions: Sequence[Algebra],
        cells: Mapping[int, Cells],
        *,
        unread: Sequence[int] = (),
        source: PaneSource | None = None,
    ) -> None:
        self._panes, self._functions = panes, functions
        self._cells = {pane: _Pane.of(each) for pane, each in cells.items()}
        self._unread, self._source = set(unread), source
        self._stacks: Stacks | None = None
        self.changed: set[int] = set()  # panes that got cells since they were opened

    def __getitem__(self, pane: int) -> Cells:
        self._read([pane])
        return self._cells[pane].cells

    def __setitem__(self, pane: int, cells: Cells) -> None:
        self._unread.discard(pane)
        self._cells[pane] = _Pane.of(cells)
        self.changed.add(pane)
        self._stacks = None

    def __delitem__(self, pane: int) -> None:
        self._forget(pane)
        self._stacks = None

    def __iter__(self) -> Iterator[int]:
        return iter([*self._cells, *self._unread])

    def __len__(self) -> int:
        return len(self._cells) + len(self._unread)

    def __contains__(self, pane: object) -> bool:
        return pane in self._cells or pane in self._unread

    def copy(self) -> OpenPanes:
        """Return panes that go their own way from here on."""
        same = OpenPanes(self._panes, self._functions, {}, unread=list(self._unread), source=self._source)
        same._cells = dict(self._cells)
        same.changed = set(self.changed)
        return same

    def add(self, new: Cells) -> None:
        """Add cells to their panes. O(cells of these panes)."""
        if self._stacks is not None:
            self._stacks.add(new)
        came = _cut(new)
        known = [pane for pane in came if pane in self]
        if known:
            self._read(known)
            held = _joined([self._cells[pane] for pane in known])
            came.update(_cut(held.merged(_joined([came[pane] for pane in known]), self._functions)))
        self._cells.update(came)
        self.changed.update(came)

    def windows(self, start: int, stop: int) -> Cells | None:
        """Return the windows [start, stop) that have cells, as far as panes know them.

        O(cells of their panes + results).
        """
        numbers = self.numbers()
        if not len(numbers):
            return None
        start = max(start, int(self._panes.first_window(numbers[0])))
        stop = min(stop, int(self._panes.last_window(numbers[-1:])[0]) + 1)
        if stop <= start:
            return None
        cells = self._range(self._panes.first_pane(start), self._panes.end_pane(stop - 1))
        return None if cells is None else windows_of(cells, self._panes, self._functions, start=start, stop=stop)

    def closed(self, start: int, stop: int) -> Cells | None:
        """Return the windows [start, stop), and forget panes that only they need; all before them must be closed.

        O(results), however small the range is and however many panes a window has: if it has many and few of them are
        new, what all these windows share is remembered combined.
        """
        found = self._around(start, stop) if self._is_small(stop - start) else self.windows(start, stop)
        numbers = self.numbers()
        for pane in numbers[self._panes.last_window(numbers) < stop].tolist():
            self._forget(pane)
        return found

    def cells(self) -> Cells | None:
        """Return the cells of all panes, in order."""
        numbers = self.numbers()
        return self._range(int(numbers[0]), int(numbers[-1]) + 1) if len(numbers) else None

    def read_all(self) -> None:
        """Read every pane that was not read yet."""
        self._read(list(self._unread))

    def numbers(self) -> Rows:
        """Return the panes that there are, in order."""
        return np.sort(np.fromiter(self, np.int64, len(self)))

    def _is_small(self, windows: int) -> bool:
        new = self._panes.end_pane(windows) - self._panes.end_pane(0)
        return self._source is None and self._panes.per_window >= _OVERLAP and new * _SHARE <= self._panes.per_window

    def _around(self, start: int, stop: int) -> Cells | None:
        """Roll up what windows have by themselves, around what all of them share."""
        if stop <= start:
            return None
        panes = self._panes
        first, begin = panes.first_pane(start), panes.first_pane(stop - 1)
        end, last = panes.end_pane(start), panes.end_pane(stop - 1)
        if self._stacks is None or not self._stacks.covers(begin):
            self._stacks = Stacks.build(begin, end, self._range, self._functions)
        shared = self._stacks.combined(begin, end, self._range)
        sides = self._range(first, begin), self._range(end, last)
        return rolled_around(sides[0], shared, sides[1], panes, self._functions, start=start, stop=stop)

    def _range(self, start: int, stop: int) -> Cells | None:
        """Return the cells of the panes [start, stop)."""
        numbers = self.numbers()
        due = numbers[np.searchsorted(numbers, start) : np.searchsorted(numbers, stop)].tolist()
        self._read(due)
        return _joined([self._cells[pane] for pane in due]) if due else None

    def _read(self, panes: Sequence[int]) -> None:
        missing = [pane for pane in panes if pane in self._unread]
        if missing and self._source is not None:
            self._cells.update((pane, _Pane.of(cells)) for pane, cells in self._source.read(missing).items())
            self._unread.difference_update(missing)

    def _forget(self, pane: int) -> None:
        self._cells.pop(pane, None)
        self._unread.discard(pane)
        self.changed.discard(pane)


def _joined(panes: Sequence[_Pane]) -> Cells:
    """Return the cells of panes, one after the other; those that came together are not copied."""
    pieces = [panes[0]]
    for pane in panes[1:]:
        longer = pieces[-1].with_next(pane)
        if longer is None:
            pieces.append(pane)
        else:
            pieces[-1] = longer
    return Cells.concat([piece.cells for piece in pieces])


def _cut(cells: Cells) -> dict[int, _Pane]:
    """Return cells by their pane; they are in the order of panes."""
    starts = np.flatnonzero(differs(cells.place))
    ends = [*starts[1:].tolist(), len(cells)]
    numbers = cells.place[starts].tolist()
    return {pane: _Pane(cells, *at) for pane, *at in zip(numbers, starts.tolist(), ends, strict=True)}
