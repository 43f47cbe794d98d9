"""The reorder operator with its guard, late policy and controller: what every runner drives.

`on_batch` splits the batch at the adaptation boundaries where the controller wants to be asked, runs the K-slack
buffer over each part, lets the late policy decide, and accounts for every event. Where the parts would be small the
controller is led through the batch first (`pipeline/decided_ahead.py`), and the buffer runs over it in one piece.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from slackwater.control.choose import controller_for, controller_state
from slackwater.control.controller import slack_within
from slackwater.core.keyed import KeyedDepartures, KeyedKSlack, KeyedLogic
from slackwater.core.keyed_buffer import KeyedBuffer
from slackwater.core.reorder import Departures, KSlack, KSlackLogic, KSlackState
from slackwater.errors import StateError
from slackwater.events import Events, Late, Reason, code_of
from slackwater.measurement import Counts, Measurement
from slackwater.pipeline.boundaries import Boundaries, Decisions, stretches_of, with_estimate
from slackwater.pipeline.decided_ahead import ROWS_OF_A_PART, DecidedAhead, decide_ahead
from slackwater.pipeline.guard import Incoming, turn_away
from slackwater.pipeline.invariants import check_clock, check_foreseen, check_order
from slackwater.pipeline.kept import KeptShare
from slackwater.time import is_over_cap

if TYPE_CHECKING:
    from collections.abc import Sequence

    from slackwater.core.arrivals import Arrivals
    from slackwater.core.buffer import Buffer
    from slackwater.events import Rows
    from slackwater.plan.nodes import ReorderNode
    from slackwater.time import Mask, Times

    AnyDepartures = Departures | KeyedDepartures

STATE_VERSION = 1


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a batch led to."""

    released: Events
    late: Late
    decisions: Decisions


class ReorderPipeline:
    """Drives one reorder buffer, or one for each key. Its snapshot and what is in `buffer` are all there is to save."""

    def __init__(self, node: ReorderNode, buffer: Buffer | KeyedBuffer, state: dict[str, Any] | None = None) -> None:
        state = state or {}
        self._node = node
        self._controller = controller_for(node.contract, state.get("controller"))
        self._kslack = _built(node, buffer, KSlackState(state.get("clock"), state.get("passed_on")))
        self._boundaries = Boundaries(
            node.contract.interval.microseconds, clock=state.get("clock"), max_delay=state.get("max_delay", 0)
        )
        self._kept = KeptShare.of(node.contract, state)
        self._counts = Counts(**state.get("counts", {}))
        self.delays: tuple[tuple[Times, None], ...] = ()  # of the events of the last batch

    def on_batch(self, incoming: Incoming) -> Outcome:
        """Take in a batch in arrival order; release, route and decide."""
        before = self._kslack.snapshot()
        events, turned_away = turn_away(incoming, self._node.stream.max_ahead)
        arrivals = self._kslack.arrive(events)
        self.delays = ((arrivals.delay, None),)
        path = self._controller.slack_path(arrivals.largest_delay)
        if path is None and not len(turned_away):
            foreseen = self._decide_ahead(arrivals)
            if foreseen is not None:
                return self._checked(self._run_ahead(arrivals, foreseen), before)
        parts = [(arrivals, path)] if path is not None else self._parts(arrivals)
        outcomes = []
        for part, slack in parts:
            came = turned_away_by(turned_away, part)
            outcomes.append(self._run(part, slack, turned_away[:came]))
            turned_away = turned_away[came:]
        outcomes.append(self._route(Departures.none(), turned_away, Decisions.none(), 0))
        return self._checked(joined(outcomes), before)

    def on_end(self) -> Outcome:
        """Drain: release all that is held, and decide one last time."""
        before = self._kslack.snapshot()
        routed = self._drain(self._kslack.on_end())
        slack = self._controller.next_slack().microseconds
        last = self._boundaries.close(self._kslack.snapshot().clock, slack, self._counts, self._counts.released)
        return self._checked(Outcome(routed.released, routed.late, last), before)

    def on_quiet(self, keys: Mask) -> Outcome:
        """Drain keys that have fallen silent; the others go on. There is nothing to decide."""
        if not isinstance(self._kslack, KeyedLogic):
            raise TypeError("only a buffer with a clock per key has keys")
        return self._checked(self._drain(self._kslack.on_quiet(keys)), self._kslack.snapshot())

    def snapshot(self) -> dict[str, Any]:
        """Return all that is needed to go on, as values that JSON can hold."""
        kslack = self._kslack.snapshot()
        return {
            "clock": kslack.clock,
            "passed_on": kslack.passed_on,
            "controller": controller_state(self._node.contract, self._controller),
            "max_delay": self._boundaries.max_delay,
            "counts": {
                "arrived": self.counts.arrived,
                "released": self.counts.released,
                "late": self.counts.late,
            },
            **({} if self._kept is None else self._kept.snapshot()),
        }

    @property
    def counts(self) -> Counts:
        """Where the events are, from the start."""
        return Counts(self._counts.arrived, self._counts.released, self._counts.late, self._kslack.buffered)

    @property
    def slack(self) -> int:
        """The slack now in force, in us."""
        return self._controller.next_slack().microseconds

    @property
    def clock(self) -> int | None:
        """The largest event time seen, over all keys."""
        return self._kslack.snapshot().clock

    def _parts(self, arrivals: Arrivals) -> Any:
        """Cut where a boundary is crossed, and ask the controller for the slack of each part when it comes to it."""
        for start, stop in stretches_of(self._boundaries.crossed(arrivals.clock), arrivals.steps):
            part = arrivals.part(start, stop)
            yield part, slack_within(self._controller, part.delay, part.arrived_by(np.arange(part.steps)))

    def _run(self, arrivals: Arrivals, slack: Times, turned_away: Late) -> Outcome:
        """Run the steps of a part; `turned_away` are the events that the guard kept from it."""
        out = self._kslack.on_batch(arrivals, slack)
        counts_by = partial(self._counts_by, arrivals, out, turned_away)
        crossed = self._boundaries.crossed(arrivals.clock)
        decisions = self._boundaries.pass_over(arrivals, crossed, slack, counts_by)
        if self._kept is not None:
            arrived, late = arrivals.arrived_by(crossed), out.late_by(crossed)
            ended = np.append(arrived, len(arrivals.events)), np.append(late, len(out.late))
            decisions = with_estimate(self._kept.follow(decisions, *ended), self._controller)
        routed = self._route(out, turned_away, decisions, len(arrivals.events))
        if arrivals.steps:
            self._controller.observe(self._measure(arrivals, slack, decisions, late=len(out.late)))
        return routed

    def _decide_ahead(self, arrivals: Arrivals) -> DecidedAhead | None:
        """Lead the controller through a batch, where that is possible and cheaper than to run the buffer in parts."""
        if self._kept is None or self._node.late.changes_times or isinstance(self._kslack, KeyedLogic):
            return None
        crossed = self._boundaries.crossed(arrivals.clock)
        if not len(crossed) or len(crossed) * ROWS_OF_A_PART < len(arrivals.events):
            return None
        passed = self._boundaries.passed(arrivals.clock, crossed)
        return decide_ahead(
            self._controller, self._kept, self._kslack, self.counts, arrivals, crossed=crossed, passed=passed
        )

    def _run_ahead(self, arrivals: Arrivals, decided: DecidedAhead) -> Outcome:
        """Run a batch in one piece, with slacks that are decided."""
        out = self._kslack.on_batch(arrivals, decided.slack)
        counts_by = partial(self._counts_by, arrivals, out, Late.none())
        decisions = self._boundaries.pass_over(arrivals, decided.crossed, decided.slack, counts_by)
        decisions = replace(decisions, measured=decided.measured, estimated=decided.estimated)
        routed = self._route(out, Late.none(), decisions, len(arrivals.events))
        check_foreseen(decided.counts, self.counts)
        return routed

    def _drain(self, out: AnyDepartures) -> Outcome:
        if self._kept is not None:
            self._kept.drained(len(out.late))
        return self._route(out, Late.none(), Decisions.none(), 0)

    def _measure(self, arrivals: Arrivals, slack: Times, decisions: Decisions, *, late: int) -> Measurement:
        return Measurement(
            at=int(arrivals.clock[-1]),
            intervals=int(decisions.intervals.sum()),
            slack=int(slack[-1]),
            max_delay=arrivals.max_delay,
            delays=arrivals.delay,
            counts=self.counts,
            late=late,
            kept=None if self._kept is None else self._kept.get(),
        )

    def _counts_by(
        self, arrivals: Arrivals, out: AnyDepartures, turned_away: Late, step: Rows
    ) -> tuple[Rows, Rows, Rows, Rows]:
        """How many events had arrived, been released and been late after each of these steps of a part."""
        arrived, released, late = arrivals.arrived_by(step), out.released_by(step), out.late_by(step)
        if self._node.late.changes_times:
            released, late = released + late, np.zeros_like(late)
        last_arrival = arrivals.events.arrival[arrived - 1]
        away = np.searchsorted(turned_away.events.arrival, last_arrival, side="right")
        before = self._counts
        released = before.released + released
        return before.arrived + arrived + away, released, before.late + late + away, released

    def _route(self, out: AnyDepartures, turned_away: Late, decisions: Decisions, usable: int) -> Outcome:
        """Let the late policy decide, and count; `usable` events came to the buffer."""
        late = turned_away + self._late(out)
        none = np.zeros(len(turned_away), np.int64)
        behind = np.concatenate((none, out.late_behind))
        left_before = out.released_before_late() if self._node.late.changes_times else np.zeros_like(out.late_behind)
        follows = np.concatenate((none, left_before))
        routed = self._node.late.route(out.in_order, late, behind, follows, stream=self._node.stream.name)
        self._counts = Counts(
            arrived=self._counts.arrived + usable + len(turned_away),
            released=self._counts.released + len(routed.released),
            late=self._counts.late + routed.late,
        )
        return Outcome(routed.released, routed.side, decisions)

    def _late(self, out: AnyDepartures) -> Late:
        late = Late.because(out.late, Reason.LATE, out.late_behind - out.late.time)
        cap = self._node.contract.longest_wait
        if cap is not None and len(late):
            late.code[is_over_cap(out.late_delay, cap.microseconds)] = code_of(Reason.OVER_CAP)
        return late

    def _checked(self, outcome: Outcome, before: KSlackState) -> Outcome:
        """Stop if an event is lost, or out of order; the order of each of many keys is left to their heaps."""
        self.counts.check()
        check_clock(self.clock, before.clock, what=f"the clock of {self._node.stream.name}")
        if not self._node.by:
            check_order(outcome.released.time, before.passed_on, what=f"results of {self._node.stream.name}")
        return outcome


def _built(node: ReorderNode, buffer: Buffer | KeyedBuffer, state: KSlackState) -> KSlackLogic | KeyedLogic:
    if isinstance(buffer, KeyedBuffer):
        return KeyedKSlack(node.release).build(buffer, state)
    return KSlack(node.release).build(buffer, state)


def joined(outcomes: Sequence[Outcome]) -> Outcome:
    """Return what several batches led to, as one."""
    return Outcome(
        Events.concat([outcome.released for outcome in outcomes]),
        Late.concat([outcome.late for outcome in outcomes]),
        Decisions.concat([outcome.decisions for outcome in outcomes]),
    )


def turned_away_by(turned_away: Late, arrivals: Arrivals) -> int:
    """How many of the events that were turned away came up to the last of these steps."""
    if not arrivals.steps or not len(turned_away):
        return 0
    return int(np.searchsorted(turned_away.events.arrival, arrivals.events.arrival[-1], side="right"))


def check_version(found: object) -> None:
    """Refuse saved state of another format."""
    if found != STATE_VERSION:
        raise StateError(
            f"format version {found}",
            expected=str(STATE_VERSION),
            remedy="use the version of slackwater that wrote it; or drain with that one, then start a new checkpoint",
        )
