"""Random amounts that the generators share: how long an event travels, and smooth movements in time.

What is drawn here is *given* to an event. The delay of an event is something else, measured by its definition:
the largest event time seen at its arrival minus its own (`slackwater.sources.dataset.delays_of`).
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from slackwater.errors import ParameterError
from slackwater.time import Duration, Times

Floats: TypeAlias = npt.NDArray[np.float64]
Random: TypeAlias = np.random.Generator


def zipf_ranks(random: Random, count: int, *, skew: float, ranks: int) -> Times:
    """Draw ranks 1..ranks with probability proportional to rank ** -skew; skew 0 is uniform.

    >>> zipf_ranks(np.random.default_rng(1), 5, skew=50.0, ranks=201).tolist()
    [1, 1, 1, 1, 1]
    """
    if skew < 0 or ranks < 1:
        raise ParameterError("skew, ranks", (skew, ranks), must="be >= 0 and >= 1", remedy="use skew=0 for uniform")
    weights = np.arange(1, ranks + 1, dtype=np.float64) ** -skew
    upper = np.cumsum(weights / weights.sum())
    upper[-1] = 1.0  # rounding may leave it just below 1, and then a draw could fall past the last rank
    return np.searchsorted(upper, random.random(count), side="right").astype(np.int64) + 1


def zipf_delays(random: Random, count: int, *, skew: float, longest: Duration, unit: Duration) -> Times:
    """Draw from {0, unit, 2 units, ... longest}, in µs: rank r stands for r - 1 units.

    >>> draw = zipf_delays(np.random.default_rng(1), 1000, skew=1.0, longest=Duration(20), unit=Duration(10))
    >>> np.unique(draw).tolist()
    [0, 10, 20]
    """
    ranks = longest.microseconds // unit.microseconds + 1
    return (zipf_ranks(random, count, skew=skew, ranks=ranks) - 1) * unit.microseconds


def normal_delays(random: Random, *, mean: Floats, deviation: Floats) -> Times:
    """Draw one normal delay per entry of `mean` and `deviation` (µs); it may be negative."""
    return _whole(random.normal(mean, deviation))


def uniform_delays(random: Random, count: int, *, longest: Duration) -> Times:
    """Draw uniformly from [0, longest], in whole µs."""
    return random.integers(0, longest.microseconds, size=count, endpoint=True)


def exponential_delays(random: Random, *, mean: Floats, longest: Duration) -> Times:
    """Draw from exponential distributions cut at `longest`, by inversion, so that nothing piles up at the cut."""
    reach = -np.expm1(-longest.microseconds / mean)
    return _whole(-mean * np.log1p(-random.random(len(mean)) * reach))


def heavy_tail_delays(
    random: Random, count: int, *, shortest: Duration, longest: Duration, exponent: float = 1.0
) -> Times:
    """Draw from a Pareto distribution on [shortest, longest]: P(delay > x) falls about as x ** -exponent.

    >>> draw = heavy_tail_delays(np.random.default_rng(1), 9, shortest=Duration(10), longest=Duration(1000))
    >>> bool((draw >= 10).all() and (draw <= 1000).all())
    True
    """
    reach = 1.0 - (shortest.microseconds / longest.microseconds) ** exponent
    survivors = 1.0 - random.random(count) * reach
    return _whole(shortest.microseconds * survivors ** (-1.0 / exponent))


def smooth(random: Random, seconds: Floats, *, periods: tuple[float, float], waves: int = 4) -> Floats:
    """Return a smooth movement within [-1, 1]: a mean of sine waves with random periods (s) and phases.

    It moves by less than 2 pi / (shortest period) per second.

    >>> path = smooth(np.random.default_rng(1), np.linspace(0, 60, 601), periods=(10, 20))
    >>> bool(np.abs(path).max() <= 1), bool(np.abs(np.diff(path)).max() < 0.07)
    (True, True)
    """
    pace = 2 * np.pi / random.uniform(*periods, size=waves)
    phase = random.uniform(0, 2 * np.pi, size=waves)
    path = np.zeros_like(seconds)
    for wave in range(waves):
        path += np.sin(seconds * pace[wave] + phase[wave])
    return path / waves


def _whole(microseconds: Floats) -> Times:
    return np.rint(microseconds).astype(np.int64)
