"""Takes the traffic graph through processing time under a policy, and measures latency, slack and what was detected.

Latency is in processing time, from the arrival of an event until the step that read it has written its results: what it
waited at the gate, until the next step, and for the work itself. For a window it begins where it could have been
written: when the first stream had come to its end. A latency of the graph is the sum over its operators (SSG17 eq. 2).
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

import numpy as np

from slackwater.experiments.traffic_graph import Jams, Numbers, Read, Service, arrivals_of, worst_areas
from slackwater.measurement import Counts, Measurement, StreamArrivals, Waited

if TYPE_CHECKING:
    from slackwater.control.controller import Controller
    from slackwater.core.cells import Cells
    from slackwater.events import Events
    from slackwater.sources.dataset import Dataset
    from slackwater.time import Times

STEP = 250_000  # of processing time between two reads
INTERVAL = 1_000_000  # between two decisions
_NO_TIMES: Times = np.empty(0, np.int64)


class Policy(Protocol):
    """Says how long the operators wait, once per interval."""

    @property
    def slacks(self) -> Mapping[str, int]:
        """The slack of each operator that is tuned, in us."""

    def observe(self, at: int, reports: Mapping[str, Waited]) -> None:
        """Learn what operators measured in an interval."""


@dataclass(frozen=True)
class Controlled:
    """A controller for each operator, which knows nothing of the others."""

    controllers: Mapping[str, Controller]

    @property
    def slacks(self) -> Mapping[str, int]:
        """What each says."""
        return {name: controller.next_slack().microseconds for name, controller in self.controllers.items()}

    def observe(self, at: int, reports: Mapping[str, Waited]) -> None:
        """Tell each its own."""
        for name, controller in self.controllers.items():
            waited = reports[name]
            ahead = (StreamArrivals(_NO_TIMES, np.array([waited.spread])),)
            controller.observe(Measurement(at, 1, 0, 0, _NO_TIMES, Counts(), streams=ahead, waited=waited))


@dataclass
class _Interval:
    """What an operator does in an interval."""

    latency: int = 0
    processing: int = 0
    slack_ready: int = 0
    spread: int = 0
    events: int = 0

    def add(self, *, latency: int, processing: int, slack_ready: int, spread: int, events: int) -> None:
        self.latency = max(self.latency, latency)
        self.processing = max(self.processing, processing)
        self.slack_ready += slack_ready
        self.spread = spread
        self.events += events

    def waited(self) -> Waited:
        return Waited(self.latency, self.processing, self.slack_ready, self.spread, self.events)


@dataclass(frozen=True)
class Ran:
    """A run: for each interval and operator what was measured, and what was found in all."""

    at: Times  # event time of the fastest stream at the end of each interval
    slack: Mapping[str, Times]
    waited: Mapping[str, list[Waited]]
    latency: Times  # of the graph, the largest of each interval
    detected: Times  # jams that were found in each interval
    late: int  # jams that came too late for their windows
    worst: Mapping[int, tuple[int, ...]]  # the worst areas of each window, by its end
    took: float  # seconds

    def column(self, operator: str, name: str) -> Times:
        """Return one figure of an operator, interval by interval."""
        return np.array([getattr(each, name) for each in self.waited[operator]], np.int64)


@dataclass
class TrafficRun:
    """One run of the graph over a data set. `counts=False` leaves out the windows: SSG17's graph of one operator."""

    dataset: Dataset
    policy: Policy
    counts: bool = False
    service: Service = field(default_factory=Service)

    def run(self) -> Ran:
        """Run while all streams speak; what is held then stays."""
        began = time.perf_counter()
        streams = [arrivals_of(table) for table in self.dataset.streams.values()]
        start = min(int(arrived[0]) for _, arrived in streams)
        end = min(int(arrived[-1]) for _, arrived in streams)
        state = _State(self, streams, start)
        intervals = (end - start) // INTERVAL
        for number in range(intervals):
            state.interval(start + number * INTERVAL)
        return state.ran(time.perf_counter() - began)


class _State:
    """What a run has come to."""

    def __init__(self, run: TrafficRun, streams: list[tuple[Events, Times]], start: int) -> None:
        self._run, self._streams = run, streams
        self._jams, self._numbers = Jams(run.dataset), Numbers()
        self._sent = [0] * len(streams)
        self._free = start  # when the machine has done the step before
        self._passed: list[tuple[int, int]] = []  # the fastest clock, and when it was read
        self._rows: list[tuple[int, dict[str, int], dict[str, Waited], int, int]] = []
        self._worst: dict[int, tuple[int, ...]] = {}

    def interval(self, begins: int) -> None:
        """Take the steps of an interval; then let the policy learn."""
        slacks = dict(self._run.policy.slacks)
        jams, numbers = _Interval(), _Interval()
        detected = 0
        for tick in range(begins + STEP, begins + INTERVAL + 1, STEP):
            detected += self._step(tick, slacks, jams, numbers)
        reports = {"jams": jams.waited(), **({"numbers": numbers.waited()} if self._run.counts else {})}
        at = max(self._jams.clocks)
        self._run.policy.observe(at, reports)
        # Both are on the one path of the graph.
        latency = jams.latency + numbers.latency
        self._rows.append((at, slacks, reports, latency, detected))

    def ran(self, took: float) -> Ran:
        """Return the run as columns."""
        at, slacks, reports, latency, detected = zip(*self._rows, strict=True)
        names = list(slacks[0])
        return Ran(
            np.array(at),
            {name: np.array([each[name] for each in slacks]) for name in names},
            {name: [each[name] for each in reports] for name in names},
            np.array(latency),
            np.array(detected),
            self._numbers.late,
            self._worst,
            took,
        )

    def _step(self, tick: int, slacks: Mapping[str, int], jams: _Interval, numbers: _Interval) -> int:
        began, reads = time.perf_counter(), max(tick, self._free)
        read = self._jams.on_step(self._came(tick), slacks["jams"])
        written = reads + self._run.service.of(len(read.events), len(read.time), began)
        fastest, slowest = max(self._jams.clocks), min(self._jams.clocks)
        jams.add(
            latency=int((written - self._arrived(read)).max(initial=0)),
            processing=written - (tick - STEP),
            slack_ready=int(np.count_nonzero(~read.ready)),
            spread=max(fastest - slowest, 0) if slowest > 0 else 0,
            events=len(read.events),
        )
        self._free = written
        if self._run.counts:
            self._count(read, written, slacks["numbers"], numbers)
        return len(read.time)

    def _count(self, read: Read, written: int, slack: int, numbers: _Interval) -> None:
        """Let the windows take in the jams of a step, once they are written."""
        began, reached, before = time.perf_counter(), self._jams.time, self._numbers.late
        behind = int((reached - read.time).max(initial=0))
        windows = self._numbers.on_step(read, reached, slack)
        done = written + self._run.service.of(len(read.time), 0 if windows is None else len(windows), began)
        self._passed.append((reached, written))
        numbers.add(
            latency=self._window_latency(windows, done),
            processing=done - written,
            slack_ready=self._numbers.late - before,
            spread=behind,
            events=len(read.time),
        )
        self._free = done

    def _window_latency(self, windows: Cells | None, done: int) -> int:
        """Return how long after the join had come to the end of a window it was written, at most."""
        if windows is None:
            return 0
        worst = worst_areas(windows)
        self._worst.update(worst)
        first = next((written for reached, written in self._passed if reached >= min(worst)), done)
        self._passed = [each for each in self._passed if each[0] >= min(worst)]
        return done - first

    def _came(self, tick: int) -> list[Events]:
        """Return what has arrived in each stream since the step before."""
        came = []
        for number, (events, arrived) in enumerate(self._streams):
            begin, self._sent[number] = self._sent[number], int(np.searchsorted(arrived, tick, side="right"))
            came.append(events[begin : self._sent[number]])
        return came

    def _arrived(self, read: Read) -> Times:
        arrived = np.empty(len(read.events), np.int64)
        for number, (_, times) in enumerate(self._streams):
            mine = read.events.stream == number
            arrived[mine] = times[read.events.row[mine]]
        return arrived
