"""How often each open window and group was shown: the number of its next result."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from slackwater.core.algebra import Sum
from slackwater.core.cells import Cells

if TYPE_CHECKING:
    from slackwater.events import Rows
    from slackwater.time import Mask

# A count and whether it was just counted: both are added up when cells are merged.
_FUNCTIONS = (Sum(),)


class Revisions:
    """Counts results by (window, group). Holds one entry for each that was shown and is not yet final.

    >>> one = Cells(np.array([3]), np.array([0]), ())
    >>> revisions = Revisions()
    >>> revisions.count(one).tolist(), revisions.count(one).tolist()
    ([0], [1])
    """

    def __init__(self, cells: Cells | None = None) -> None:
        self._cells = cells

    def count(self, shown: Cells) -> Rows:
        """Return the number of each of these results, which are by (window, group), and remember it."""
        ones = np.ones(len(shown), np.int64)
        new = Cells(shown.place, shown.group, ((ones, ones),))
        merged = new if self._cells is None else self._cells.merged(new, _FUNCTIONS)
        count, touched = merged.states[0]
        self._cells = Cells(merged.place, merged.group, ((count, np.zeros_like(touched)),))
        numbers: Rows = count[touched > 0] - 1
        return numbers

    def forget(self, closed: Mask) -> None:
        """Forget entries, in the order of `cells`."""
        if self._cells is not None and closed.any():
            self._cells = self._cells[~closed] if not closed.all() else None

    @property
    def cells(self) -> Cells | None:
        """What there is to save."""
        return self._cells
