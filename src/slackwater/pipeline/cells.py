"""The cells of a band: numbers that are near each other lie in the same cell or in neighboring ones."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from slackwater.core.conditions import NO_CELL

if TYPE_CHECKING:
    import numpy.typing as npt

    from slackwater.events import Rows
    from slackwater.pipeline.row_columns import RowColumns
    from slackwater.plan.conjuncts import Band

# A cell is a little wider than the band, and cells end where rounding could add up to that little. What lies beyond
# shares the last cell: a partner of such a number is there too, or next to it.
_WIDER = 1 + 2.0**-8
_LAST = 2.0**40
_OF_NAN = 2**40 + 3  # not next to any other


@dataclass(frozen=True, eq=False)
class BandCells:
    """A band over numbered rows; the cells of a stream are computed at the first time, and kept."""

    band: Band
    columns: RowColumns
    usable: bool  # only if no predicate that it follows from can fail: it is no matter then which pairs are looked at
    _known: dict[int, Rows] = field(default_factory=dict)

    @property
    def streams(self) -> tuple[int, int]:
        """The two streams."""
        return self.band.streams

    def cells(self, stream: int) -> Rows:
        """Return the cell of each row; partners lie at most one cell apart, and NO_CELL has none."""
        if stream not in self._known:
            side = self.streams.index(stream)
            values = self.columns.numbers(self.band.columns[side])[0].astype(np.float64)
            with np.errstate(over="ignore"):
                values = values - self.band.center if side == 0 else values * self.band.ratio
            nan = _OF_NAN if self.band.nan_meets_nan else NO_CELL
            self._known[stream] = cells_of(values, self.band.half, nan=nan)
        return self._known[stream]


def cells_of(values: npt.NDArray[Any], half: float, *, nan: int) -> Rows:
    """Return cells such that values at most `half` apart lie in the same or in neighboring ones.

    >>> cells_of(np.array([-0.1, 4.9, 9.9, 1e300, -np.inf, np.nan]), 5.0, nan=-7).tolist()
    [-1, 0, 1, 1099511627776, -1099511627776, -7]
    """
    with np.errstate(over="ignore", invalid="ignore"):
        cell = np.clip(np.floor(values / (half * _WIDER)), -_LAST, _LAST)
    undefined = np.isnan(cell)
    cell[undefined] = 0
    cells = cell.astype(np.int64)
    cells[undefined] = nan
    return cells
