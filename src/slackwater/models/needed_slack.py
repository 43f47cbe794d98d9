"""The recall of the next period as a distribution, from what recent results needed.

Let a block of results have weight n, and m(K) of it be what slack K would have missed. Over N remembered blocks the
share missed is q(K) = sum(m) / sum(n). The residuals m - q n say how much blocks differ beyond their size: with
V = mean((m - q n)^2), a period of B blocks has a recall with standard deviation sqrt(V / B) / mean(n), and q itself is
known to sqrt(N V) / sum(n). The recall to count on is 1 - q, less z times the first, less the second. Trouble lasts:
where the residuals of neighboring blocks have a correlation r > 0, sums over many of them vary (1 + r) / (1 - r) times
as much as if they were independent (a first-order autoregression). All of it follows from sums, for all slacks at once.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from slackwater.compiled import compiled
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

    Controllers ask for the first bin alone; tests compare `first_to_count_on` with this, and this with the blocks.
    """
    columns = (sums.m, sums.n_m, sums.m_m, sums.n_m_before, sums.m_m_before)
    deviation = _deviation(sums, blocks_per_period, deviations, of_mean)
    return _recalls(columns, (float(sums.n), float(sums.n_n), float(sums.n_before)), deviation, lasting)


def first_to_count_on(
    sums: BlockSums,
    missed: Floats,
    results: float,
    aim: float,
    *,
    blocks_per_period: float,
    deviations: float,
    of_mean: float = 1.0,
    lasting: bool = False,
) -> int:
    """Return the first bin whose recall to count on, `with_prior`, reaches an aim; the last bin if none does.

    >>> from slackwater.estimate.needed_slack import BlockSums
    >>> sums = BlockSums(2, 8, 32, np.array([4.0, 0.0]), np.array([16.0, 0.0]), np.array([8.0, 0.0]))
    >>> first_to_count_on(sums, np.array([0.5, 0.0]), 30, 0.9, blocks_per_period=12, deviations=2)
    1
    """
    columns = (sums.m, sums.n_m, sums.m_m, sums.n_m_before, sums.m_m_before)
    deviation = _deviation(sums, blocks_per_period, deviations, of_mean)
    numbers = (float(sums.n), float(sums.n_n), float(sums.n_before))
    return int(_first_reaching(columns, numbers, missed, float(results), deviation, lasting, aim - 1e-12))


def _deviation(sums: BlockSums, blocks_per_period: float, deviations: float, of_mean: float) -> float:
    """Return how many sqrt(N V) to stay on the safe side.

    A mean over N blocks is known to sqrt(N V) / sum(n); a period of B blocks deviates by sqrt(V / B) N / sum(n).
    """
    return deviations * math.sqrt(sums.blocks / blocks_per_period) + of_mean


@compiled
def _recalls(columns: Any, numbers: Any, deviation: float, lasting: bool) -> Floats:
    recalls = np.empty(len(columns[0]))
    for at in range(len(recalls)):
        recalls[at] = _recall_at(columns, numbers, 0.0, 0.0, deviation, lasting, at)
    return recalls


@compiled
def _first_reaching(
    columns: Any, numbers: Any, missed: Floats, results: float, deviation: float, lasting: bool, aim: float
) -> int:
    """Go through the bins. Nothing came in most of them: their recall is that of the bin before."""
    bins = max(len(columns[0]), len(missed))
    for at in range(bins):
        if at > 0 and _same(missed, at) and _same_everywhere(columns, at):
            continue
        prior = results * missed[at] if at < len(missed) else 0.0
        if _recall_at(columns, numbers, prior, results, deviation, lasting, at) >= aim:
            return at
    return bins - 1


@compiled
def _recall_at(
    columns: Any, numbers: Any, prior: float, results: float, deviation: float, lasting: bool, at: int
) -> float:
    """Return the recall to count on in one bin; `prior` of some `results` more are missed."""
    m, n_m, m_m, n_m_before, m_m_before = columns
    n, n_n, n_before = numbers
    n += results
    if n <= 0:
        return 1.0
    share = (_value(m, at) + prior) / n
    square = max(_value(m_m, at) - 2 * share * _value(n_m, at) + share * share * n_n, 0.0)
    if lasting:
        product = _value(m_m_before, at) - share * _value(n_m_before, at) + share * share * n_before
        correlation = min(max(product / max(square, 1e-12), 0.0), _MOST_CORRELATED)
        square *= (1 + correlation) / (1 - correlation)
    recall: float = 1 - share - deviation * math.sqrt(square) / n
    return recall


@compiled
def _value(column: Floats, at: int) -> float:
    return column[at] if at < len(column) else 0.0


@compiled
def _same(column: Floats, at: int) -> bool:
    return _value(column, at) == _value(column, at - 1)


@compiled
def _same_everywhere(columns: Any, at: int) -> bool:
    m, n_m, m_m, n_m_before, m_m_before = columns
    return _same(m, at) and _same(n_m, at) and _same(m_m, at) and _same(n_m_before, at) and _same(m_m_before, at)
