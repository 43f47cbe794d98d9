"""What share of a stream's events has arrived, and been put in order, after a time: shared by the recall models.

A distribution is an array: the probability of each coarse delay 0, 1, 2 ... All delays and slacks are in bins.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from slackwater.estimate.arrays import Floats

if TYPE_CHECKING:
    from slackwater.time import Times


def arrived_by(probability: Floats) -> Floats:
    """Return the probability of a delay up to each bin; of the last one it is exactly 1.

    >>> arrived_by(np.array([0.5, 0.25, 0.25])).tolist()
    [0.5, 0.75, 1.0]
    """
    arrived: Floats = np.cumsum(probability)
    return arrived / arrived[-1] if len(arrived) else arrived


def shifted(probability: Floats, by: int) -> Floats:
    """Return the distribution after a buffer of `by` bins: JI16 eq. 2, SUN15 eq. 5.2 and 5.3.

    Delays up to `by` become 0, larger ones shrink by as much. (SUN15 prints p'_{max-1} for the last element, which
    holds for a buffer of one bin.)

    >>> shifted(np.array([0.5, 0.25, 0.125, 0.125]), 2).tolist()
    [0.875, 0.125]
    """
    return np.concatenate(([probability[: by + 1].sum()], probability[by + 1 :]))


def at(arrived: Floats, bins: Times) -> Floats:
    """Return the share that has arrived at each of these bins: 1 past the last one, as before the first event.

    >>> at(np.array([0.5, 1.0]), np.array([0, 1, 7])).tolist()
    [0.5, 1.0, 1.0]
    """
    if not len(arrived):
        return np.ones(len(bins))
    return arrived[np.minimum(bins, len(arrived) - 1)]  # the last share is 1


def strided_sum(arrived: Floats, start: Times, stride: int, terms: int) -> Floats:
    """Return, for each start, the sum of `terms` shares: at start, start + stride, start + 2 stride ...

    Sums of what is still missing, from each bin to the end, make it O(bins), however many terms there are; and exact
    where nothing is missing.

    >>> strided_sum(np.array([0.25, 0.5, 1.0]), np.array([0, 1]), stride=1, terms=3).tolist()
    [1.75, 2.5]
    """
    missing = np.zeros((len(arrived) // stride + 1, stride))
    missing.ravel()[: len(arrived)] = 1.0 - arrived
    to_end = np.cumsum(missing[::-1], axis=0)[::-1].ravel()
    last = len(to_end) - 1  # always 0: the rows have at least one place more than there are bins
    return terms - (to_end[np.minimum(start, last)] - to_end[np.minimum(start + terms * stride, last)])
