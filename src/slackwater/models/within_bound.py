"""What share of the results is within a bound with every slack, from recent windows.

A window says something about a slack once it is twice as old: before, rows that the slack would miss may still be on
their way. So every slack is judged by the windows that are old enough for it, recent ones more than others.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from slackwater.estimate.arrays import Floats
from slackwater.estimate.needed_slack import slacks_of_bins

if TYPE_CHECKING:
    from slackwater.measurement import RecentWindows

_TWICE = 2


@dataclass(frozen=True, slots=True)
class Shares:
    """By bin of slack."""

    within: Floats  # the share of the results that are within the bound; nan where no window is old enough
    results: Floats  # by how many of them that is known, weighed by how recent they are


def shares_within(windows: RecentWindows, *, half_life: float) -> Shares:
    """Return what share each slack keeps within the bound; `half_life` counts windows. O(windows x bins).

    >>> from slackwater.measurement import RecentWindows
    >>> windows = RecentWindows(np.array([90, 50, 1]), np.ones(3), np.array([[0.0, 1], [1, 1], [1, 1]]), None)
    >>> shares_within(windows, half_life=1e9).within.round(3).tolist()
    [0.667, 1.0]
    """
    count, bins = windows.kept.shape
    weight = 0.5 ** (np.arange(count)[::-1] / half_life)
    slack = slacks_of_bins(np.arange(bins))
    # Ages descend, so the windows that are too young for a slack are the last ones; most slacks have few of them.
    first_young = int(np.searchsorted(-windows.age, -_TWICE * slack[-1], side="right"))
    young = slice(first_young, None)
    too_young = count - np.searchsorted(-windows.age, -_TWICE * slack, side="right")
    known = np.sum(weight * windows.results) - _of_last(weight[young] * windows.results[young])[too_young]
    out = _of_last(weight[young, None] * windows.kept[young])[too_young, np.arange(bins)]
    # einsum, since the threads of a matrix product cost more than they bring here
    kept = np.einsum("i,ij->j", weight, windows.kept) - out
    results = np.where(too_young == count, 0.0, known)
    within = np.full(bins, np.nan)
    np.divide(kept, results, out=within, where=results > 0)
    return Shares(np.minimum(within, 1.0), results)  # sums of weights may differ in their last digits


def smallest_bin(shares: Shares, level: float, *, doubt: float = 0.0) -> int:
    """Return the first bin that keeps a share of the results, as far as it is known; the last keeps all.

    With `doubt`, so many standard deviations of a share of so few results are allowed below it: for those who only want
    to know whether things have got worse.

    >>> shares = Shares(np.array([0.5, 0.9, 1.0]), np.full(3, 100.0))
    >>> smallest_bin(shares, 0.9), smallest_bin(shares, 0.92), smallest_bin(shares, 0.92, doubt=1)
    (1, 2, 1)
    """
    asked = level - doubt * np.sqrt(level * (1 - level) / np.maximum(shares.results, 1.0))
    enough = np.flatnonzero(shares.within >= asked - 1e-12)
    return int(enough[0]) if len(enough) else len(shares.within) - 1


def _of_last(values: Floats) -> Floats:
    """Return the sums of the last 0, 1, 2, ... rows."""
    sums = np.zeros((len(values) + 1, *values.shape[1:]))
    np.cumsum(values[::-1], axis=0, out=sums[1:])
    return sums
