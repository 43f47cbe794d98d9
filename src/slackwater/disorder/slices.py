"""Slices of event time, each width a multiple of the one before, so that slices can be put together."""

from __future__ import annotations

import numpy as np

_SECOND, _MINUTE, _HOUR, _DAY = 1_000_000, 60_000_000, 3_600_000_000, 86_400_000_000

# A slice is as wide as the first of these (us) with which there are few enough slices.
WIDTHS = np.array(
    [base * 10**power for power in range(6) for base in (1, 5)]
    + [_SECOND, 5 * _SECOND, 10 * _SECOND, 30 * _SECOND]
    + [_MINUTE, 5 * _MINUTE, 10 * _MINUTE, 30 * _MINUTE]
    + [_HOUR, 3 * _HOUR, 6 * _HOUR, 12 * _HOUR]
    + [base * 10**power * _DAY for power in range(6) for base in (1, 5)],
    np.int64,
)


def width_for(first: int, last: int, most: int) -> int:
    """Return the place in `WIDTHS` of the first width that has at most so many slices from first to last.

    >>> int(WIDTHS[width_for(0, 3_600_000_000, most=128)]) == 30_000_000
    True
    """
    slices = last // WIDTHS - first // WIDTHS + 1
    return int(np.argmax(slices <= most))
