"""How many events arrive: SUN15 Sec. 6.1.1 takes the data rates of both streams from the engine."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from slackwater.estimate.arrays import Floats, pack, unpack


class ArrivalRate:
    """Events of each stream in one microsecond of event time, over the last few adaptation intervals.

    Holds one number for each stream and interval.

    >>> rate = ArrivalRate(streams=2, interval=1_000, remembered=3)
    >>> rate.update((500, 250))
    >>> rate.close()
    >>> rate.get().tolist()
    [0.5, 0.25]
    """

    def __init__(self, *, streams: int, interval: int, remembered: int, state: dict[str, Any] | None = None) -> None:
        self._interval = interval
        self._remembered = remembered
        state = state or {"arrived": [0] * streams, "closed": pack(np.zeros(0))}
        self._arrived = np.array(state["arrived"], np.float64)  # in the interval that is still open
        self._closed: Floats = unpack(state["closed"], np.float64).reshape(-1, streams)  # oldest first

    def update(self, arrived: Sequence[int]) -> None:
        """Count the events that arrived in each stream, in an interval or a part of one."""
        self._arrived += arrived

    def close(self, intervals: int = 1) -> None:
        """End the interval; more than one ends after a silence, in which nothing arrived."""
        silent = np.zeros((min(intervals - 1, self._remembered), len(self._arrived)))
        self._closed = np.concatenate((self._closed, self._arrived[None], silent))[-self._remembered :]
        self._arrived = np.zeros_like(self._arrived)

    def get(self) -> Floats:
        """Return the rate of each stream; zero before the first interval ends."""
        rate: Floats = self._closed.sum(axis=0) / (max(len(self._closed), 1) * self._interval)
        return rate

    def snapshot(self) -> dict[str, Any]:
        """Return the counts of the open interval and of the closed ones."""
        return {"arrived": self._arrived.tolist(), "closed": pack(self._closed)}
