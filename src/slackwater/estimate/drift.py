"""The adaptive window over a stream's recent delays: JI16's R_stat, by ADWIN (Bifet and Gavalda 2007).

The window forgets its oldest part as soon as the mean delay there and in the rest differ by more than chance explains.

Why not a library: known implementations take one value at a time, a Python call for each event, where a batch brings
hundreds of thousands; and they keep a mean and a variance only, while here the delay histogram must shrink together
with the window. So every 32 events (as often as ADWIN looks for a change anyway) become one bucket, with sums,
histogram and all, and the work for them is a few calls to NumPy: about 1 us for each event.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from slackwater.estimate.arrays import Floats, add, pack, unpack
from slackwater.estimate.delay_histogram import DelayHistogram, bins_of

if TYPE_CHECKING:
    import numpy.typing as npt

    from slackwater.time import Times

EVENTS_PER_BUCKET = 32
BUCKETS_PER_LEVEL = 5
CONFIDENCE = 0.002  # delta: how likely a change is seen where there is none
COUNT, DELAY, SQUARES, AHEAD, LARGEST = range(5)  # what is known of a bucket


@dataclass(frozen=True, slots=True)
class RecentDelays:
    """What the window knows of its stream."""

    events: int
    probability: Floats  # of each coarse delay, up to the largest in the window
    largest: int
    mean_ahead: float  # how far the stream's clock was ahead of the slowest stream's: mean of K_sync


class AdaptiveWindow:
    """Remembers the delays of a stream since they last changed.

    A bucket of level n has 32 * 2^n events, and a level at most 5 buckets: memory grows with the logarithm of the
    window's length. How the stream is cut into batches makes no difference: the rest of a batch waits, counted but
    not yet in a bucket, for the events that fill its bucket.

    >>> window = AdaptiveWindow(granularity=10)
    >>> window.update(np.zeros(3200, np.int64), np.zeros(3200, np.int64))
    >>> window.update(np.full(3200, 500), np.zeros(3200, np.int64))
    >>> window.get().probability[50] > 0.99  # the zeros are forgotten
    np.True_
    """

    def __init__(self, granularity: int, state: dict[str, Any] | None = None) -> None:
        state = state or _EMPTY
        self._granularity = granularity
        self._levels: list[int] = list(state["levels"])  # how many buckets each level has
        self._buckets: Floats = unpack(state["buckets"], np.float64).reshape(-1, 5)  # oldest and largest first
        ends = np.cumsum(state["bins"], dtype=np.int64)[:-1]
        self._histograms = np.split(unpack(state["histograms"], np.int32), ends) if state["bins"] else []
        self._waiting: Times = np.array(state["waiting"], np.int64).reshape(2, -1)  # delays, and how far ahead
        self._histogram = DelayHistogram(granularity)
        self._histogram.update(self._waiting[0])
        for counts in self._histograms:
            self._histogram.add(counts)

    def update(self, delays: Times, ahead: Times) -> None:
        """Take in a batch: each full bucket is added and may show a change."""
        self._histogram.update(delays)
        waiting = np.concatenate((self._waiting, np.stack((delays, ahead))), axis=1)
        full = waiting.shape[1] // EVENTS_PER_BUCKET * EVENTS_PER_BUCKET
        self._waiting = waiting[:, full:].copy()
        filled = waiting[:, :full].reshape(2, -1, EVENTS_PER_BUCKET)
        bins = bins_of(filled[0], self._granularity)
        for bucket, its_bins in zip(_summaries(*filled), bins, strict=True):
            self._append(bucket, np.bincount(its_bins).astype(np.int32))
            while len(self._buckets) > 1 and has_changed(self._buckets):
                self._drop_oldest()

    def get(self) -> RecentDelays:
        """Return what is known of the events in the window."""
        events = int(self._buckets[:, COUNT].sum()) + self._waiting.shape[1]
        ahead = float(self._buckets[:, AHEAD].sum()) + float(self._waiting[1].sum())
        largest = max(int(self._buckets[:, LARGEST].max(initial=0)), int(self._waiting[0].max(initial=0)))
        return RecentDelays(events, self._histogram.get(), largest, ahead / max(events, 1))

    def snapshot(self) -> dict[str, Any]:
        """Return the buckets and the events that wait for one; the whole histogram is their sum."""
        return {
            "levels": list(self._levels),
            "buckets": pack(self._buckets),
            "bins": [len(counts) for counts in self._histograms],
            "histograms": pack(np.concatenate((np.zeros(0, np.int32), *self._histograms))),
            "waiting": self._waiting.tolist(),
        }

    def _append(self, bucket: Floats, histogram: npt.NDArray[np.int32]) -> None:
        """Add the newest bucket; where a level gets too many, its two oldest become one of the next level."""
        self._buckets = np.concatenate((self._buckets, bucket[None]))
        self._histograms.append(histogram)
        self._levels = self._levels or [0]
        self._levels[0] += 1
        level = 0
        while self._levels[level] > BUCKETS_PER_LEVEL:
            self._merge(at=sum(self._levels[level + 1 :]))
            self._levels[level] -= 2
            level += 1
            self._levels[level:] = self._levels[level:] or [0]
            self._levels[level] += 1

    def _merge(self, at: int) -> None:
        older, newer = self._buckets[at], self._buckets[at + 1]
        newer[LARGEST], older[LARGEST] = max(older[LARGEST], newer[LARGEST]), 0.0
        older += newer
        self._buckets[at + 1 : -1] = self._buckets[at + 2 :]
        self._buckets = self._buckets[:-1]
        self._histograms[at : at + 2] = [add(self._histograms[at], self._histograms[at + 1])]

    def _drop_oldest(self) -> None:
        self._buckets = self._buckets[1:]
        self._histogram.remove(self._histograms.pop(0))
        self._levels[-1] -= 1
        while not self._levels[-1]:
            self._levels.pop()


_EMPTY: dict[str, Any] = {
    "levels": [],
    "buckets": pack(np.zeros(0)),
    "bins": [],
    "histograms": pack(np.zeros(0)),
    "waiting": [[], []],
}


def has_changed(buckets: Floats) -> bool:
    """Whether some older part of the window and the rest differ in their mean delay: ADWIN's variance bound.

    epsilon_cut = sqrt(2/m var ln(2/d)) + 2/(3m) R ln(2/d), with 1/m = 1/n0 + 1/n1 and d = delta / ln n. The theory
    is for values in [0, 1]; R, the largest delay in the window, brings the second term to our scale.
    """
    parts = buckets[:, : SQUARES + 1].cumsum(axis=0)
    count, total, squares = parts[-1].tolist()
    older, older_total = parts[:-1, COUNT], parts[:-1, DELAY]
    pairs = older * (count - older)
    variance = max(squares / count - (total / count) ** 2, 0.0)
    surprise = math.log(2 * math.log(count) / CONFIDENCE)
    # Both sides times n0 n1, which leaves the second term without them: this runs for every 32 events.
    difference = np.abs(older_total * count - older * total)
    by_chance = np.sqrt(pairs * (2 * count * variance * surprise))
    return bool((difference - by_chance).max() > 2 / 3 * count * surprise * buckets[:, LARGEST].max())


def _summaries(delays: Times, ahead: Times) -> Floats:
    """Return a row for each bucket from its delays and its leads."""
    values = delays.astype(np.float64)
    columns = (values.sum(axis=1), np.square(values).sum(axis=1), ahead.sum(axis=1), delays.max(axis=1))
    return np.stack((np.full(len(delays), float(EVENTS_PER_BUCKET)), *columns), axis=1)
