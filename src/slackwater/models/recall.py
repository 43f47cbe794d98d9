"""Predicted recall of a sliding-window join: JI16 Sec. IV, for all slacks 0, g, 2g ... at once.

An array by slack has one entry for each candidate. Where the paper is unclear we read: the rate of the probed stream
is counted once in eq. 4 (only then is the recall 1 for a large slack); slacks are rounded down to whole bins, so that
only delays that are certainly covered count as in order; eq. 6 sums over delays up to the slack alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Literal, TypeAlias

import numpy as np

from slackwater.estimate.arrays import Floats
from slackwater.models.arrived import arrived_by, at, strided_sum

Calibration: TypeAlias = Literal["literal", "spread", "floor", "none"]


@dataclass(frozen=True, slots=True)
class StreamModel:
    """What the recall depends on, of one stream."""

    probability: Floats  # of each coarse delay
    sync_slack: float = 0.0  # K_sync: how long the synchronizer holds the stream back anyway, in us
    window: int = 0


def recall_by_slack(streams: Sequence[StreamModel], *, granularity: int, basic_window: int, candidates: int) -> Floats:
    """Return gamma(L, K) of eq. 5 with equal selectivity, for K = 0, g ... `candidates` in all. O(bins) per stream.

    A single stream has nothing to be joined with: then it is the share of its events that come in order.

    >>> half_late = StreamModel(np.array([0.5, 0.5]), window=10)
    >>> recall_by_slack([half_late, half_late], granularity=10, basic_window=10, candidates=2).tolist()
    [0.25, 1.0]
    """
    slacks = np.arange(candidates, dtype=np.int64)
    in_order, completeness = [], []
    for stream in streams:
        arrived = arrived_by(stream.probability)
        bins = slacks + int(stream.sync_slack // granularity)
        in_order.append(at(arrived, bins))
        completeness.append(
            window_completeness(arrived, bins, window=stream.window, basic_window=basic_window, granularity=granularity)
        )
    return combined_recall(in_order, completeness, [stream.window for stream in streams])


def window_completeness(
    arrived: Floats, slack_bins: np.typing.NDArray[np.int64], *, window: int, basic_window: int, granularity: int
) -> Floats:
    """Return which share of a window's events has come when it is probed: sum of |w^l| of eq. 3 over r W, by slack.

    The older a basic window, the more of its late events have come by now. One of the basic window b and the
    granularity g must be a multiple of the other; a smaller b is no finer than b = g, since delays are that coarse.
    """
    width = max(basic_window, granularity)
    stride = width // granularity
    full = max(-(-window // width) - 1, 0)  # all basic windows but the last, which may be cut short
    last = at(arrived, slack_bins + full * stride)
    if not window:
        return last
    rest = window - full * width
    return (width * strided_sum(arrived, slack_bins, stride, full) + rest * last) / window


def combined_recall(in_order: Sequence[Floats], completeness: Sequence[Floats], windows: Sequence[int]) -> Floats:
    """Return eq. 5 with equal selectivity: each in-order event of a stream probes the windows of all others.

    >>> combined_recall([np.array([0.5]), np.array([1.0])], [np.array([0.75]), np.array([1.0])], [10, 10]).tolist()
    [0.625]
    """
    weights = probing_weights(windows)
    total = np.zeros(len(in_order[0]))
    for i, probing in enumerate(in_order):
        others = (complete for j, complete in enumerate(completeness) if j != i)
        total += reduce(np.multiply, others, weights[i] * probing)
    return total


def probing_weights(windows: Sequence[int]) -> Floats:
    """Return which share of the combinations the events of each stream complete: products of the other windows.

    >>> probing_weights([10, 30]).tolist()
    [0.75, 0.25]
    """
    sizes = np.array(windows, np.float64)
    products = np.array([np.prod(np.delete(sizes, i)) for i in range(len(sizes))])
    total = products.sum()
    return products / total if total else np.full(len(sizes), 1 / len(sizes))


def true_size(rates: Sequence[float] | Floats, windows: Sequence[float], span: float) -> float:
    """Return the combinations that in-order streams offer in a span of event time: eq. 1 without the selectivity.

    >>> true_size([0.5, 0.25], [10, 30], span=100)
    500.0
    """
    sizes = np.array(windows, np.float64)
    products = sum(float(np.prod(np.delete(sizes, i))) for i in range(len(sizes)))
    return float(np.prod(rates)) * span * products


def selectivity_ratio(cross: Floats, results: Floats, candidates: int) -> Floats:
    """Return sel(K) / sel of eq. 6, by slack; 1 where nothing is known.

    `cross` and `results` are the profile: combinations offered and results completed, by coarse delay.

    >>> selectivity_ratio(np.array([10.0, 10.0]), np.array([1.0, 3.0]), candidates=3).tolist()
    [0.5, 1.0, 1.0]
    """
    if not results.any() or not cross.any():
        return np.ones(candidates)
    bins = np.minimum(np.arange(candidates), len(cross) - 1)
    offered, completed = np.cumsum(cross), np.cumsum(results)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = (completed / offered)[bins] * (offered[-1] / completed[-1])
    return np.where(offered[bins] > 0, ratio, 1.0)


def instant_requirement(
    target: float, *, produced: float, true: float, next_true: float, calibration: Calibration = "literal"
) -> float:
    """Return the recall that the next interval must have, so that the whole period reaches the target: eq. 7.

    Args:
        target: of the period, Γ.
        produced: results of the last P - L.
        true: those that in-order input would have given.
        next_true: the same for the next interval, L.
        calibration: "literal" makes good what is missing within the next interval; the gain is P / L, so it jumps
            between 0 and 1. "floor" never asks for less than the target, "spread" takes a whole period to make good,
            "none" always asks for the target.

    The paper prints max{Γ', 1} for the limit, which would always be 1 or more; we clamp into [0, 1].

    >>> instant_requirement(0.9, produced=531, true=590, next_true=10)
    0.9
    """
    if calibration == "none" or next_true <= 0:
        return target
    missing = target * true - produced
    over = true + next_true if calibration == "spread" else next_true
    return min(max(target + missing / over, target if calibration == "floor" else 0.0), 1.0)


def smallest_slack(predicted: Floats, requirement: float) -> int | None:
    """Return the first candidate that is predicted to do, or None: the search of Alg. 3.

    >>> smallest_slack(np.array([0.8, 0.9, 1.0]), 0.9)
    1
    """
    enough = predicted >= requirement - 1e-12  # prefix sums may miss 1 by a few bits
    return int(enough.argmax()) if enough.any() else None
