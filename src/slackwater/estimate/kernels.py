"""What memories by bins of slack do at every decision, compiled: a column has hundreds of bins, so calls are the cost.

Every sum is taken in the order in which NumPy takes it for whole columns: what was remembered before these were kernels
is remembered to the last bit.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from slackwater.compiled import compiled
from slackwater.time import is_behind

if TYPE_CHECKING:
    from slackwater.estimate.arrays import Floats
    from slackwater.events import Rows
    from slackwater.time import Times

GROWTH = np.log(1.02)  # from bin to bin: a slack is known to 2 %
MOST_BINS = 2_048  # the last bin begins beyond 10,000 years

# Places of the columns that are kept of blocks
M, N_M, M_M, N_M_BEFORE, M_M_BEFORE, LAST = range(6)

_is_behind: Any = compiled(is_behind)  # the rule of time for one delay; it is typed for columns


@compiled
def bin_of_one(slack: int) -> int:
    """Return the bin of one slack: what `bin_of` of `estimate.needed_slack` gives."""
    if slack <= 0:
        return 0
    number: int = math.ceil(math.log(slack) / GROWTH - 1e-9) + 1
    return min(number, MOST_BINS - 1)


@compiled
def tallied(slacks: Times, weights: Floats) -> Floats:
    """Return the weight of each bin, up to the last that has any; no weights: each slack counts once."""
    counts, last = np.zeros(MOST_BINS), 0
    for at in range(len(slacks)):
        number = bin_of_one(slacks[at])
        counts[number] += weights[at] if len(weights) else 1.0
        last = max(last, number)
    return counts[: last + 1]


@compiled
def tallied_delays(delays: Times) -> tuple[Floats, int, int]:
    """Return how many delays each bin has, up to the last that has any; how many are above 0, and the largest."""
    counts, last, out_of_order, largest = np.zeros(MOST_BINS), 0, 0, 0
    for delay in delays:
        if delay <= 0:
            continue
        number = bin_of_one(delay)
        counts[number] += 1.0
        last, largest, out_of_order = max(last, number), max(largest, delay), out_of_order + 1
    counts[0] = len(delays) - out_of_order
    return counts[: last + 1], out_of_order, largest


@compiled
def count_behind(delays: Times, slack: int, weights: Rows) -> tuple[int, int]:
    """Return how many delays a slack is too short for, and the largest delay.

    Each counts as often as its weight says; no weights: once.
    """
    behind, largest = 0, delays[0]
    for at in range(len(delays)):
        if _is_behind(delays[at], slack):
            behind += weights[at] if len(weights) else 1
        largest = max(largest, delays[at])
    return behind, largest


@compiled
def present(counts: Floats, total: float, among: Floats) -> None:
    """Take off from each share `among` what this stream would have missed with the slack of its bin."""
    if not counts.any():
        return
    so_far = 0.0
    for at in range(len(counts)):
        so_far += counts[at]
        among[at] *= so_far / total


@compiled
def followed(columns: Floats, counts: Floats, n: float, last_n: float, keep: float) -> Floats:
    """Return the columns of blocks once one more has ended, that has `counts` by bin, `n` in all."""
    bins = columns.shape[1]
    after = np.zeros((6, max(bins, len(counts))))
    so_far = 0.0
    for at in range(after.shape[1]):
        missed = 0.0
        if at < len(counts):
            so_far += counts[at]
            missed = max(n - so_far, 0.0)
        before = columns[LAST, at] if at < bins else 0.0
        after[M, at] = missed
        after[N_M, at] = n * missed
        after[M_M, at] = missed * missed
        after[N_M_BEFORE, at] = n * before + missed * last_n
        after[M_M_BEFORE, at] = missed * before
        after[LAST, at] = missed
    for column in range(LAST):
        for at in range(bins):
            after[column, at] += keep * columns[column, at]
    return after
