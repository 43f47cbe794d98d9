"""Chooses some events of every interval, the same ones however the stream is cut into batches."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from slackwater.compiled import compiled

if TYPE_CHECKING:
    from slackwater.events import Rows
    from slackwater.measurement import Numbers


@dataclass(frozen=True, slots=True)
class SampleState:
    """Where a sampler is."""

    seen: int = 0  # events so far
    stride: int = 1  # every so many are chosen, in the interval under way
    in_interval: int = 0  # events of that interval so far


class Sampler:
    """Chooses about `most` events of each interval: the stride follows from how many the interval before had.

    >>> sampler = Sampler(2)
    >>> chosen, weight = sampler.choose(np.array([0, 0, 0, 0, 1, 1, 1, 1]), intervals=2)
    >>> chosen.tolist(), weight.tolist()
    ([0, 1, 2, 3, 4, 6], [1.0, 1.0, 1.0, 1.0, 2.0, 2.0])
    """

    def __init__(self, most: int, state: SampleState | None = None) -> None:
        self._most = most
        self._state = state or SampleState()

    def choose(self, interval: Rows, *, intervals: int) -> tuple[Rows, Numbers]:
        """Return the positions of chosen events and how many events each stands for.

        `interval` numbers the interval of each event, in order, from 0: the one that is under way.
        """
        counts = np.bincount(interval, minlength=intervals)
        own = counts.copy()
        counts[0] += self._state.in_interval
        in_force = self._strides(counts)
        chosen, weight = _every(in_force, own, self._state.seen)
        self._state = SampleState(self._state.seen + len(interval), int(in_force[-1]), int(counts[-1]))
        return chosen, weight

    def _strides(self, counts: Rows) -> Rows:
        """Return the stride of each interval: by the last one before it that had events."""
        own = np.concatenate(([self._state.stride], -(-counts[:-1] // self._most)))
        known = np.maximum.accumulate(np.where(own > 0, np.arange(len(own)), 0))
        strides: Rows = own[known]
        return strides

    def snapshot(self) -> SampleState:
        """Return all that is needed to go on."""
        return self._state


@compiled
def _every(stride: Rows, counts: Rows, seen: int) -> tuple[Rows, Numbers]:
    """Return the positions of those events of each interval whose number is a multiple of its stride, and the stride.

    `seen` is the number of the first event.
    """
    most = 0
    for number in range(len(counts)):
        most += counts[number] // stride[number] + 1
    chosen, weight, found, start = np.empty(most, np.int64), np.empty(most), 0, 0
    for number in range(len(counts)):
        stop = start + counts[number]
        for at in range(start + -(seen + start) % stride[number], stop, stride[number]):
            chosen[found], weight[found] = at, stride[number]
            found += 1
        start = stop
    return chosen[:found], weight[:found]
