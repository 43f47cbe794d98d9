"""What the quality cost: how large the slack was, and how long results came after they were due."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from slackwater.events import Rows
from slackwater.quality.recall import check_sorted
from slackwater.time import Times


class AverageSlack(NamedTuple):
    """The average of a slack that changed, in us. The two agree where adaptations are equally far apart."""

    over_time: float
    over_adaptations: float


def average_slack(at: Times, slack: Times, end: int) -> AverageSlack:
    """Average a slack over event time and over adaptations.

    Each slack is in force from the input's clock `at` on which it was set until the next one, the last until `end`.

    >>> average_slack(np.array([0, 10, 40]), np.array([2, 4, 6]), end=50)
    AverageSlack(over_time=4.0, over_adaptations=4.0)
    >>> average_slack(np.array([0, 10, 30]), np.array([2, 4, 9]), end=50)
    AverageSlack(over_time=5.6, over_adaptations=5.0)
    """
    if not len(slack):
        return AverageSlack(math.nan, math.nan)
    edges = np.append(np.asarray(at, np.int64), end)
    check_sorted("at", edges)
    held = np.diff(edges)
    mean = float(np.mean(slack))
    return AverageSlack(float(np.average(slack, weights=held)) if held.any() else mean, mean)


class LatencySummary(NamedTuple):
    """Latencies of results in us; nan where there is no result."""

    mean: float
    p50: float
    p99: float


def result_latency(result_time: Times, clock: Times, results: Rows | None = None) -> LatencySummary:
    """Summarize how far the input's clock was past each result's time when it was emitted: eq. 5.13 of SUN15.

    `clock` is the largest event time that had arrived by then; `results` says how many results an entry stands for.
    The percentiles are latencies that occurred: the smallest that at least 50 % or 99 % of the results do not exceed.

    >>> result_latency(np.array([10, 20, 30]), np.array([11, 22, 33]), np.array([1, 1, 2]))
    LatencySummary(mean=2.25, p50=2.0, p99=3.0)
    """
    latency = np.asarray(clock, np.int64) - np.asarray(result_time, np.int64)
    count = np.ones(len(latency), np.int64) if results is None else np.asarray(results, np.int64)
    if not count.any():
        return LatencySummary(math.nan, math.nan, math.nan)
    order = np.argsort(latency, kind="stable")
    sorted_latency, so_far = latency[order], np.cumsum(count[order])
    p50, p99 = (_percentile(sorted_latency, so_far, percent) for percent in (50, 99))
    return LatencySummary(float(np.average(latency, weights=count)), p50, p99)


def _percentile(latency: Times, so_far: Rows, percent: int) -> float:
    # In whole numbers: 0.99 * 100 is above 99 in floating point, and the next larger latency would be returned.
    needed = -(-percent * int(so_far[-1]) // 100)
    return float(latency[np.searchsorted(so_far, needed, side="left")])
