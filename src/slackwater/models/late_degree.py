"""Predicted quality and latency of a two-way window join: SUN15 ch. 5. Late degrees and windows are in bins.

A window of W bins holds the bins t, t-1 ... t-W+1. So the sums of eq. 5.11 and 5.12 end at W - 1, as in the
document's example of 46.5 %; as printed they end at W, and the quality could exceed 1.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from slackwater.estimate.arrays import Floats
from slackwater.models.arrived import arrived_by, at, strided_sum

if TYPE_CHECKING:
    from slackwater.time import Times


def quality_by_slack(
    distributions: tuple[Floats, Floats], windows: tuple[int, int], *, sync: tuple[int, int] = (0, 0), candidates: int
) -> Floats:
    """Return Q_est of eq. 5.12 for slacks of 0, 1, 2 ... bins on both streams. O(bins).

    Args:
        distributions: probability of each late degree, of both streams.
        windows: their sizes, at least one bin.
        sync: how far each stream is held back by the synchronizer, L_A and L_B; one of them is 0.
        candidates: how many slacks.

    >>> degrees = np.array([0.6, 0.2, 0.1, 0.1])
    >>> quality_by_slack((degrees, degrees), (3, 2), candidates=4).round(4).tolist()
    [0.465, 0.72, 0.8775, 1.0]
    """
    slacks = np.arange(candidates, dtype=np.int64)
    first, second = (
        _arrived_in_window(degrees, slacks + held, window)
        for degrees, held, window in zip(distributions, sync, windows, strict=True)
    )
    produced = first[0] * second[0] + first[0] * second[1] + second[0] * first[1]
    return produced / (sum(windows) - 1)


def _arrived_in_window(degrees: Floats, slacks: Times, window: int) -> tuple[Floats, Floats]:
    """Return the share that has arrived of the newest bin of a window, and the sum of it over the older ones."""
    arrived = arrived_by(degrees)
    return at(arrived, slacks), strided_sum(arrived, slacks + 1, stride=1, terms=window - 1)


def sync_buffers(clocks: tuple[int, int], slacks: tuple[int, int]) -> tuple[int, int]:
    """Return how far the synchronizer holds each stream back, L_A and L_B: eq. 5.16.

    >>> sync_buffers((100, 90), slacks=(5, 7))
    (12, 0)
    """
    lead = (clocks[0] - slacks[0]) - (clocks[1] - slacks[1])
    return max(lead, 0), max(-lead, 0)


def mean_latency(clocks: tuple[int, int], slacks: tuple[int, int]) -> int:
    """Return the mean latency of results in event time, eq. 5.15 to 5.19: K + L of the stream that leads.

    >>> mean_latency((100, 90), slacks=(5, 7)), mean_latency((100, 90), slacks=(30, 7))
    (17, 30)
    """
    leading = 0 if clocks[0] >= clocks[1] else 1
    return slacks[leading] + sync_buffers(clocks, slacks)[leading]
