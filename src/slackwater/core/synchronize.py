"""The synchronizer: one timestamp order over m reordered streams (JI16 Alg. 1).

The document takes one tuple at a time: hold it while some stream has shown nothing as late as it; a tuple that is
behind what has left passes at once. As a set: after the p-th event, `horizon[p]` is the smallest over the streams of
the largest time that each has shown. Event p leaves at the first q >= p with `horizon[q] >= event time`, by
(q, event time, stream, arrival).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from slackwater.events import Tagged
from slackwater.time import BEFORE_ALL_TIME, is_released, running_clock

if TYPE_CHECKING:
    from slackwater.events import Rows
    from slackwater.time import Times


@dataclass(frozen=True, slots=True)
class SynchronizerState:
    """All that a synchronizer remembers besides the events it holds."""

    shown: tuple[int | None, ...]  # the largest time that each stream has shown
    passed: int | None = None  # up to where everything may leave: it never falls
    idle: frozenset[int] = frozenset()  # streams that nobody waits for until they speak again


@dataclass(frozen=True, slots=True)
class Synchronizer:
    """Merges `streams` reordered streams."""

    streams: int

    def build(self, held: Tagged | None = None, state: SynchronizerState | None = None) -> SynchronizerLogic:
        """Start anew, or go on from a saved state and the events that were held."""
        return SynchronizerLogic(
            Tagged.none() if held is None else held, state or SynchronizerState((None,) * self.streams)
        )


class SynchronizerLogic:
    """Holds an event until every stream that is not idle has shown one as late as it. O(n log n) per batch.

    >>> logic = Synchronizer(streams=2).build()
    >>> left, when = logic.on_batch(Tagged.of([(0, 1), (0, 3), (1, 2), (0, 4), (1, 2), (1, 5), (0, 3)]))
    >>> left.time.tolist(), when.tolist()
    ([1, 2, 2, 3, 4, 3], [2, 2, 4, 5, 5, 6])
    """

    def __init__(self, held: Tagged, state: SynchronizerState) -> None:
        self._held = held
        self._state = state

    def on_batch(self, events: Tagged, awake_from: Mapping[int, int] | None = None) -> tuple[Tagged, Rows]:
        """Take in events in the order of their release; return those that leave, in the order in which they do.

        The second column says which of the events that came made each leave. `awake_from` says of streams that have
        spoken from which of these events on: behind the last, if nothing has been released since.
        """
        horizon = self._horizon(events, awake_from or {}) if len(events) else np.empty(0, np.int64)
        idle = self._state.idle - set(awake_from or {})
        self._state = SynchronizerState(self._state.shown, self._state.passed, idle)
        if not len(events):
            return Tagged.none(), horizon
        came = np.concatenate((np.zeros(len(self._held), np.int64), np.arange(len(events), dtype=np.int64)))
        pool = self._held + events
        leaves = np.maximum(np.searchsorted(horizon, pool.time, side="left"), came)
        gone = leaves < len(events)
        self._held = pool[~gone]
        by_time = np.flatnonzero(gone)
        by_time = by_time[np.argsort(pool.time[by_time], kind="stable")]  # all but late events leave in this order
        leaving, leaves = pool[by_time], leaves[by_time]
        order = leaving.sorted_by(leaves)
        return leaving[order], leaves[order]

    def on_idle(self, stream: int) -> Tagged:
        """Stop waiting for a stream; return what leaves because of that."""
        idle = self._state.idle | {stream}
        self._state = SynchronizerState(self._state.shown, self._state.passed, idle)
        awaited = [time for s, time in enumerate(self._state.shown) if s not in idle]
        known = [time for time in self._state.shown if time is not None]
        if None in awaited or not known:
            return Tagged.none()
        horizon = min((time for time in awaited if time is not None), default=max(known))
        horizon = horizon if self._state.passed is None else max(horizon, self._state.passed)
        self._state = SynchronizerState(self._state.shown, horizon, idle)
        gone = is_released(self._held.time, horizon)
        leaving, self._held = self._held[gone], self._held[~gone]
        return leaving[leaving.sorted_by(leaving.time)]

    def on_end(self) -> Tagged:
        """Drain: let everything leave, in order."""
        held, self._held = self._held, Tagged.none()
        return held[held.sorted_by(held.time)]

    @property
    def held(self) -> Tagged:
        """The events that wait for a slower stream."""
        return self._held

    def snapshot(self) -> SynchronizerState:
        """Return all that is needed to go on, besides the events that are held."""
        return self._state

    def _horizon(self, events: Tagged, awake_from: Mapping[int, int]) -> Times:
        """Return, after each event, up to which time everything may leave; it never falls.

        An idle stream counts as if it had shown all that the fastest has: if all are idle, everything leaves.
        """
        levels = [
            running_clock(np.where(events.stream == stream, events.time, BEFORE_ALL_TIME), before)
            for stream, before in enumerate(self._state.shown)
        ]
        shown = tuple(None if level[-1] == BEFORE_ALL_TIME else int(level[-1]) for level in levels)
        fastest: Times = np.maximum.reduce(levels)
        for stream in self._state.idle:
            asleep = np.arange(len(events)) < awake_from.get(stream, len(events))
            levels[stream] = np.where(asleep, fastest, levels[stream])
        horizon = running_clock(np.minimum.reduce(levels), self._state.passed)
        self._state = SynchronizerState(shown, int(horizon[-1]), self._state.idle)
        return horizon
