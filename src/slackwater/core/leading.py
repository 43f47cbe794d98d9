"""Of each window, the groups with the largest values."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from slackwater.core.segments import differs

if TYPE_CHECKING:
    from slackwater.core.segments import Column
    from slackwater.events import Rows
    from slackwater.time import Mask


def is_leading(place: Rows, values: Column, valid: Mask | None, count: int) -> Mask:
    """Return which entries have less than `count` larger ones in their place; of equal ones all are, of nulls none.

    Places do not fall. O(n log n).

    >>> is_leading(np.array([1, 1, 1, 2]), np.array([5, 9, 9, 3]), None, 1).tolist()
    [False, True, True, True]
    """
    known = ~np.isnan(values) if values.dtype.kind == "f" else np.ones(len(values), np.bool_)
    known = known if valid is None else known & valid
    some = np.flatnonzero(known)
    place, values = place[some], values[some]
    order = np.lexsort((values, place))[::-1]  # the last place first, and in it the largest value
    begins = np.flatnonzero(differs(place[order]))
    nth = np.arange(len(order)) - np.repeat(begins, np.diff(begins, append=len(order)))
    again = ~(differs(place[order]) | differs(values[order]))  # as large as the one before
    larger = np.maximum.accumulate(np.where(again, -1, np.arange(len(order)))) - (np.arange(len(order)) - nth)
    out = np.zeros(len(known), np.bool_)
    out[some[order[larger < count]]] = True
    return out
