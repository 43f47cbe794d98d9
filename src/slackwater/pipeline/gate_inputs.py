"""The inputs of an operator over several streams under a deadline: each guarded, then read through one gate."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from slackwater.core.gate import Gate, GateState, Place
from slackwater.events import Events, Tagged
from slackwater.pipeline.guard import turn_away_all
from slackwater.pipeline.inputs import Passed
from slackwater.time import BEFORE_ALL_TIME, delay_of

if TYPE_CHECKING:
    from slackwater.core.merged import MergedArrivals
    from slackwater.events import Late
    from slackwater.pipeline.guard import Incoming
    from slackwater.plan.nodes import StreamsNode
    from slackwater.time import Times


class GateInputs:
    """Drives guards and a gate. Its snapshot and `between` are all there is to save.

    `SynchronizedInputs` understands them too: a contract may gain or lose its deadline from one start to the next.
    """

    def __init__(
        self,
        node: StreamsNode,
        delays: Sequence[Times],
        waiting: Sequence[Events],
        between: Tagged,
        state: dict[str, Any],
    ) -> None:
        self._node, self._delays = node, delays
        waits = [Tagged.from_stream(stream, events) for stream, events in enumerate(waiting)]
        self._gate = Gate(len(node.streams)).build(Tagged.concat([between, *waits]), _gate_state(state))

    def arrive(self, incoming: Sequence[Incoming]) -> tuple[MergedArrivals, list[Late]]:
        """Take in a batch, one part for each stream in arrival order; return what came and what is turned away."""
        pairs = turn_away_all(incoming, self._node.streams)
        merged = self._gate.arrive([events for events, _ in pairs])
        for noted, each in zip(self._delays, merged.streams, strict=True):
            noted[each.events.row] = each.delay
        return merged, [late for _, late in pairs]

    def run(self, arrivals: MergedArrivals, slack: Times) -> Passed:
        """Return what leaves, in order, the arrival value of the step at which each does, and whether it was ready."""
        limit, own = self._node.contract.gate(slack)
        left = self._gate.on_batch(arrivals, limit, own)
        stall = delay_of(left.events.time, arrivals.clock[left.step])
        return Passed(left.events, arrivals.arrival[left.step], left.ready, stall)

    def on_idle(self, stream: int, slack: Times) -> Passed:
        """Let a stream step aside: nobody waits for it."""
        _, own = self._node.contract.gate(slack)
        left = self._gate.on_idle(stream, int(own))
        clock = BEFORE_ALL_TIME if self.clock is None else self.clock
        return Passed(left.events, left.events.arrival, left.ready, delay_of(left.events.time, clock))

    def on_end(self) -> Tagged:
        """Drain: let everything leave."""
        return self._gate.on_end().events

    def snapshot(self) -> dict[str, Any]:
        """Return all that is needed to go on besides what is held, as values that JSON can hold."""
        gate = self._gate.snapshot()
        last = {} if gate.last is None else {"through": gate.last.stream}
        return {
            "streams": [(clock, None) for clock in gate.clocks],
            "shown": list(gate.clocks),
            "passed": None if gate.last is None else gate.last.time,
            "idle": sorted(gate.idle),
            **last,
        }

    @property
    def waiting(self) -> tuple[Events, ...]:
        """Nothing waits in reorder buffers."""
        return (Events.none(),) * len(self._delays)

    @property
    def between(self) -> Tagged:
        """The events in the gate."""
        return self._gate.held

    @property
    def buffered(self) -> int:
        """How many events wait."""
        return len(self._gate.held)

    @property
    def clock(self) -> int | None:
        """The largest event time seen in any stream."""
        return max((clock for clock in self._gate.snapshot().clocks if clock is not None), default=None)


def _gate_state(state: dict[str, Any]) -> GateState | None:
    if "shown" not in state:
        return None
    passed = state["passed"]
    last = None if passed is None else Place(passed, state.get("through") or 0)
    return GateState(tuple(clock for clock, _ in state["streams"]), last, frozenset(state["idle"]))
