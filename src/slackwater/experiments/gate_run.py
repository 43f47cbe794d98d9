"""Takes the streams of a data set through a gate in processing time under a deadline, step by step, and measures.

At every step what has arrived since the step before is let in, and what may leave is read. A latency is in processing
time, from the arrival of an event until the step that read it; what the machine itself takes is not counted. A stream
that is silent for as long as events may wait steps aside, as in a query.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from slackwater.core.gate import Gate, Left
from slackwater.deadline import Deadline
from slackwater.experiments.traffic_graph import arrivals_of
from slackwater.measurement import Waited
from slackwater.time import Duration

if TYPE_CHECKING:
    from slackwater.estimate.arrays import Floats
    from slackwater.events import Events, Rows
    from slackwater.experiments.traffic_run import Policy
    from slackwater.sources.dataset import Dataset
    from slackwater.time import Times

OPERATOR = "gate"
_STEPS = 4  # of an interval: between two decisions


@dataclass(frozen=True)
class GateSetting:
    """A deadline for a data set, how often it is read, and which of its streams are merged (empty: all)."""

    limit: str
    step: str
    streams: tuple[str, ...] = ()

    def contract(self, limit: str | None = None) -> Deadline:
        """Return the deadline; an event waits for a step to be read, and for another until it may leave."""
        latency = 2 * Duration.of(self.step).microseconds
        return Deadline(limit or self.limit, latency=Duration(latency), adaptation_interval=self.interval)

    @property
    def interval(self) -> Duration:
        """The time between two decisions."""
        return Duration(_STEPS * Duration.of(self.step).microseconds)


# Limits that most of the time are enough for the streams to wait for each other, and sometimes are not.
SETTINGS: Mapping[str, GateSetting] = {
    "traffic": GateSetting("6 seconds", "250 ms"),
    "traffic-growing": GateSetting("35 seconds", "250 ms"),
    "step-lag": GateSetting("6 seconds", "250 ms"),
    "syn3": GateSetting("60 ms", "10 ms"),
    "soccer": GateSetting("60 ms", "10 ms"),
    "nezha": GateSetting("5 seconds", "250 ms"),
    "zeek": GateSetting("2 minutes", "1 second", ("ssl", "weird", "analyzer")),
    "flights": GateSetting("2 hours", "10 minutes"),
    "umts": GateSetting("1 second", "50 ms"),
}


@dataclass(frozen=True)
class Gated:
    """A run, interval by interval; durations in us."""

    at: Times  # the end of each interval
    slack: Times
    latency: Times  # the largest of those that left in it
    spread: Times  # how far the streams were apart at its end
    waited: Floats  # the mean over events of each interval, 0 where none left
    left: Rows  # events that left
    ready: Rows  # of them, those that were ready
    took: float  # seconds of processor time

    @property
    def share_ready(self) -> float:
        """The share of the events that left in their order for good."""
        return float(self.ready.sum() / max(int(self.left.sum()), 1))

    @property
    def mean_latency(self) -> float:
        """The mean over all events."""
        return float((self.waited * self.left).sum() / max(int(self.left.sum()), 1))


@dataclass
class GateRun:
    """One run of a data set under a policy."""

    dataset: Dataset
    setting: GateSetting
    contract: Deadline
    policy: Policy
    _rows: list[tuple[float, ...]] = field(default_factory=list)

    def run(self) -> Gated:
        """Run while all streams speak; what is held then stays."""
        began = time.process_time()
        names = self.setting.streams or tuple(self.dataset.streams)
        streams = [arrivals_of(self.dataset.streams[name]) for name in names]
        state = _State(streams, self.contract.left.microseconds)
        start = min(int(arrived[0]) for _, arrived in streams)
        end = min(int(arrived[-1]) for _, arrived in streams)
        interval = self.setting.interval.microseconds
        for begins in range(start, end - interval + 1, interval):
            self._interval(state, begins, interval)
        columns = np.array(self._rows, np.float64).reshape(-1, 7).T
        at, slack, latency, spread, left, ready = columns[:6].astype(np.int64)
        return Gated(at, slack, latency, spread, columns[6], left, ready, time.process_time() - began)

    def _interval(self, state: _State, begins: int, interval: int) -> None:
        slack, step = self.policy.slacks[OPERATOR], interval // _STEPS
        waits, ready = [], 0
        for tick in range(begins + step, begins + interval + 1, step):
            left = state.step(tick, slack)
            waits.append(tick - state.arrived(left))
            ready += int(np.count_nonzero(left.ready))
        waited = np.concatenate(waits)
        latency, count = int(waited.max(initial=0)), len(waited)
        report = Waited(latency, step, count - ready, state.spread, count)
        self.policy.observe(state.fastest, {OPERATOR: report})
        mean = float(waited.mean()) if count else 0.0
        self._rows.append((begins + interval, slack, latency, state.spread, count, ready, mean))


class _State:
    """The gate, and what of the streams has come."""

    def __init__(self, streams: Sequence[tuple[Events, Times]], patience: int) -> None:
        self._streams, self._patience = streams, patience
        self._gate = Gate(streams=len(streams)).build()
        self._sent = [0] * len(streams)
        self._spoke: list[int | None] = [None] * len(streams)

    def step(self, tick: int, slack: int) -> Left:
        """Let in what has come, and read what may leave."""
        came = []
        for number, (events, arrived) in enumerate(self._streams):
            begin, end = self._sent[number], int(np.searchsorted(arrived, tick, side="right"))
            came.append(events[begin:end])
            self._sent[number] = end
            if end > begin or self._spoke[number] is None:
                self._spoke[number] = tick
        left = [self._gate.on_batch(self._gate.arrive(came), limit=slack)]
        idle = self._gate.snapshot().idle
        for number, spoke in enumerate(self._spoke):
            if number not in idle and spoke is not None and tick - spoke >= self._patience:
                left.append(self._gate.on_idle(number))
        return Left.concat(left)

    def arrived(self, left: Left) -> Times:
        """Return when each event came."""
        arrived = np.empty(len(left.events), np.int64)
        for number, (_, times) in enumerate(self._streams):
            mine = left.events.stream == number
            arrived[mine] = times[left.events.row[mine]]
        return arrived

    @property
    def fastest(self) -> int:
        """The largest event time of all streams."""
        return max(self._clocks, default=0)

    @property
    def spread(self) -> int:
        """How far the slowest stream is behind the fastest; 0 until all have spoken."""
        clocks = self._clocks
        return max(clocks) - min(clocks) if len(clocks) == len(self._streams) else 0

    @property
    def _clocks(self) -> list[int]:
        return [clock for clock in self._gate.snapshot().clocks if clock is not None]
