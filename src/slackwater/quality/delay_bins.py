"""Delays counted in a few bins: small enough to be written down for every batch, and bins can be added up.

The first bin is that of rows in order; each other reaches up to half as far again (a ratio of the root of two), from a
tenth of a millisecond to about two days. What is longer counts in the last.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from slackwater.events import Rows
    from slackwater.time import Times

_SHORTEST = 100  # us
_BINS = 62
# the longest delay of each bin, in us
UPPER: Times = np.concatenate(([0], np.round(_SHORTEST * np.sqrt(2) ** np.arange(_BINS)))).astype(np.int64)


def counted_delays(delays: Iterable[tuple[Times, Rows | None]]) -> dict[str, int]:
    """Return how many delays fall into each bin that has any, by its number as text, as JSON wants it. O(n).

    Delays come with how many rows each is of; None: of one.

    >>> counted_delays([(np.array([0, 0, 50, 3_600_000_000]), None), (np.array([50]), np.array([9]))])
    {'0': 2, '1': 10, '52': 1}
    """
    counts = np.zeros(len(UPPER), np.int64)
    for each, weight in delays:
        place = np.minimum(np.searchsorted(UPPER, each, side="left"), len(UPPER) - 1)
        counts += np.bincount(place, weight, minlength=len(UPPER)).astype(np.int64)
    return {str(place): int(counts[place]) for place in np.flatnonzero(counts)}


def added_up(counts: Iterable[Mapping[str, int]]) -> list[int]:
    """Return how many delays fall into each bin; bins that there are not count as the last.

    >>> added_up([{"0": 2}, {"0": 1, "2": 5}])[:3]
    [3, 0, 5]
    """
    total = [0] * len(UPPER)
    for each in counts:
        for place, count in each.items():
            total[min(max(int(place), 0), len(UPPER) - 1)] += int(count)
    return total


def share_above(counts: Sequence[int]) -> list[float]:
    """Return the share of the rows whose delay is longer than each bin reaches: what such a slack makes late at most.

    >>> share_above(added_up([{"0": 3, "1": 1}]))[:2]
    [0.25, 0.0]
    """
    total = np.cumsum(np.asarray(counts, np.int64))
    rows = int(total[-1])
    return [] if not rows else (1 - total / rows).round(9).tolist()
