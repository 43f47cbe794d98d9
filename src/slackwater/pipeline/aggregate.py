"""The aggregate with its guard, late policy and controller: what every runner drives.

Nothing that a controller learns depends on results, only on which events come too late, and that is known from times
alone. So the slack of all steps of a batch is decided first, interval by interval; then the batch is aggregated in one
piece, however many decisions fall into it.

*Released* is an event that was added to a pane: it counts in at least one window. None waits, so `buffered` is 0.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from slackwater.control.choose import controller_for, controller_state
from slackwater.control.controller import slack_within
from slackwater.core.aggregate import AggregateState, Closed, Placed, WindowAggregate
from slackwater.events import Late, Reason, code_of
from slackwater.measurement import Counts, Measurement
from slackwater.pipeline.boundaries import Boundaries, Decisions, with_estimate
from slackwater.pipeline.guard import Incoming, turn_away
from slackwater.pipeline.kept import KeptShare
from slackwater.pipeline.reorder import turned_away_by
from slackwater.pipeline.within import WithinBound
from slackwater.time import is_over_cap, slack_to_stay_open

if TYPE_CHECKING:
    from slackwater.core.arrivals import Arrivals
    from slackwater.core.cells import Cells, Input
    from slackwater.events import Events, Rows
    from slackwater.plan.nodes import AggregateNode
    from slackwater.time import Times


@dataclass(frozen=True, slots=True)
class AggregateOutcome:
    """What a batch led to."""

    windows: Cells | None  # by (window, group); None: no window closed
    late: Late
    decisions: Decisions


class AggregatePipeline:
    """Drives one aggregate. Its snapshot and the cells of its panes are all that there is to save."""

    def __init__(
        self,
        node: AggregateNode,
        state: dict[str, Any] | None = None,
        panes: Mapping[int, Cells] | None = None,
        watched: Mapping[int, Cells] | None = None,
    ) -> None:
        state = state or {}
        self._node = node
        self._controller = controller_for(node.contract, state.get("controller"))
        functions = tuple(value.algebra for _, value in node.values)
        held = AggregateState(state.get("clock"), state.get("reached"), panes or {})
        self._logic = WindowAggregate(node.panes, functions).build(held)
        self._boundaries = Boundaries(
            node.contract.interval.microseconds, clock=state.get("clock"), max_delay=state.get("max_delay", 0)
        )
        self._kept = KeptShare.of(node.contract, state)
        self._within = WithinBound.of(node, state, watched)
        self._counts = Counts(**state.get("counts", {}))
        self._results: int = state.get("results", 0)
        # A controller that counts what events need is told that; another one knows what to make of delays.
        self._learns_needs = (
            node.contract.counts_events and getattr(self._controller, "learns_from", "results") == "arrivals"
        )

    def on_batch(self, incoming: Incoming, group: Rows, inputs: Sequence[Input]) -> AggregateOutcome:
        """Take in a batch in arrival order; `group` and `inputs` have an entry for each row that events name."""
        events, turned_away = turn_away(incoming, self._node.stream.max_ahead)
        arrivals = self._logic.arrive(events)
        group, inputs = group[events.row], [each[events.row] for each in inputs]
        if self._within is not None:
            self._within.on_batch(arrivals, group, inputs)
        slack, decisions, steps = self._decide(arrivals, turned_away)
        closed = self._logic.on_batch(arrivals, group, inputs, slack=slack)
        decisions = replace(decisions, results=self._results + closed.results_by(steps))
        late = self._node.late.keep(turned_away + self._late(events, arrivals, closed), stream=self._node.stream.name)
        return self._outcome(closed, late, decisions)

    def on_end(self) -> AggregateOutcome:
        """Drain: close every window that has events, and decide one last time."""
        outcome = self._outcome(self._logic.on_end(), Late.none(), Decisions.none())
        if self._within is not None:
            self._within.on_end()
        last = self._boundaries.close(self._logic.clock, self.slack, self._counts, self._results)
        return replace(outcome, decisions=last)

    def snapshot(self) -> dict[str, Any]:
        """Return all that is needed to go on besides the cells, as values that JSON can hold."""
        held = self._logic.snapshot()
        return {
            "clock": held.clock,
            "reached": held.reached,
            "controller": controller_state(self._node.contract, self._controller),
            "max_delay": self._boundaries.max_delay,
            "counts": {
                "arrived": self._counts.arrived,
                "released": self._counts.released,
                "late": self._counts.late,
            },
            "results": self._results,
            **({} if self._kept is None else self._kept.snapshot()),
            **({} if self._within is None else self._within.snapshot()),
        }

    @property
    def panes(self) -> Mapping[int, Cells]:
        """The cells of each open pane; those that a batch leaves alone stay the same objects."""
        return self._logic.snapshot().panes

    @property
    def watched(self) -> Mapping[int, Cells]:
        """The cells of windows whose errors are watched; none where the contract is not about values."""
        return {} if self._within is None else self._within.windows

    @property
    def counts(self) -> Counts:
        """Where the events are, from the start."""
        return self._counts

    @property
    def slack(self) -> int:
        """The slack now in force, in us."""
        return self._controller.next_slack().microseconds

    def _decide(self, arrivals: Arrivals, turned_away: Late) -> tuple[Times, Decisions, Rows]:
        """Return the slack of each step, the decisions on the way, and the steps at which they fell due."""
        path = self._controller.slack_path(arrivals.largest_delay())
        crossed = self._boundaries.crossed(arrivals.clock)
        edges = [] if path is not None else (crossed + 1).tolist()
        closed_to, start = self._logic.closed_to, 0
        slacks, decisions = [np.empty(0, np.int64)], [Decisions.none()]
        for stop in [*edges, arrivals.steps]:
            if stop > start:
                part = arrivals.part(start, stop)
                came = turned_away_by(turned_away, part)
                slack = self._slack_of(part) if path is None else path
                placed = Placed.of(self._node.panes, part, slack, closed_to)
                decisions.append(self._pass_over(part, slack, placed, closed_to, turned_away[:came]))
                slacks.append(slack)
                closed_to, start, turned_away = int(placed.reached[-1]), stop, turned_away[came:]
        self._count(len(turned_away), len(turned_away))
        if self._within is not None:
            self._within.on_batch_end()
        return np.concatenate(slacks), Decisions.concat(decisions), crossed

    def _slack_of(self, part: Arrivals) -> Times:
        return slack_within(self._controller, self._delays(part), part.arrived_by(np.arange(part.steps)))

    def _delays(self, part: Arrivals) -> Times:
        """Return how long each event has to be waited for, as the controller understands it.

        A row is late once its last window is closed, which takes a slack of delay - (end of that window - event time).
        """
        if not self._learns_needs:
            return part.delay
        return slack_to_stay_open(self._node.panes.last_end(part.events.time), part.per_event(part.before))

    def _pass_over(self, part: Arrivals, slack: Times, placed: Placed, closed_to: int, turned_away: Late) -> Decisions:
        """Write decisions down, count, and let the controller learn."""
        late = placed.late
        late_steps = part.step_of(late)

        def counts_by(step: Rows) -> tuple[Rows, Rows, Rows, Rows]:
            arrived, missed = part.arrived_by(step), np.searchsorted(late_steps, step, side="right")
            last_arrival = part.events.arrival[arrived - 1]
            away = np.searchsorted(turned_away.events.arrival, last_arrival, side="right")
            before = self._counts
            released = before.released + arrived - missed
            return before.arrived + arrived + away, released, before.late + missed + away, np.zeros_like(arrived)

        crossed = self._boundaries.crossed(part.clock)
        decisions = self._boundaries.pass_over(part, slack, counts_by)
        if self._kept is not None:
            arrived = np.append(part.arrived_by(crossed), len(part.events))
            missed = np.append(np.searchsorted(late_steps, crossed, side="right"), len(late))
            decisions = with_estimate(self._kept.follow(decisions, arrived, missed), self._controller)
        if self._within is not None:
            decisions = self._within.follow(part.clock, placed.reached, closed_to, crossed, decisions)
            decisions = with_estimate(decisions, self._controller)
        self._count(len(part.events) + len(turned_away), len(late) + len(turned_away))
        self._controller.observe(self._measure(part, slack, decisions, late=len(late)))
        return decisions

    def _measure(self, part: Arrivals, slack: Times, decisions: Decisions, *, late: int) -> Measurement:
        return Measurement(
            at=int(part.clock[-1]),
            intervals=int(decisions.intervals.sum()),
            slack=int(slack[-1]),
            max_delay=int(part.delay.max()),
            delays=self._delays(part),
            counts=self._counts,
            late=late,
            kept=None if self._kept is None else self._kept.get(),
            windows=None if self._within is None else self._within.measure(int(part.clock[-1])),
        )

    def _count(self, arrived: int, late: int) -> None:
        before = self._counts
        self._counts = Counts(before.arrived + arrived, before.released + arrived - late, before.late + late)

    def _late(self, events: Events, arrivals: Arrivals, closed: Closed) -> Late:
        """Return late events; `late_by` is how far the horizon was past the end of their last window."""
        ended = self._node.panes.last_end(events.time[closed.late])
        late = Late.because(events[closed.late], Reason.LATE, closed.late_behind - ended)
        cap = self._node.contract.longest_wait
        if cap is not None and len(late):
            needed = slack_to_stay_open(ended, arrivals.per_event(arrivals.before)[closed.late])
            late.code[is_over_cap(needed, cap.microseconds)] = code_of(Reason.OVER_CAP)
        return late

    def _outcome(self, closed: Closed, late: Late, decisions: Decisions) -> AggregateOutcome:
        self._results += 0 if closed.windows is None else len(closed.windows)
        self._counts.check()
        return AggregateOutcome(closed.windows, late, decisions)
