"""The inputs of an operator over several streams: each guarded and reordered, then synchronized into one order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from slackwater.contracts import FixedSlack
from slackwater.core.buffer import MemoryBuffer
from slackwater.core.leaving_order import leaving_order, merging_order
from slackwater.core.merged import MergedArrivals
from slackwater.core.reorder import KSlack, KSlackState
from slackwater.core.synchronize import Synchronizer, SynchronizerState
from slackwater.events import Events, Late, Tagged
from slackwater.lanes import ONE_LANE, Lanes
from slackwater.pipeline.guard import Incoming, turn_away

if TYPE_CHECKING:
    from slackwater.contracts import Contract
    from slackwater.core.arrivals import Arrivals
    from slackwater.events import Rows
    from slackwater.plan.nodes import StreamsNode
    from slackwater.time import Mask, Times


@dataclass(frozen=True, slots=True)
class Passed:
    """What leaves the inputs of an operator, in order."""

    events: Tagged
    at: Times  # the arrival value of the step at which each leaves
    ready: Mask | None = None  # whether a gate saw that nothing before it would follow; None: there is no gate
    stall: Times | None = None  # how long each had waited in the gate, in event time of the fastest stream

    @property
    def longest_stall(self) -> int:
        """The longest that an event had waited; 0 without a gate."""
        return 0 if self.stall is None else int(self.stall.max(initial=0))

    def past(self, contract: Contract) -> Rows:
        """Return how many events were past the deadline among the first n that left, for every n."""
        if self.ready is None or self.stall is None:
            return np.zeros(len(self.events) + 1, np.int64)
        return np.append(0, np.cumsum(contract.is_past(self.ready, self.stall)))


class Inputs(Protocol):
    """Where the rows of several streams wait for each other."""

    def arrive(self, incoming: Sequence[Incoming]) -> tuple[MergedArrivals, list[Late]]:
        """Take in a batch, one part for each stream in arrival order; return what came and what is turned away."""

    def run(self, arrivals: MergedArrivals, slack: Times) -> Passed:
        """Return what leaves, given the slack of each step."""

    def on_idle(self, stream: int, slack: Times) -> Passed:
        """Let a stream step aside, given the slack in force; return what leaves because of that."""

    def on_end(self) -> Tagged:
        """Drain: let everything leave."""

    def snapshot(self) -> dict[str, Any]:
        """Return all that is needed to go on besides what is held, as values that JSON can hold."""

    @property
    def waiting(self) -> tuple[Events, ...]:
        """The events in reorder buffers."""

    @property
    def between(self) -> Tagged:
        """The events that wait for other streams."""

    @property
    def buffered(self) -> int:
        """How many events wait."""

    @property
    def clock(self) -> int | None:
        """The largest event time seen in any stream."""


class SynchronizedInputs:
    """Drives guards, reorder buffers and synchronizer. Its snapshot, `waiting` and `between` are all there is to save.

    `delays[s][row]` is where the delay of each event is noted when it arrives. In a total order events of equal times
    leave by stream. `lanes` is how many streams are worked on at the same time.
    """

    def __init__(
        self,
        node: StreamsNode,
        delays: Sequence[Times],
        waiting: Sequence[Events],
        between: Tagged,
        state: dict[str, Any],
        *,
        total_order: bool = False,
        lanes: Lanes = ONE_LANE,
    ) -> None:
        self._node, self._delays, self._lanes, count = node, delays, lanes, len(node.streams)
        slacks = [KSlackState(*pair) for pair in state.get("streams", [(None, None)] * count)]
        self._buffers = [MemoryBuffer(events) for events in waiting]
        self._kslacks = [
            KSlack(node.release).build(buffer, kept) for buffer, kept in zip(self._buffers, slacks, strict=True)
        ]
        self._synchronizer = Synchronizer(count, total_order).build(between, _synchronizer_state(state))

    def arrive(self, incoming: Sequence[Incoming]) -> tuple[MergedArrivals, list[Late]]:
        """Take in a batch, one part for each stream in arrival order; return what came and what is turned away."""

        def of_stream(stream: int) -> tuple[Arrivals, Late]:
            events, late = turn_away(incoming[stream], self._node.streams[stream].max_ahead)
            arrivals = self._kslacks[stream].arrive(events)
            self._delays[stream][arrivals.events.row] = arrivals.delay
            return arrivals, late

        events = sum(len(each.events) for each in incoming)
        arrivals, late = zip(*self._lanes.map(of_stream, range(len(incoming)), events=events), strict=True)
        clocks = [kslack.snapshot().clock for kslack in self._kslacks]
        return MergedArrivals.of(arrivals, clocks, self._synchronizer.snapshot().idle), list(late)

    def run(self, arrivals: MergedArrivals, slack: Times) -> Passed:
        """Return what leaves, in order, and the arrival value of the step at which each does."""
        came, when = self._release(arrivals, slack)
        left, by = self._synchronized(came, self._awake_from(arrivals, when))
        return Passed(left, when[by])

    def on_idle(self, stream: int, slack: Times) -> Passed:
        """Let a stream step aside: it releases what it holds, and nobody waits for it."""
        released = self._kslacks[stream].on_end()
        came = Tagged.from_stream(stream, (released.in_order + released.late).by_time())
        left = self._synchronized(came)[0] + self._synchronizer.on_idle(stream)
        return Passed(left, left.arrival)

    def on_end(self) -> Tagged:
        """Drain: let everything leave."""
        released = [kslack.on_end() for kslack in self._kslacks]
        came = Tagged.concat([Tagged.from_stream(s, out.in_order + out.late) for s, out in enumerate(released)])
        came = came[leaving_order(came.time, came)]
        return self._synchronized(came)[0] + self._synchronizer.on_end()

    def snapshot(self) -> dict[str, Any]:
        """Return all that is needed to go on besides what is held, as values that JSON can hold."""
        synchronizer = self._synchronizer.snapshot()
        return {
            "streams": [(state.clock, state.passed_on) for state in (k.snapshot() for k in self._kslacks)],
            "shown": list(synchronizer.shown),
            "passed": synchronizer.passed,
            "idle": sorted(synchronizer.idle),
            **({} if synchronizer.through is None else {"through": synchronizer.through}),
        }

    @property
    def waiting(self) -> tuple[Events, ...]:
        """The events in the reorder buffers."""
        return tuple(buffer.snapshot() for buffer in self._buffers)

    @property
    def between(self) -> Tagged:
        """The events in the synchronizer."""
        return self._synchronizer.held

    @property
    def buffered(self) -> int:
        """How many events wait."""
        return sum(kslack.buffered for kslack in self._kslacks) + len(self._synchronizer.held)

    @property
    def clock(self) -> int | None:
        """The largest event time seen in any stream."""
        return max((c for c in (kslack.snapshot().clock for kslack in self._kslacks) if c is not None), default=None)

    def _release(self, arrivals: MergedArrivals, slack: Times) -> tuple[Tagged, Times]:
        """Return what leaves the reorder buffers by (step, event time, arrival), and the arrival value of each step."""

        def of_stream(stream: int) -> tuple[Tagged, Times]:
            own, in_force = arrivals.streams[stream], self._slack_of(stream, arrivals.of_stream(stream, slack))
            events, step = self._kslacks[stream].on_batch(own, in_force).with_steps()
            return Tagged.from_stream(stream, events), own.arrival_of_steps()[step]

        streams, many = range(len(self._kslacks)), sum(len(own.events) for own in arrivals.streams)
        released, steps = zip(*self._lanes.map(of_stream, streams, events=many), strict=True)
        came, when = Tagged.concat(released), np.concatenate(steps)
        order = merging_order(when, came, [0, *accumulate(map(len, released))])
        return came[order], when.take(order)

    def _synchronized(self, came: Tagged, awake_from: dict[int, int] | None = None) -> tuple[Tagged, Any]:
        """Let streams wait for each other, unless the plan says not to."""
        if not self._node.synchronize:
            return came, np.arange(len(came), dtype=np.int64)
        return self._synchronizer.on_batch(came, awake_from)

    def _slack_of(self, stream: int, slack: Times) -> Times:
        """Return the slack of one stream: that of all, unless the contract fixes its own."""
        contract = self._node.contract
        by_stream = dict(contract.by_stream) if isinstance(contract, FixedSlack) else {}
        own = by_stream.get(self._node.streams[stream].name)
        return slack if own is None else np.minimum(slack, own.microseconds)

    def _awake_from(self, arrivals: MergedArrivals, when: Times) -> dict[int, int]:
        """Return of each stream that has spoken, from which of the released events on."""
        first = {stream: own.events.arrival[0] for stream, own in enumerate(arrivals.streams) if len(own.events)}
        return {stream: int(np.searchsorted(when, at)) for stream, at in first.items()}


def _synchronizer_state(state: dict[str, Any]) -> SynchronizerState | None:
    if "shown" not in state:
        return None
    return SynchronizerState(tuple(state["shown"]), state["passed"], state.get("through"), frozenset(state["idle"]))
