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

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from slackwater.core.leaving_order import is_order_of_leaving, leaving_order
from slackwater.core.near_search import search_near
from slackwater.events import Tagged
from slackwater.time import BEFORE_ALL_TIME, is_released, running_clock

if TYPE_CHECKING:
    from slackwater.events import Rows
    from slackwater.time import Mask, Times


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
        horizons = self._horizons(events, awake_from or {}) if len(events) else []
        self._state = replace(self._state, idle=self._state.idle - set(awake_from or {}))
        if not len(events):
            return Tagged.none(), np.empty(0, np.int64)
        came = np.concatenate((np.zeros(len(self._held), np.int64), np.arange(len(events), dtype=np.int64)))
        pool = self._held + events
        leaves = np.maximum(_first_reached(horizons, pool), came)
        gone = leaves < len(events)
        self._held = pool[~gone]
        by_time = np.flatnonzero(gone)
        by_time = by_time.take(np.argsort(pool.time.take(by_time), kind="stable"))  # all but late events leave so
        leaving, leaves = pool[by_time], leaves.take(by_time)
        if is_order_of_leaving(leaves, leaving):
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

    def _horizons(self, events: Tagged, awake_from: Mapping[int, int]) -> list[Times]:
        """Return, after each event, up to which time the events of each stream may leave; it never falls.

        Without a total order there is one for all streams. An idle stream counts as if it had shown all that the
        fastest has, and more: if all are idle, everything leaves.
        """
        levels = [
            running_clock(np.where(events.stream == stream, events.time, BEFORE_ALL_TIME), before)
            for stream, before in enumerate(self._state.shown)
        ]
        shown = tuple(None if level[-1] == BEFORE_ALL_TIME else int(level[-1]) for level in levels)
        fastest: Times = np.maximum.reduce(levels)
        asleep = {s: np.arange(len(events)) < awake_from.get(s, len(events)) for s in self._state.idle}
        for stream, sleeps in asleep.items():
            levels[stream] = np.where(sleeps, fastest, levels[stream])
        slowest: Times = np.minimum.reduce(levels)
        through = _slowest_stream(levels, slowest, asleep) if self._total_order else None
        horizons = [
            running_clock(self._limit(slowest, through, stream), self._limit(*self._passed, stream))
            for stream in range(len(levels) if self._total_order else 1)
        ]
        self._state = SynchronizerState(shown, *self._reached(horizons), self._state.idle)
        return horizons

    def _reached(self, horizons: Sequence[Times]) -> tuple[int, int | None]:
        """Return up to which time, and in a total order up to which stream at that time, everything may leave now."""
        passed = int(horizons[0][-1])
        return passed, sum(int(each[-1]) == passed for each in horizons) - 1 if self._total_order else None


def _slowest_stream(levels: Sequence[Times], slowest: Times, asleep: Mapping[int, Mask]) -> Rows:
    """Return, after each event, the first of the slowest streams that are awake; behind the last if none is."""
    first = np.full(len(slowest), len(levels), np.int64)
    for stream in reversed(range(len(levels))):
        waits = levels[stream] == slowest
        first[waits & ~asleep[stream] if stream in asleep else waits] = stream
    return first


def _first_reached(horizons: Sequence[Times], pool: Tagged) -> Rows:
    """Return after which event the horizon of its stream reaches each event."""
    if len(horizons) == 1:
        return search_near(horizons[0], pool.time)
    reached = np.empty(len(pool), np.int64)
    for stream, horizon in enumerate(horizons):
        mine = pool.stream == stream
        reached[mine] = search_near(horizon, pool.time[mine])
    return reached
