"""One code for several keys at once, small enough to count by."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from slackwater.events import Rows

_LARGEST = 2**62  # of a code: more would overflow


class JointCodes:
    """Learns the codes of an index from its columns of codes, and finds the same for others.

    Where there are many more possible codes than the index has, they are narrowed to those it has: other columns get
    -1, no partner, for anything else.

    >>> joint = JointCodes([np.array([0, 1]), np.array([2, 0])], [2, 3])
    >>> joint.codes.tolist(), joint.count, joint.of([np.array([1, 0]), np.array([0, -1])], 2).tolist()
    ([2, 3], 6, [3, -1])
    """

    def __init__(self, columns: Sequence[Rows], counts: Sequence[int], length: int | None = None) -> None:
        self._counts = [max(1, count) for count in counts]
        self._known: dict[int, Rows] = {}  # by how many columns were joined: the codes that the index has
        rows = len(columns[0]) if columns else length or 0
        self.codes, self.count = self._learn(columns, rows)

    def of(self, columns: Sequence[Rows], length: int) -> Rows:
        """Return the codes of other columns."""
        code = np.zeros(length, np.int64)
        for place, column in enumerate(columns):
            code = self._narrowed(place, code)
            code = self._joined(place, code, column)
        return self._narrowed(len(columns), code)

    def _learn(self, columns: Sequence[Rows], rows: int) -> tuple[Rows, int]:
        code, count = np.zeros(rows, np.int64), 1
        for place, column in enumerate(columns):
            if count * self._counts[place] > _LARGEST:
                code, count = self._narrow(place, code)
            code = self._joined(place, code, column)
            count *= self._counts[place]
        return self._narrow(len(columns), code) if count > max(4 * rows, 65_536) else (code, count)

    def _joined(self, place: int, code: Rows, column: Rows) -> Rows:
        """Return the codes with one more column; the first column is a code already."""
        if place == 0:
            return np.maximum(column, -1)
        return np.where((code < 0) | (column < 0), -1, code * self._counts[place] + column)

    def _narrow(self, place: int, code: Rows) -> tuple[Rows, int]:
        self._known[place] = np.unique(code[code >= 0])
        return self._narrowed(place, code), max(1, len(self._known[place]))

    def _narrowed(self, place: int, code: Rows) -> Rows:
        """Return the place of each code among those that the index has, -1 where it has none such."""
        if place not in self._known:
            return code
        known = self._known[place]
        if not len(known):
            return np.full(len(code), -1)
        at = np.minimum(np.searchsorted(known, code), len(known) - 1)
        return np.where(known[at] == code, at, -1)
