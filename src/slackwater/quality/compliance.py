"""Quality compliance per average buffer size, the measures of SUN15 Sec. 6.3.

A quality track duration ends whenever the input's clock (the larger of the streams' clocks) has advanced by it. Its
quality counts the results in the part of event time that the windows' end has passed meanwhile.
"""

from __future__ import annotations

import math

import numpy as np

from slackwater.estimate.arrays import Floats
from slackwater.events import Rows
from slackwater.quality.recall import ResultCounts, check_sorted, fulfillment, share_found
from slackwater.time import Times


def quality_by_duration(
    window_end: Times, produced_time: Times, produced: Rows | None, true_time: Times, true: Rows | None
) -> Floats:
    """Return the quality of each duration in which the windows moved: of the true results in it, the share produced.

    `window_end` is where the windows ended at the start, and then at the end of each duration; a duration that ends
    where it began is left out. Results at the end itself can still be added, so they belong to the next duration.

    >>> produced, true = np.array([1, 5]), np.array([1, 2, 5])
    >>> quality_by_duration(np.array([0, 4, 4, 8]), produced, None, true, None).tolist()
    [0.5, 1.0]
    """
    check_sorted("window_end", window_end)
    edges = np.unique(window_end)
    found = ResultCounts.of(produced_time, produced, name="produced_time").within(edges[:-1], edges[1:])
    there = ResultCounts.of(true_time, true, name="true_time").within(edges[:-1], edges[1:])
    return share_found(found, there)


def compliance_rate(qualities: Floats, expected: float) -> float:
    """Return QCR: the share of durations whose quality is not below the expected one.

    >>> compliance_rate(np.array([0.7, 0.8, 0.9, 1.0]), expected=0.8)
    0.75
    """
    return fulfillment(qualities, expected)


def waits(clocks: Times, slacks: Times) -> Times:
    """Return how long events wait in K-slack buffers and synchronizer together: K + L of eq. 5.15, eq. 5.19.

    `clocks` has a row per instant and a column per stream; `slacks` likewise, or one slack per instant for all streams.
    The leading stream waits until the slowest stream's horizon has come as far: largest clock - smallest horizon. With
    one slack this is slack + (largest clock - smallest clock).

    >>> waits(np.array([[100, 90], [100, 90]]), np.array([[5, 7], [30, 7]])).tolist()
    [17, 30]
    >>> waits(np.array([[100, 90]]), np.array([5])).tolist()
    [15]
    """
    clocks, slacks = np.asarray(clocks, np.int64), np.asarray(slacks, np.int64)
    horizons = clocks - (slacks[:, np.newaxis] if slacks.ndim == 1 else slacks)
    return np.asarray(clocks.max(axis=1) - horizons.min(axis=1), np.int64)


def average_buffer(clocks: Times, slacks: Times) -> float:
    """Return ABS: the mean of `waits` over the quality track durations, in us; nan if there is none.

    >>> average_buffer(np.array([[100, 90], [110, 110]]), np.array([5, 7]))
    11.0
    """
    each = waits(clocks, slacks)
    return float(each.mean()) if len(each) else math.nan


def compliance_per_ms(rate: float, buffer: float) -> float:
    """Return QCR/ABS in percent per millisecond of buffer, which is given in us; infinite without any buffer.

    >>> compliance_per_ms(0.75, 30_000)
    2.5
    """
    return 100 * rate / (buffer / 1_000) if buffer else math.inf
