"""The merge one event at a time, written from its definition: what the columnar operator must equal."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from tests.oracle.join import Event, KSlack

Place = tuple[float, int]  # time, stream
NOWHERE: Place = (-math.inf, -1)


@dataclass
class Merge:
    """K-slack per stream; then an event leaves once every awaited stream has shown one not before it.

    *Before* is in the order of (time, stream, arrival). What leaves behind another that has left is late.
    """

    streams: int
    slack: int | tuple[int, ...]  # of all streams alike, or one per stream
    release: str = "arrival"
    held: list[Event] = field(default_factory=list)
    idle: set[int] = field(default_factory=set)
    passed: Place = NOWHERE  # everything up to here may leave, for ever
    last: Place = NOWHERE  # of what left in order
    merged: list[int] = field(default_factory=list)  # indices
    late: list[tuple[int, int]] = field(default_factory=list)  # index, late_by

    def __post_init__(self) -> None:
        self.kslacks = [KSlack(self.release) for _ in range(self.streams)]
        self.shown = [-math.inf] * self.streams

    def run(
        self,
        arrivals: Sequence[tuple[int, int, object]],
        steps: Sequence[int],
        *,
        idle: Mapping[int, Collection[int]] | None = None,
        drain: bool = True,
    ) -> Merge:
        """Run over all arrivals (stream, time, payload); after some steps, streams are `idle`."""
        for step in sorted(set(steps)):
            came = [Event(time, s, i) for i, (s, time, _) in enumerate(arrivals) if steps[i] == step]
            self._pass_on([event for s in range(self.streams) for event in self._arrive(s, came)])
            for stream in (idle or {}).get(step, ()):
                self._step_aside(stream)
        if drain:
            self._pass_on([event for kslack in self.kslacks for event in kslack.pass_on(math.inf)])
            self._leave(sorted(self.held))
        return self

    def _arrive(self, stream: int, came: list[Event]) -> list[Event]:
        mine = [event for event in came if event.stream == stream]
        self.idle -= {stream} if mine else set()
        slack = self.slack if isinstance(self.slack, int) else self.slack[stream]
        return self.kslacks[stream].on_step(mine, slack) if mine else []

    def _step_aside(self, stream: int) -> None:
        self._pass_on(self.kslacks[stream].pass_on(math.inf))
        self.idle.add(stream)
        self._leave(self._ready())

    def _pass_on(self, released: list[Event]) -> None:
        for event in sorted(released):
            self.shown[event.stream] = max(self.shown[event.stream], event.time)
            self.held.append(event)
            self._leave(self._ready())

    def _ready(self) -> list[Event]:
        awaited = [(shown, s) for s, shown in enumerate(self.shown) if s not in self.idle]
        self.passed = max(self.passed, min(awaited, default=(max(self.shown), self.streams)))
        ready = sorted(event for event in self.held if (event.time, event.stream) <= self.passed)
        self.held = [event for event in self.held if (event.time, event.stream) > self.passed]
        return ready

    def _leave(self, events: list[Event]) -> None:
        for event in events:
            if (event.time, event.stream) < self.last:
                self.late.append((event.index, int(self.last[0]) - event.time))
            else:
                self.merged.append(event.index)
                self.last = (event.time, event.stream)
