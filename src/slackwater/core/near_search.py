"""Search for many values that are nearly sorted: each one near where the last was found."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from slackwater.compiled import compiled

if TYPE_CHECKING:
    from slackwater.events import Rows
    from slackwater.time import Times


@compiled
def search_near(ascending: Times, wanted: Times) -> Rows:
    """Return what `np.searchsorted(ascending, wanted)` does. O(log of the distance to the last place) for each.

    >>> search_near(np.array([1, 3, 3, 7]), np.array([3, 4, 0, 9])).tolist()
    [1, 3, 0, 4]
    """
    found = np.empty(len(wanted), np.int64)
    at, end = 0, len(ascending)
    for i in range(len(wanted)):
        value = wanted[i]
        low, high, stride = at, at, 1
        while high < end and ascending[high] < value:
            low, high, stride = high + 1, high + stride, 2 * stride
        stride = 1
        while low > 0 and ascending[low - 1] >= value:
            low, high, stride = max(low - stride, 0), low - 1, 2 * stride
        high = min(high, end)
        while low < high:
            middle = (low + high) // 2
            if ascending[middle] < value:
                low = middle + 1
            else:
                high = middle
        at = found[i] = low
    return found
