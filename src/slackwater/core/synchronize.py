"""The synchronizer: one timestamp order over m reordered streams (JI16 Alg. 1).

The document takes one tuple at a time: hold it while some stream has shown nothing as late as it; a tuple that is
behind what has left passes at once. As a set: after the p-th event, `horizon[p]` is the smallest over the streams of
the largest time that each has shown. Event p leaves at the first q >= p with `horizon[q] >= event time`, by
(q, event time, stream, arrival).

With equal times the document lets events leave as soon as every stream has shown that time, so which stream comes first
depends on the arrivals. In a *total order* (ScaleGate's, SSG17) it does not: the horizon is the smallest over the
streams of (largest time shown, stream), and an event leaves once (event time, stream) is not above that.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from slackwater.compiled import compiled
from slackwater.core.leaving_order import leaving_order
from slackwater.core.near_search import search_near
from slackwater.events import Tagged
from slackwater.time import BEFORE_ALL_TIME, is_released

if TYPE_CHECKING:
    from slackwater.core.merge_runs import Streams
    from slackwater.events import Rows
    from slackwater.time import Times


@dataclass(frozen=True, slots=True)
class SynchronizerState:
    """All that a synchronizer remembers besides the events it holds."""

    shown: tuple[int | None, ...]  # the largest time that each stream has shown
    passed: int | None = None  # up to where everything may leave: it never falls
    through: int | None = None  # in a total order: the last stream that may leave at exactly `passed`; None: all may
    idle: frozenset[int] = frozenset()  # streams that nobody waits for until they speak again


@dataclass(frozen=True, slots=True)
class Synchronizer:
    """Merges `streams` reordered streams; in a total order, equal times leave by stream whatever came first."""

    streams: int
    total_order: bool = False

    def build(self, held: Tagged | None = None, state: SynchronizerState | None = None) -> SynchronizerLogic:
        """Start anew, or go on from a saved state and the events that were held."""
        state = state or SynchronizerState((None,) * self.streams)
        return SynchronizerLogic(Tagged.none() if held is None else held, state, total_order=self.total_order)


class SynchronizerLogic:
    """Holds an event until every stream that is not idle has shown one as late as it. O(n log n) per batch.

    >>> logic = Synchronizer(streams=2).build()
    >>> left, when = logic.on_batch(Tagged.of([(0, 1), (0, 3), (1, 2), (0, 4), (1, 2), (1, 5), (0, 3)]))
    >>> left.time.tolist(), when.tolist()
    ([1, 2, 2, 3, 4, 3], [2, 2, 4, 5, 5, 6])
    """

    def __init__(self, held: Tagged, state: SynchronizerState, *, total_order: bool = False) -> None:
        self._held = held
        self._state = state
        self._total_order = total_order

    def on_batch(self, events: Tagged, awake_from: Mapping[int, int] | None = None) -> tuple[Tagged, Rows]:
        """Take in events in the order of their release; return those that leave, in the order in which they do.

        The second column says which of the events that came made each leave. `awake_from` says of streams that have
        spoken from which of these events on: behind the last, if nothing has been released since.
        """
        horizons = self._horizons(events, awake_from or {})
        self._state = replace(self._state, idle=self._state.idle - set(awake_from or {}))
        if not len(events):
            return Tagged.none(), np.empty(0, np.int64)
        pool, held = self._held + events, len(self._held)
        order = leaving_order(pool.time, pool)  # all but late events leave so
        sorted_pool = pool[order]
        leaves = _first_reached(horizons, sorted_pool.time, sorted_pool.stream)
        gone = int(np.searchsorted(leaves, len(events)))
        self._held = pool[np.sort(order[gone:])]
        leaving = sorted_pool[:gone]
        leaves = np.maximum(leaves[:gone], order[:gone] - held)  # none leaves before it comes
        if not (leaves[1:] < leaves[:-1]).any():
            return leaving, leaves
        order = leaving_order(leaves, leaving)
        return leaving[order], leaves.take(order)

    def on_idle(self, stream: int) -> Tagged:
        """Stop waiting for a stream; return what leaves because of that."""
        self._state = replace(self._state, idle=self._state.idle | {stream})
        awaited = [(time, s) for s, time in enumerate(self._state.shown) if s not in self._state.idle]
        known = [time for time in self._state.shown if time is not None]
        if any(time is None for time, _ in awaited) or not known:
            return Tagged.none()
        everything = (max(known), len(self._state.shown))
        horizon = min(((time, s) for time, s in awaited if time is not None), default=everything)
        passed, through = max(horizon, self._passed)
        self._state = replace(self._state, passed=passed, through=through if self._total_order else None)
        limits = np.array([self._limit(passed, through, s) for s in range(len(self._state.shown))])
        gone = is_released(self._held.time, limits[self._held.stream])
        leaving, self._held = self._held[gone], self._held[~gone]
        return leaving[leaving_order(leaving.time, leaving)]

    def on_end(self) -> Tagged:
        """Drain: let everything leave, in order."""
        held, self._held = self._held, Tagged.none()
        return held[leaving_order(held.time, held)]

    @property
    def held(self) -> Tagged:
        """The events that wait for a slower stream."""
        return self._held

    def snapshot(self) -> SynchronizerState:
        """Return all that is needed to go on, besides the events that are held."""
        return self._state

    @property
    def _passed(self) -> tuple[int, int]:
        """The time and the stream up to which everything may leave."""
        through = len(self._state.shown) if self._state.through is None else self._state.through
        return BEFORE_ALL_TIME if self._state.passed is None else self._state.passed, through

    def _limit(self, time: Any, through: Any, stream: int) -> Any:
        """Return up to which time events of a stream may leave, given up to which (time, stream) all may."""
        return time - (through < stream) if self._total_order else time

    def _horizons(self, events: Tagged, awake_from: Mapping[int, int]) -> Times:
        """Return, after each event, up to which time the events of each stream may leave; it never falls.

        Without a total order there is one for all streams. An idle stream counts as if it had shown all that the
        fastest has, and more: if all are idle, everything leaves.
        """
        streams = range(len(self._state.shown))
        levels = np.array([BEFORE_ALL_TIME if time is None else time for time in self._state.shown])
        awake = np.array([awake_from.get(s, len(events)) if s in self._state.idle else 0 for s in streams])
        limits = [self._limit(*self._passed, stream) for stream in (streams if self._total_order else range(1))]
        horizons = np.empty((len(limits), len(events)), np.int64)
        _climb(events.stream, events.time, levels, awake, np.array(limits), horizons)
        if len(events):
            shown = tuple(None if level == BEFORE_ALL_TIME else level for level in levels.tolist())
            self._state = SynchronizerState(shown, *self._reached(horizons), self._state.idle)
        return horizons

    def _reached(self, horizons: Times) -> tuple[int, int | None]:
        """Return up to which time, and in a total order up to which stream at that time, everything may leave now."""
        passed = int(horizons[0, -1])
        return passed, int((horizons[:, -1] == passed).sum()) - 1 if self._total_order else None


@compiled
def _climb(stream: Streams, time: Times, levels: Times, awake_from: Rows, limits: Times, horizons: Times) -> None:
    """Follow the slowest stream, event by event; `levels` and `limits` are those before, and then those after.

    With a limit for each stream, those behind the first of the slowest streams that are awake may not leave at its
    time; behind the last if none is awake.
    """
    fastest = levels.max()
    for at in range(len(time)):
        levels[stream[at]], fastest = max(levels[stream[at]], time[at]), max(fastest, time[at])
        slowest, through = fastest, len(levels)
        for own in range(len(levels)):
            if at >= awake_from[own] and (levels[own] < slowest or through == len(levels)):
                slowest, through = levels[own], own
        for own in range(len(limits)):
            limits[own] = max(limits[own], slowest - (through < own))
            horizons[own, at] = limits[own]


def _first_reached(horizons: Times, time: Times, stream: Streams) -> Rows:
    """Return after which event the horizon of its stream reaches each event."""
    if len(horizons) == 1:
        return search_near(horizons[0], time)
    reached = np.empty(len(time), np.int64)
    for number, horizon in enumerate(horizons):
        mine = stream == number
        reached[mine] = search_near(horizon, time[mine])
    return reached
