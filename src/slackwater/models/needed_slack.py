"""The recall of the next period as a distribution, from what recent results needed.

Let a block of results have weight n, and m(K) of it be what slack K would have missed. Over N remembered blocks the
share missed is q(K) = sum(m) / sum(n). The residuals m - q n say how much blocks differ beyond their size: with
V = mean((m - q n)^2), a period of B blocks has a recall with standard deviation sqrt(V / B) / mean(n), and q itself is
known to sqrt(N V) / sum(n). The recall to count on is 1 - q, less z times the first, less the second. Trouble lasts:
where the residuals of neighboring blocks have a correlation r > 0, sums over many of them vary (1 + r) / (1 - r) times
as much as if they were independent (a first-order autoregression). All of it follows from sums, for all slacks at once.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from slackwater.estimate.arrays import Floats, add
from slackwater.estimate.needed_slack import BlockSums

_MOST_CORRELATED = 0.6  # more would take a change for the better for trouble that lasts


def expected_recall(sums: BlockSums) -> Floats:
    """Return the recall to expect for every slack, by bin; 1 where nothing is known.

    >>> from slackwater.estimate.needed_slack import BlockSums
    >>> sums = BlockSums(2, 8, 32, np.array([4.0, 0.0]), np.array([16.0, 0.0]), np.array([8.0, 0.0]))
    >>> expected_recall(sums).tolist()
    [0.5, 1.0]
    """
    return 1 - sums.m / sums.n if sums.n > 0 else np.ones(len(sums.m))


def with_prior(sums: BlockSums, missed: Floats, results: float) -> BlockSums:
    """Add some results of which each slack misses a given share, by bin: what counts where real results are rare.

    >>> from slackwater.estimate.needed_slack import BlockSums
    >>> sums = BlockSums(0, 0, 0, np.zeros(1), np.zeros(1), np.zeros(1))
    >>> expected_recall(with_prior(sums, np.array([0.5, 0.0]), 30)).tolist()
    [0.5, 1.0]
    """
    nothing = np.zeros(len(missed))
    m = add(add(nothing, sums.m), results * missed)
    n_m, m_m = (add(nothing, each)[: len(m)] for each in (sums.n_m, sums.m_m))
    return replace(sums, n=sums.n + results, m=m, n_m=n_m, m_m=m_m)


def recall_to_count_on(
    sums: BlockSums, *, blocks_per_period: float, deviations: float, of_mean: float = 1.0, lasting: bool = False
) -> Floats:
    """Return the recall that a period exceeds, for every slack, by bin.

    `deviations` is how many standard deviations of a period's recall to stay on the safe side (z), `of_mean` how many
    of its mean; `lasting` says whether neighboring blocks may be alike, which takes some dozen blocks to know.
    """
    if sums.n <= 0:
        return np.ones(len(sums.m))
    missed = sums.m / sums.n
    squares = np.maximum(sums.m_m - 2 * missed * sums.n_m + missed**2 * sums.n_n, 0)
    # A mean over N blocks is known to sqrt(N V) / sum(n); a period of B blocks deviates by sqrt(V / B) N / sum(n).
    deviation = deviations * np.sqrt(sums.blocks / blocks_per_period) + of_mean
    if lasting:
        squares *= _inflation(sums, missed, squares)
    recall: Floats = 1 - missed - deviation * np.sqrt(squares) / sums.n
    return recall


def _inflation(sums: BlockSums, missed: Floats, squares: Floats) -> Floats:
    """Return how many times as much sums over blocks vary because neighbors are alike, for every slack, by bin."""
    nothing = np.zeros(len(missed))
    products = add(nothing, sums.m_m_before) - missed * add(nothing, sums.n_m_before) + missed**2 * sums.n_before
    correlation = np.clip(products / np.maximum(squares, 1e-12), 0, _MOST_CORRELATED)
    inflation: Floats = (1 + correlation) / (1 - correlation)
    return inflation
