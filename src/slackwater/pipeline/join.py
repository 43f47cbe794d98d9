"""An operator over several streams with its synchronized inputs and controller: what every runner drives. The join.

The slack changes only where the clock of the fastest stream crosses a boundary. A controller that learns from results
is asked there, so the batch is cut there; one that learns from arrivals alone is asked for the whole batch beforehand,
and the batch is one set computation.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

import numpy as np

from slackwater.control.choose import controller_for, controller_state
from slackwater.control.controller import learns_from, needs_cross
from slackwater.core.join import Processed, WindowJoin
from slackwater.core.near_search import search_near
from slackwater.events import Events, Late, Reason, Tagged, code_of
from slackwater.lanes import ONE_LANE, Lanes
from slackwater.measurement import Counts, Joined, Measurement, StreamArrivals
from slackwater.pipeline.boundaries import Boundaries, Decisions, with_estimate
from slackwater.pipeline.foresight import Foresight, profile_for
from slackwater.pipeline.gate_inputs import GateInputs
from slackwater.pipeline.inputs import SynchronizedInputs
from slackwater.pipeline.invariants import check_streams
from slackwater.pipeline.join_outcome import JoinOutcome, joined
from slackwater.pipeline.kept import KeptShare
from slackwater.time import BEFORE_ALL_TIME, Times, is_over_cap

if TYPE_CHECKING:
    from slackwater.control.controller import Controller
    from slackwater.core.conditions import Condition
    from slackwater.core.merged import MergedArrivals
    from slackwater.core.work import Work
    from slackwater.events import Rows
    from slackwater.pipeline.foresight import Profile
    from slackwater.pipeline.guard import Incoming
    from slackwater.pipeline.inputs import Inputs
    from slackwater.plan.nodes import JoinNode, StreamsNode


_NO_TIMES: Times = np.empty(0, np.int64)
_MOST_RESULTS = 2**62  # where counting stops: a cross join can have more results than a number can say


@dataclass(frozen=True)
class Held:
    """The events that a join holds, by where they are; rows are those of the runner's tables."""

    waiting: tuple[Events, ...]  # in the reorder buffers
    between: Tagged  # in the synchronizer
    windows: tuple[Events, ...]
    seen: tuple[Events, ...]  # what late events may find as partners; only for controllers that learn from arrivals

    @classmethod
    def none(cls, streams: int) -> Held:
        """Nothing is held."""
        nothing = (Events.none(),) * streams
        return cls(nothing, Tagged.none(), nothing, nothing)


class Operator(Protocol):
    """What is done with events that are synchronized."""

    def on_batch(self, events: Tagged, *, listing: bool = True, cross: bool = False) -> Processed:
        """Process events; `listing` gives the results themselves, `cross` what the windows offered."""

    def skip_to(self, time: int) -> None:
        """Give no result before this time."""

    @property
    def time(self) -> int | None:
        """Nothing earlier will be a result."""

    @property
    def windows(self) -> list[Events]:
        """The events that it keeps, for each stream."""


class StreamsPipeline(ABC):
    """Drives one operator over several streams. Its snapshot, what it holds and the delays of that are to be saved.

    `delays[s][row]` is where the delay of each event is noted when it arrives, for when it comes to the operator.
    Whoever gives a `controller` has built it from the state; else it is the contract's. `lanes` is how many streams are
    worked on at the same time.
    """

    total_order: ClassVar[bool] = False  # whether equal times leave by stream, whatever came first

    def __init__(
        self,
        node: StreamsNode,
        delays: Sequence[Times],
        *,
        held: Held | None = None,
        state: dict[str, Any] | None = None,
        listing: bool = True,
        controller: Controller | None = None,
        lanes: Lanes = ONE_LANE,
    ) -> None:
        state, held = state or {}, held or Held.none(len(node.streams))
        self._node, self._delays, self._listing, self._lanes = node, delays, listing, lanes
        windows = tuple(window.microseconds for window in node.windows)
        self._controller = controller or controller_for(node.contract, state.get("controller"), windows=windows)
        self._inputs = self._build_inputs(held, state)
        self._operator = self._build(held, state)
        self._away = _NO_TIMES  # when the events of this batch came that were turned away
        self._asks = True  # whether the controller wants to see what happened, rather than follow every arrival
        self._foresight = None
        if learns_from(self._controller) == "arrivals":
            profile = self._profile(held, state)
            period = node.contract.period.microseconds
            gated = node.contract.deadline is not None and not node.contract.counts_events
            self._foresight = Foresight(self._controller, profile, period, state, gated=gated)
        self._boundaries = Boundaries(
            node.contract.interval.microseconds, clock=self.clock, max_delay=state.get("max_delay", 0)
        )
        self._kept = KeptShare.of(node.contract, state) if node.contract.counts_events else None
        self._counts = Counts(**state.get("counts", {}))
        self._results = state.get("results", 0)
        self.delays: tuple[tuple[Times, None], ...] = ()  # of the events of the last batch, stream by stream
        self._past = state.get("past", 0)  # events past a deadline since the last decision

    def on_batch(self, incoming: Sequence[Incoming]) -> JoinOutcome:
        """Take in a batch, one part for each stream in arrival order; join, route and decide."""
        before = self.clock, self.time
        merged, turned_away = self._inputs.arrive(incoming)
        self.delays = tuple((each.delay, None) for each in merged.streams)
        self._away = np.sort(np.concatenate([late.events.arrival for late in turned_away]))
        outcomes = [self._run(part, slack) for part, slack in self._parts(merged)]
        self._counts = self._added(late=len(self._away), arrived=len(self._away))
        self._away = _NO_TIMES
        away = JoinOutcome(None, self._sides(turned_away), Decisions.none(), _NO_TIMES)
        return self._checked(joined([away, *outcomes]), *before)

    def on_idle(self, stream: int) -> JoinOutcome:
        """Let a stream that is silent step aside: it releases what it holds, and nobody waits for it.

        What leaves because of that was not ready: the next decision counts it.
        """
        before = self.clock, self.time
        passed = self._inputs.on_idle(stream, np.asarray(self.slack))
        self._past += int(passed.past(self._node.contract)[-1])
        processed = replace(self._process(passed.events), ready=passed.ready)
        if self._foresight is not None:
            self._foresight.on_processed(processed)
        return self._checked(self._route(processed), *before)

    def on_end(self) -> JoinOutcome:
        """Drain: release all that is held, join it, and decide one last time."""
        before = self.clock, self.time
        routed = self._route(self._process(self._inputs.on_end()))
        slack = self._controller.next_slack().microseconds
        last = self._with_past(self._boundaries.close(self.clock, slack, self._counts, self._results))
        return self._checked(replace(routed, decisions=last, watermark=np.full(len(last), self._time_now)), *before)

    def skip_to(self, time: int) -> None:
        """Give no result before this time: what can only come to one is late. Whoever takes the results has no use."""
        if time > BEFORE_ALL_TIME:
            self._operator.skip_to(time)

    def snapshot(self) -> dict[str, Any]:
        """Return all that is needed to go on besides what is held, as values that JSON can hold."""
        return {
            **self._inputs.snapshot(),
            "time": self._operator.time,
            "controller": controller_state(self._node.contract, self._controller),
            "max_delay": self._boundaries.max_delay,
            "counts": {"arrived": self._counts.arrived, "released": self._counts.released, "late": self._counts.late},
            "results": self._results,
            **({"past": self._past} if self._past else {}),
            **({} if self._foresight is None else self._foresight.snapshot()),
            **({} if self._kept is None else self._kept.snapshot()),
        }

    @property
    def held(self) -> Held:
        """The events that must be kept for later."""
        none = (Events.none(),) * len(self._delays)
        seen = none if self._foresight is None else self._foresight.seen
        return Held(self._inputs.waiting, self._inputs.between, tuple(self._operator.windows), seen)

    @property
    def counts(self) -> Counts:
        """Where the events are, from the start; those in windows have been released."""
        return Counts(self._counts.arrived, self._counts.released, self._counts.late, self._inputs.buffered)

    @property
    def results(self) -> int:
        """How many results there were, from the start."""
        return int(self._results)

    @property
    def slack(self) -> int:
        """The slack now in force, in us."""
        return self._controller.next_slack().microseconds

    @property
    def clock(self) -> int | None:
        """The largest event time seen in any stream."""
        return self._inputs.clock

    @property
    def time(self) -> int | None:
        """The join's time: results up to here can no longer change."""
        return self._operator.time

    @property
    def _time_now(self) -> int:
        return BEFORE_ALL_TIME if self._operator.time is None else self._operator.time

    def _build_inputs(self, held: Held, state: dict[str, Any]) -> Inputs:
        """Make the inputs: a gate where there is a deadline, else reorder buffers and a synchronizer."""
        if self._node.contract.deadline is not None:
            return GateInputs(self._node, self._delays, held.waiting, held.between, state)
        kept = held.waiting, held.between, state
        return SynchronizedInputs(self._node, self._delays, *kept, total_order=self.total_order, lanes=self._lanes)

    @abstractmethod
    def _build(self, held: Held, state: dict[str, Any]) -> Operator:
        """Make the operator, anew or from what was saved."""

    @abstractmethod
    def _profile(self, held: Held, state: dict[str, Any]) -> Profile:
        """Make what looks at arrivals, for a controller that learns from them."""

    def _parts(self, merged: MergedArrivals) -> Iterator[tuple[MergedArrivals, Times]]:
        """Cut where the controller must see what happened before it says how to go on."""
        if self._foresight is not None:
            crossed = self._boundaries.crossed(merged.clock)
            yield merged, self._foresight.on_batch(merged, crossed, self._boundaries.passed(merged.clock, crossed))
            return
        path = self._controller.slack_path(merged.largest_delay)
        self._asks = path is None
        if path is not None:
            yield merged, path
            return
        start = 0
        for stop in [*(self._boundaries.crossed(merged.clock) + 1).tolist(), merged.steps]:
            if stop > start:
                part = merged.part(start, stop)
                yield part, np.broadcast_to(np.int64(self._controller.next_slack().microseconds), (part.steps,))
                start = stop

    def _run(self, arrivals: MergedArrivals, slack: Times) -> JoinOutcome:
        """Run the steps of a part through buffers, synchronizer and join."""
        passed = self._inputs.run(arrivals, slack)
        left_at, past = passed.at, passed.past(self._node.contract)
        processed = replace(self._process(passed.events), ready=passed.ready)
        usable = sum(len(each.events) for each in arrivals.streams)
        before, results = self._counts, self._results
        self._counts = self._added(arrived=usable)
        watermarks, came_late, past_by = _NO_TIMES, _NO_TIMES, _NO_TIMES

        def counts_by(step: Rows) -> tuple[Rows, Rows, Rows, Rows]:
            nonlocal watermarks, came_late, past_by
            done = np.searchsorted(left_at, arrivals.arrival[step], side="right")
            watermarks, past_by = processed.times[done], past[done]
            came_late = late = np.searchsorted(processed.late, done)
            completed = np.minimum(processed.completed_by[done], _MOST_RESULTS).astype(np.int64)
            away = np.searchsorted(self._away, arrivals.arrival[step], side="right")
            arrived = before.arrived + arrivals.arrived_by(step) + away
            return arrived, before.released + done - late, before.late + late + away, results + completed

        crossed = self._boundaries.crossed(arrivals.clock)
        decisions = self._boundaries.pass_over(arrivals, crossed, slack, counts_by)
        decisions = self._with_past(decisions, past_by, int(past[-1]))
        routed = self._route(processed)
        if self._foresight is not None:

            def passed_on(step: Rows) -> Times:
                return processed.times[search_near(left_at, arrivals.arrival[step])]

            done = np.searchsorted(left_at, arrivals.arrival[crossed], side="right")
            decisions = self._foresight.explained(decisions, processed, done, watermarks, passed_on)
        elif arrivals.steps and self._asks:
            decisions = with_estimate(decisions, self._controller)
            measured = self._measure(arrivals, slack, decisions, processed)
            self._controller.observe(replace(measured, slack_ready=int(past[-1]), stall=passed.longest_stall))
        if self._kept is not None:
            late = np.append(came_late, len(processed.late))
            decisions = self._kept.follow(decisions, np.append(arrivals.arrived_by(crossed), usable), late)
        return replace(routed, decisions=decisions, watermark=watermarks)

    def _with_past(self, decisions: Decisions, by: Rows | None = None, total: int = 0) -> Decisions:
        """Write down how many events were past a deadline since the decision before.

        `by` has, from the start of this part up to each decision, how many there were; `total` up to its end.
        """
        if not len(decisions):
            self._past += total
            return decisions
        by = np.zeros(len(decisions), np.int64) if by is None else by
        since, self._past = np.diff(by, prepend=-self._past), total - int(by[-1])
        return replace(decisions, past=since)

    def _process(self, events: Tagged) -> Processed:
        return self._operator.on_batch(events, listing=self._listing, cross=needs_cross(self._controller))

    def _measure(
        self, arrivals: MergedArrivals, slack: Times, decisions: Decisions, processed: Processed
    ) -> Measurement:
        streams = tuple(
            StreamArrivals(own.delay, arrivals.per_event(s, arrivals.clocks[s] - arrivals.slowest))
            for s, own in enumerate(arrivals.streams)
        )
        delay = np.zeros(len(processed.events), np.int64)
        for stream, noted in enumerate(self._delays):
            mine = processed.events.stream == stream
            delay[mine] = noted[processed.events.row[mine]]
        cross = np.zeros(len(delay)) if processed.cross is None else processed.cross
        return Measurement(
            at=int(arrivals.clock[-1]),
            intervals=int(decisions.intervals.sum()),
            slack=int(slack[-1]),
            max_delay=arrivals.max_delay,
            delays=np.concatenate([own.delay for own in arrivals.streams]),
            counts=self.counts,
            streams=streams,
            joined=Joined(delay, processed.in_order, cross, processed.completed),
        )

    def _route(self, processed: Processed) -> JoinOutcome:
        """Count what was processed, and send to `late` what did not come in order."""
        late = len(processed.late)
        self._counts = self._added(released=len(processed.events) - late, late=late)
        self._results = min(self._results + int(processed.completed.sum()), _MOST_RESULTS)
        sides = self._sides([self._late(stream, processed) for stream in range(len(self._delays))])
        return JoinOutcome(processed.results, sides, Decisions.none(), _NO_TIMES, (processed,))

    def _late(self, stream: int, processed: Processed) -> Late:
        which = processed.late[processed.events.stream[processed.late] == stream]
        tagged = processed.events[which]
        events = Events(tagged.time, tagged.arrival, tagged.row)
        side = Late.because(events, Reason.LATE, processed.behind[which] - events.time)
        cap = self._node.contract.longest_wait
        if cap is not None and len(side):
            side.code[is_over_cap(self._delays[stream][events.row], cap.microseconds)] = code_of(Reason.OVER_CAP)
        return side

    def _sides(self, late: Sequence[Late]) -> tuple[Late, ...]:
        """Let the late policy decide what is written."""
        named = zip(late, self._node.streams, strict=True)
        return tuple(self._node.late.keep(each, stream=stream.name) for each, stream in named)

    def _added(self, *, arrived: int = 0, released: int = 0, late: int = 0) -> Counts:
        counts = self._counts
        return Counts(counts.arrived + arrived, counts.released + released, counts.late + late)

    def _checked(self, outcome: JoinOutcome, clock: int | None, time: int | None) -> JoinOutcome:
        """Stop if an event is lost, or a result out of order; clock and time are those before."""
        self.counts.check()
        listed = [] if outcome.results is None else [outcome.results.time]
        left = [part.events.time[part.in_order] for part in outcome.processed]
        check_streams([*listed, *left], (self.clock, clock), (self.time, time), what=self._node.operator)
        return outcome


class JoinPipeline(StreamsPipeline):
    """Drives one join; `listing=False` only counts results, and `work` notes how partners were found."""

    def __init__(
        self,
        node: JoinNode,
        condition: Condition,
        delays: Sequence[Times],
        *,
        work: Work | None = None,
        lanes: Lanes = ONE_LANE,
        **options: Any,
    ) -> None:
        self._condition, self._work = condition, work
        windows = tuple(window.microseconds for window in node.windows)
        self._join = WindowJoin(windows, node.closed, node.situation2, lanes=lanes)
        super().__init__(node, delays, lanes=lanes, **options)

    def _build(self, held: Held, state: dict[str, Any]) -> Operator:
        return self._join.build(self._condition, held.windows, state.get("time"), self._work)

    def _profile(self, held: Held, state: dict[str, Any]) -> Profile:
        return profile_for(self._node, self._join, self._condition, held.seen, state)
