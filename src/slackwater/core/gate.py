"""The gate: m streams in one total order, for no longer than a limit (SSG17 ScaleGate and Slack-ScaleGate).

An event is *ready* once every awaited stream has shown that nothing before it will follow: its (event time, stream) is
not above any stream's (clock - slack, stream). In the document streams are sorted and that slack is 0 (Def. 2.1); where
they are not, it is what a reorder buffer would wait. An event that is not ready leaves all the same once it is more
than `limit` behind the fastest stream: it is *slack-ready* (Def. 3.1, `SLT`). An event that is behind one that has left
comes too late to be in order; it leaves at once.

The document reads one event at a time. Here a batch is a set computation: while neither slack nor limit grows, all
horizons only rise, so an event leaves at the first step at which one of them reaches it. Where a horizon falls (a
tuner allows more, an idle stream speaks again) the batch is cut.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from slackwater.core.arrivals import Arrivals
from slackwater.core.leaving_order import leaving_order
from slackwater.core.merged import MergedArrivals
from slackwater.events import Events, Tagged
from slackwater.time import AFTER_ALL_TIME, BEFORE_ALL_TIME, is_released, release_horizon, slack_ready_horizon

if TYPE_CHECKING:
    from slackwater.events import Rows
    from slackwater.time import Mask, Times


class Place(NamedTuple):
    """Where an event is in the order: equal ones are in the order of their arrival."""

    time: int
    stream: int


@dataclass(frozen=True, slots=True)
class GateState:
    """All that a gate remembers besides the events it holds."""

    clocks: tuple[int | None, ...]  # the largest time that each stream has shown (maxWriterTs in SSG17)
    last: Place | None = None  # of the events that have left, the largest
    idle: frozenset[int] = frozenset()  # streams that nobody waits for until they speak again


@dataclass(frozen=True, slots=True)
class Left:
    """Events that left a gate, in the order in which they did."""

    events: Tagged
    step: Rows  # at which of the steps of the batch each left
    ready: Mask  # false: it was slack-ready only, or left because a stream was idle

    @classmethod
    def none(cls) -> Left:
        """Nothing left."""
        return cls(Tagged.none(), np.empty(0, np.int64), np.empty(0, np.bool_))

    @classmethod
    def concat(cls, parts: Sequence[Left]) -> Left:
        """Put one after the other."""
        parts = [part for part in parts if len(part.events)]
        if len(parts) < 2:
            return parts[0] if parts else cls.none()
        step, ready = (np.concatenate(c) for c in zip(*((p.step, p.ready) for p in parts), strict=True))
        return cls(Tagged.concat([part.events for part in parts]), step, ready)


@dataclass(frozen=True, slots=True)
class Gate:
    """Merges `streams` streams."""

    streams: int

    def build(self, held: Tagged | None = None, state: GateState | None = None) -> GateLogic:
        """Start anew, or go on from a saved state and the events that were held."""
        state = state or GateState((None,) * self.streams)
        return GateLogic(Tagged.none() if held is None else held, state)


class GateLogic:
    """Holds events until they are ready, or the limit is reached. O((n + held) log n) for a batch of n.

    With a limit it holds at most the events of the last `limit` of event time of the fastest stream; without one, all
    that came since the slowest stream spoke.

    >>> gate = Gate(streams=2).build()  # the example of SSG17 Fig. 6, times in tenths
    >>> came = gate.arrive([Events.of([10, 55, 90], arrival=[0, 2, 3]), Events.of([20, 40, 95], arrival=[1, 4, 5])])
    >>> left = gate.on_batch(came, limit=30)
    >>> list(zip(left.events.time.tolist(), left.ready.tolist()))
    [(10, True), (20, True), (55, False), (40, True), (90, True)]
    """

    def __init__(self, held: Tagged, state: GateState) -> None:
        self._held = held
        self._state = state

    def arrive(self, events: Sequence[Events]) -> MergedArrivals:
        """Let events of each stream arrive, in the order of their `arrival`; `on_batch` takes them in."""
        clocks = self._state.clocks
        arrivals = [Arrivals.after(clock, own) for clock, own in zip(clocks, events, strict=True)]
        return MergedArrivals.of(arrivals, clocks, self._state.idle)

    def on_batch(self, arrivals: MergedArrivals, limit: Times | int | None, slack: Times | int = 0) -> Left:
        """Take in arrivals; read all that may leave after each of their steps. Without a limit nothing is slack-ready.

        `limit` and `slack` are those of each step, in us; a single number holds for all.
        """
        if not arrivals.steps:
            return Left.none()
        horizons = _Horizons.of(arrivals, self._state.idle, limit, slack)
        came, step = _in_total_order(arrivals)
        edges = [0, *horizons.falls().tolist(), arrivals.steps]
        parts = []
        for start, stop in zip(edges, edges[1:], strict=False):  # noqa: RUF007  (pairs of edges)
            mine = slice(None) if len(edges) == 2 else (step >= start) & (step < stop)
            parts.append(self._stretch(came[mine], step[mine], horizons, start, stop))
        clocks = tuple(None if clock[-1] == BEFORE_ALL_TIME else int(clock[-1]) for clock in arrivals.clocks)
        silent = frozenset(stream for stream in self._state.idle if not arrivals.streams[stream].steps)
        self._state = replace(self._state, clocks=clocks, idle=silent)
        return Left.concat(parts)

    def on_idle(self, stream: int, slack: int = 0) -> Left:
        """Stop waiting for a stream; return what leaves because of that, as at one step: not ready, all of it.

        Later events are ready without that stream, until it speaks again.
        """
        self._state = replace(self._state, idle=self._state.idle | {stream})
        known = [clock for clock in self._state.clocks if clock is not None]
        awaited = [(clock, s) for s, clock in enumerate(self._state.clocks) if s not in self._state.idle]
        if not known or any(clock is None for clock, _ in awaited):
            return Left.none()
        if not awaited:
            return self._leave(np.ones(len(self._held), np.bool_), ready=False)
        horizon = min((release_horizon(clock, slack), s) for clock, s in awaited if clock is not None)
        limits = np.array([_limit(*horizon, s) for s in range(len(self._state.clocks))])
        return self._leave(is_released(self._held.time, limits[self._held.stream]), ready=False)

    def on_end(self) -> Left:
        """Drain: let everything leave, in order."""
        return self._leave(np.ones(len(self._held), np.bool_), ready=True)

    @property
    def held(self) -> Tagged:
        """The events that wait."""
        return self._held

    def snapshot(self) -> GateState:
        """Return all that is needed to go on, besides the events that are held."""
        return self._state

    def _leave(self, gone: Mask, *, ready: bool) -> Left:
        leaving, self._held = self._held[gone], self._held[~gone]
        leaving = leaving[leaving_order(leaving.time, leaving)]
        self._pass(leaving)
        return Left(leaving, np.zeros(len(leaving), np.int64), np.full(len(leaving), ready))

    def _stretch(self, came: Tagged, step: Rows, horizons: _Horizons, start: int, stop: int) -> Left:
        """Read after each step of a stretch in which no horizon falls."""
        pool = self._held + came
        entered = np.concatenate((np.full(len(self._held), start, np.int64), step))
        leaves = np.maximum(horizons.first_reaching(pool, start, stop), entered)
        if self._state.last is not None:
            behind = is_behind(pool, self._state.last)
            leaves = np.where(behind, entered, leaves)
        gone = leaves < stop
        self._held = pool[~gone]
        by_time = np.flatnonzero(gone)
        by_time = by_time[np.argsort(pool.time[by_time], kind="stable")]  # all but late events leave in this order
        leaving, leaves = pool[by_time], leaves[by_time]
        order = leaving_order(leaves, leaving)
        leaving, leaves = leaving[order], leaves[order]
        self._pass(leaving)
        return Left(leaving, leaves, horizons.is_ready(leaving, leaves))

    def _pass(self, leaving: Tagged) -> None:
        """Remember the largest of what has left."""
        if not len(leaving):
            return
        time = leaving.time.max()
        last = Place(int(time), int(leaving.stream[leaving.time == time].max()))
        self._state = replace(self._state, last=last if self._state.last is None else max(last, self._state.last))


@dataclass(frozen=True, slots=True)
class _Horizons:
    """After each step, up to which time the events of each stream are ready, and events of any are slack-ready."""

    ready: tuple[Times, ...]
    slack_ready: Times | None

    @classmethod
    def of(
        cls, arrivals: MergedArrivals, idle: frozenset[int], limit: Times | int | None, slack: Times | int
    ) -> _Horizons:
        """Find them; nobody waits for an idle stream until it speaks."""
        level, through = np.full(arrivals.steps, AFTER_ALL_TIME), np.zeros(arrivals.steps, np.int64)
        for stream, clock in enumerate(arrivals.clocks):
            slower = clock < level
            if stream in idle:
                slower &= arrivals.has_spoken(stream)
            level = np.where(slower, clock, level)
            through[slower] = stream
        level = release_horizon(level, np.asarray(slack, np.int64))
        ready = tuple(_limit(level, through, stream) for stream in range(len(arrivals.streams)))
        overdue = None if limit is None else slack_ready_horizon(arrivals.clock, np.asarray(limit, np.int64))
        return cls(ready, overdue)

    def falls(self) -> Rows:
        """Return the steps at which a horizon is below where it was."""
        columns = [*self.ready, *(() if self.slack_ready is None else (self.slack_ready,))]
        lower = np.zeros(max(len(columns[0]) - 1, 0), np.bool_)
        for column in columns:
            lower |= column[1:] < column[:-1]
        return np.flatnonzero(lower) + 1

    def first_reaching(self, pool: Tagged, start: int, stop: int) -> Rows:
        """Return the first step of a stretch at which each event may leave."""
        reached = np.empty(len(pool), np.int64)
        for stream, ready in enumerate(self.ready):
            mine = np.flatnonzero(pool.stream == stream)
            part = ready[start:stop]
            part = part if self.slack_ready is None else np.maximum(part, self.slack_ready[start:stop])
            reached[mine] = np.searchsorted(part, pool.time[mine], side="left") + start
        return reached

    def is_ready(self, events: Tagged, step: Rows) -> Mask:
        """Whether each event is ready at the step at which it leaves; a late one may be (SSG17 Alg. 3)."""
        ready = np.empty(len(events), np.bool_)
        for stream, horizon in enumerate(self.ready):
            mine = np.flatnonzero(events.stream == stream)
            ready[mine] = is_released(events.time[mine], horizon[step[mine]])
        return ready


def _limit(time: Times | int, through: Rows | int, stream: int) -> Times:
    """Return up to which time events of a stream may leave, given up to which (time, stream) all may."""
    return np.asarray(np.subtract(time, np.less(through, stream)), np.int64)


def is_behind(events: Tagged, place: Place) -> Mask:
    """Whether each event is before a place in the order: one that has left makes it late."""
    return np.asarray((events.time < place.time) | ((events.time == place.time) & (events.stream < place.stream)))


def is_up_to(events: Tagged, place: Place) -> Mask:
    """Whether each event is not behind a place in the order: up to the slowest stream's, events are ready."""
    return np.asarray((events.time < place.time) | ((events.time == place.time) & (events.stream <= place.stream)))


def _in_total_order(arrivals: MergedArrivals) -> tuple[Tagged, Rows]:
    """Return all events that came, stream by stream, and the step of each."""
    parts = [Tagged.from_stream(stream, own.events) for stream, own in enumerate(arrivals.streams)]
    steps = [arrivals.per_event(stream, np.arange(arrivals.steps)) for stream in range(len(parts))]
    return Tagged.concat(parts), np.concatenate(steps)
