"""How far events come behind the slowest clock: what is known of results before there are any."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from slackwater.estimate.arrays import Floats, add, added, pack, unpack
from slackwater.estimate.kernels import present, tallied

if TYPE_CHECKING:
    from slackwater.time import Times

_ONE_EACH: Floats = np.empty(0)


class EventLags:
    """Remembers lags of each stream with exponential forgetting; `half_life` counts blocks.

    >>> lags = EventLags(10)
    >>> lags.update([np.array([1])], [4])
    >>> lags.missed().tolist()
    [0.25, 0.0]
    """

    def __init__(self, half_life: float, state: list[str] | None = None) -> None:
        self._keep = 0.5 ** (1 / half_life)
        self._counts = [unpack(each, np.float64) for each in state or []]

    def update(self, lags: Sequence[Times], events: Sequence[int], weights: Sequence[Floats] = ()) -> None:
        """Take in the lags of events that have one, and how many events there were, stream by stream.

        `weights` says how many events each lag stands for, unless it is one.
        """
        if len(self._counts) != len(lags):
            self._counts = [np.zeros(1) for _ in lags]
        for stream, (lag, count) in enumerate(zip(lags, events, strict=True)):
            if len(lag):
                weight = weights[stream] if weights else _ONE_EACH
                self._counts[stream] = added(self._counts[stream], tallied(lag, weight))
                self._counts[stream][0] -= float(weight.sum()) if weights else len(lag)
            self._counts[stream][0] += count

    def update_tally(self, tally: Floats, out_of_order: int) -> None:
        """Take in one stream: how many of its events had a lag of each bin, and how many of them any.

        Numbers are added in the order of `update`, so that what is remembered is the same to the last bit.
        """
        if len(self._counts) != 1:
            self._counts = [np.zeros(1)]
        count, own = float(tally.sum()), self._counts[0]
        if out_of_order:
            if len(tally) > len(own):
                self._counts[0] = own = add(own, np.zeros(len(tally)))
            own[1 : len(tally)] += tally[1:]
            own[0] -= out_of_order
        own[0] += count

    def close(self) -> None:
        """End a block: what was before counts a little less."""
        self._counts = [self._keep * counts for counts in self._counts]

    def missed(self) -> Floats:
        """Return the share of results that each slack would miss, by bin, were their members independent."""
        there = np.ones(max((len(counts) for counts in self._counts), default=1))
        for counts in self._counts:
            present(counts, float(counts.sum()), there)
        return np.maximum(1 - there, 0)

    def snapshot(self) -> list[str]:
        """Return all that is needed to go on, as values that JSON can hold."""
        return [pack(counts) for counts in self._counts]
