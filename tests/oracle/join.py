"""Sliding-window joins one event at a time, written from the text of the documents: what the columns must equal.

Plain and slow on purpose. An arrival is `(stream, time, payload)`, streams count from 0, and an arrival is known by its
index in the list of all arrivals. A result is `(time, indices)`, one index per stream.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any, NamedTuple

import duckdb

Arrival = tuple[int, int, Any]  # stream, time, payload
Result = tuple[int, tuple[int, ...]]  # time, the index of its event in each stream
Predicate = Callable[..., bool]  # of the payloads, one per stream
Slack = int | tuple[int, ...]  # of all streams alike, or one per stream


def everything(*payloads: Any) -> bool:
    """No condition: every combination that the windows allow is a result."""
    return True


class Event(NamedTuple):
    """Sorts by (time, stream, arrival), the order in which events leave the synchronizer."""

    time: int
    stream: int
    index: int


@dataclass
class KSlack:
    """JI16 Sec. III-A (release="clock", Fig. 3) and SUN15 Fig. 3.2 (release="arrival"); one stream.

    Nothing is turned away here: an event behind what was passed on leaves at the next release check like any other.
    """

    release: str = "arrival"
    clock: int | None = None
    held: list[Event] = field(default_factory=list)

    def on_step(self, arrived: list[Event], slack: int) -> list[Event]:
        """Take in events of this stream that arrive together."""
        before = self.clock
        self.held += arrived
        self.clock = max(event.time for event in arrived)
        if before is not None:
            self.clock = max(before, self.clock)
        if self.release == "clock" and self.clock == before:
            return []
        return self.pass_on(self.clock - slack)

    def pass_on(self, horizon: float) -> list[Event]:
        leaving = sorted(event for event in self.held if event.time <= horizon)
        self.held = [event for event in self.held if event.time > horizon]
        return leaving


@dataclass
class Synchronizer:
    """JI16 Alg. 1: `passed_on` is T_sync, `held` is SyncBuf. Streams in `idle` are not waited for."""

    streams: int
    passed_on: float = -math.inf
    held: list[Event] = field(default_factory=list)
    idle: set[int] = field(default_factory=set)

    def on_event(self, event: Event) -> list[Event]:
        if event.time <= self.passed_on:
            return [event]
        self.held.append(event)
        return self.pass_on()

    def pass_on(self) -> list[Event]:
        leaving = []
        awaited = set(range(self.streams)) - self.idle
        while self.held and awaited <= {event.stream for event in self.held}:
            self.passed_on = min(event.time for event in self.held)
            leaving += sorted(event for event in self.held if event.time == self.passed_on)
            self.held = [event for event in self.held if event.time != self.passed_on]
        return leaving

    def on_end(self) -> list[Event]:
        leaving, self.held = sorted(self.held), []
        return leaving


@dataclass(frozen=True)
class Processed:
    """What the join made of one event, in the order in which events came to it."""

    index: int
    stream: int
    time: int
    in_order: bool
    inserted: bool  # into the window of its stream
    late_by: int  # how far the event was behind the join's time; 0 if in order
    cross: int  # combinations that the windows offered it, whatever the condition; 0 if not in order
    results: list[Result]
    clock: int | None = None  # the largest event time that had arrived by then, in any stream
    step: int | None = None  # the arrival step that brought it to the join; None at the end of the streams


@dataclass
class WindowJoin:
    """JI16 Alg. 2: `latest` is the join's time T, `contents` are the windows."""

    windows: Sequence[int]
    matches: Callable[[tuple[int, ...]], bool]  # of the indices of a combination
    latest: float = -math.inf
    contents: list[list[Event]] = field(init=False)

    def __post_init__(self) -> None:
        self.contents = [[] for _ in self.windows]

    def on_event(self, event: Event) -> Processed:
        if event.time < self.latest:
            return self._out_of_order(event)
        self.latest = event.time
        for stream, window in enumerate(self.windows):
            if stream != event.stream:
                alive = [other for other in self.contents[stream] if other.time >= event.time - window]
                self.contents[stream] = alive
        offered = [[event] if stream == event.stream else held for stream, held in enumerate(self.contents)]
        combinations = [tuple(member.index for member in members) for members in product(*offered)]
        results = [(event.time, indices) for indices in combinations if self.matches(indices)]
        self.contents[event.stream].append(event)
        return Processed(event.index, event.stream, event.time, True, True, 0, len(combinations), results)

    def _out_of_order(self, event: Event) -> Processed:
        inserted = event.time >= self.latest - self.windows[event.stream]
        if inserted:
            self.contents[event.stream].append(event)
        late_by = int(self.latest) - event.time
        return Processed(event.index, event.stream, event.time, False, inserted, late_by, 0, [])


class Pipeline:
    """K-slack per stream, synchronizer, join (JI16 Fig. 2), with a given slack.

    `slack_at` is the slack, one per stream, or a function of the step; a new slack applies from the next release check
    on (A14). What leaves the K-slack buffers in one step comes to the synchronizer by (time, arrival), one by one.
    """

    def __init__(
        self,
        windows: Sequence[int],
        slack_at: Slack | Callable[[int], Slack] = 0,
        *,
        release: str = "arrival",
        predicate: Predicate = everything,
    ) -> None:
        self.windows = tuple(windows)
        self.slack_at = slack_at if callable(slack_at) else lambda step: slack_at
        self.predicate = predicate
        self.payloads: dict[int, Any] = {}
        self.kslacks = [KSlack(release) for _ in windows]
        self.synchronizer = Synchronizer(len(self.windows))
        self.join = WindowJoin(self.windows, self._matches)
        self.delays: dict[int, int] = {}  # by index
        self.released: list[int] = []  # indices, as they left the K-slack buffers
        self.processed: list[Processed] = []

    def run(
        self,
        arrivals: Sequence[Arrival],
        steps: Sequence[int] | None = None,
        *,
        idle: Mapping[int, Collection[int]] | None = None,
        drain: bool = True,
    ) -> Pipeline:
        """Run over all arrivals, each a step of its own unless `steps` numbers them; `idle`: step -> streams."""
        together: dict[int, dict[int, Arrival]] = {}
        for index, arrival in enumerate(arrivals):
            together.setdefault(index if steps is None else steps[index], {})[index] = arrival
        for step in sorted(together):
            self.on_step(step, together[step])
            for stream in (idle or {}).get(step, ()):
                self.on_idle(step, stream)
        if drain:
            self.on_end()
        return self

    def on_step(self, step: int, arrivals: Mapping[int, Arrival]) -> None:
        """Take in arrivals, by index, that come together."""
        slack = self.slack_at(step)
        leaving = []
        for stream, kslack in enumerate(self.kslacks):
            arrived = [Event(time, stream, index) for index, (of, time, _) in arrivals.items() if of == stream]
            if arrived:
                before = -math.inf if kslack.clock is None else kslack.clock
                self.delays |= {event.index: int(max(0, before - event.time)) for event in arrived}
                self.synchronizer.idle.discard(stream)
                leaving += kslack.on_step(arrived, slack if isinstance(slack, int) else slack[stream])
        self.payloads |= {index: payload for index, (_, _, payload) in arrivals.items()}
        self._pass_on(leaving, step)

    def on_idle(self, step: int, stream: int) -> None:
        """Stop waiting for a stream until it speaks again: it releases what it holds, and holds nobody back."""
        self.synchronizer.idle.add(stream)
        self._pass_on(self.kslacks[stream].pass_on(math.inf), step)
        self._process(self.synchronizer.pass_on(), step)

    def on_end(self) -> None:
        """Drain: first the K-slack buffers by time, then what is left in the synchronizer by time (A20)."""
        self._pass_on([event for kslack in self.kslacks for event in kslack.pass_on(math.inf)], None)
        self._process(self.synchronizer.on_end(), None)

    @property
    def results(self) -> list[Result]:
        """All results, in the order in which they were emitted."""
        return [result for event in self.processed for result in event.results]

    @property
    def late(self) -> list[tuple[int, int]]:
        """(index, late_by) of every event that came to the join out of order."""
        return [(event.index, event.late_by) for event in self.processed if not event.in_order]

    def _matches(self, indices: tuple[int, ...]) -> bool:
        return self.predicate(*(self.payloads[index] for index in indices))

    def _pass_on(self, leaving: list[Event], step: int | None) -> None:
        for event in sorted(leaving, key=lambda event: (event.time, event.index)):
            self.released.append(event.index)
            self._process(self.synchronizer.on_event(event), step)

    def _process(self, events: list[Event], step: int | None) -> None:
        clock = max((kslack.clock for kslack in self.kslacks if kslack.clock is not None), default=None)
        for event in events:
            done = self.join.on_event(event)
            self.processed.append(Processed(**{**vars(done), "clock": clock, "step": step}))


# SUN15


@dataclass
class Sun15Join:
    """SUN15 Alg. 1: two streams, no K-slack, windows (now - W, now]; streams 0 and 1 stand for A and B.

    `situation2=False` does not probe for late events, as JI16 does not (B5).
    """

    windows: tuple[int, int]
    predicate: Predicate = everything
    situation2: bool = True
    window_end: float = -math.inf
    contents: tuple[list[Event], list[Event]] = field(default_factory=lambda: ([], []))
    waiting: tuple[list[Event], list[Event]] = field(default_factory=lambda: ([], []))  # SyncBufA, SyncBufB
    payloads: list[Any] = field(default_factory=list)
    dropped: list[int] = field(default_factory=list)

    def on_arrival(self, stream: int, time: int, payload: Any) -> list[Result]:
        event, other = Event(time, stream, len(self.payloads)), 1 - stream
        self.payloads.append(payload)
        if time <= self.window_end - self.windows[stream]:  # situation 1
            self.dropped.append(event.index)
            return []
        if time <= self.window_end:  # situations 2 and 3
            found = self._probe(event) if self.situation2 or time == self.window_end else []
            self.contents[stream].append(event)
            return [result for result in found if result[0] == self.window_end]
        if self.waiting[stream]:  # situation 4a
            self.waiting[stream].append(event)
            return []
        results = []
        while self.waiting[other] and min(self.waiting[other]).time <= time:
            results += self._admit(self._pop_earliest(other))
        if self.waiting[other] or time == self.window_end:  # situation 4b
            return results + self._admit(event)
        self.waiting[stream].append(event)  # situation 4c
        self._purge()
        return results

    def on_end(self) -> list[Result]:
        """Let the windows move over what still waits."""
        results = []
        for stream in (0, 1):
            while self.waiting[stream]:
                results += self._admit(self._pop_earliest(stream))
        return results

    def _pop_earliest(self, stream: int) -> Event:
        earliest = min(self.waiting[stream])
        self.waiting[stream].remove(earliest)
        return earliest

    def _admit(self, event: Event) -> list[Result]:
        self.window_end = event.time
        self._purge()
        results = self._probe(event)
        self.contents[event.stream].append(event)
        return results

    def _purge(self) -> None:
        # Both windows at once: the document purges one of them later (lazily), before anything probes it.
        for held, window in zip(self.contents, self.windows, strict=True):
            held[:] = [event for event in held if event.time > self.window_end - window]

    def _probe(self, event: Event) -> list[Result]:
        results = []
        for partner in self.contents[1 - event.stream]:
            a, b = (event, partner) if event.stream == 0 else (partner, event)
            if self.predicate(self.payloads[a.index], self.payloads[b.index]):
                results.append((max(a.time, b.time), (a.index, b.index)))
        return results


def sun15_join(
    arrivals: Sequence[Arrival], windows: tuple[int, int], *, predicate: Predicate = everything, situation2: bool = True
) -> list[Result]:
    """Run SUN15 Alg. 1 over all arrivals."""
    join = Sun15Join(windows, predicate, situation2)
    results = [result for arrival in arrivals for result in join.on_arrival(*arrival)]
    return results + join.on_end()


# The truth


def truth(arrivals: Sequence[Arrival], windows: Sequence[int], predicate: Predicate = everything) -> list[Result]:
    """Every result of sorted input, by (time, indices): each member lies in [t - W_j, t], t being the largest time."""
    of_stream = [[i for i, arrival in enumerate(arrivals) if arrival[0] == stream] for stream in range(len(windows))]
    results = []
    for indices in product(*of_stream):
        times = [arrivals[index][1] for index in indices]
        in_windows = all(time >= max(times) - window for time, window in zip(times, windows, strict=True))
        if in_windows and predicate(*(arrivals[index][2] for index in indices)):
            results.append((max(times), indices))
    return sorted(results)


def truth_by_sql(arrivals: Sequence[Arrival], windows: Sequence[int]) -> list[Result]:
    """Return the same for an equi-join on whole payloads (integers), asked of a database."""
    names = [f"s{stream}" for stream in range(len(windows))]
    with duckdb.connect() as database:
        for stream, name in enumerate(names):
            database.execute(f"CREATE TABLE {name} (index BIGINT, time BIGINT, key BIGINT)")
            rows = [(i, time, key) for i, (of, time, key) in enumerate(arrivals) if of == stream]
            if rows:
                database.executemany(f"INSERT INTO {name} VALUES (?, ?, ?)", rows)
        latest = f"greatest({', '.join(f'{name}.time' for name in names)})"
        conditions = [f"{name}.time >= {latest} - {window}" for name, window in zip(names, windows, strict=True)]
        conditions += [f"{name}.key = {names[0]}.key" for name in names[1:]]
        columns = ", ".join(f"{name}.index" for name in names)
        query = f"SELECT {latest}, {columns} FROM {', '.join(names)} WHERE {' AND '.join(conditions)}"
        return sorted((time, tuple(indices)) for time, *indices in database.execute(query).fetchall())
