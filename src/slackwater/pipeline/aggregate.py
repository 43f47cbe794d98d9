"""The aggregate with its guard, late policy and controller: what every runner drives.

Nothing that a controller learns depends on results, only on which events come too late, and that is known from times
alone. So the slack of all steps of a batch is decided first, interval by interval; then the batch is aggregated in one
piece, however many decisions fall into it.

*Released* is an event that was added to a pane: it counts in at least one window. None waits, so `buffered` is 0, but
for rows of a burst that were set aside (`pipeline/sidelined.py`): these count in `_counts` as if they were released.

Where windows are shown early, or punctuations come, the batch is cut where they act: an early result covers the events
that came before it, whatever the batches are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from slackwater.control.choose import controller_for, controller_state
from slackwater.control.controller import slack_within
from slackwater.core.aggregate import WindowAggregate
from slackwater.core.closing import Placed
from slackwater.core.prods import Prods
from slackwater.events import Late, Reason, code_of
from slackwater.measurement import Counts, Measurement
from slackwater.pipeline.aggregate_start import prods_of, restored
from slackwater.pipeline.boundaries import Boundaries, Decisions, stretches_of, with_estimate
from slackwater.pipeline.compared import Compared, ComparedEarly
from slackwater.pipeline.emitted import Emitted
from slackwater.pipeline.guard import Incoming, turn_away
from slackwater.pipeline.invariants import check_clock, check_still_closed
from slackwater.pipeline.kept import KeptShare
from slackwater.pipeline.marks import Answer, Mark, broken_promises, closed_by, unheard
from slackwater.pipeline.reorder import turned_away_by
from slackwater.pipeline.sidelined import Sidelined
from slackwater.pipeline.staged import StagedRun, stages, with_chosen
from slackwater.pipeline.tower import Tower
from slackwater.pipeline.upper import Upper
from slackwater.pipeline.within import WithinBound
from slackwater.time import BEFORE_ALL_TIME, is_over_cap, slack_to_stay_open

if TYPE_CHECKING:
    from slackwater.core.aggregate_state import AggregateState
    from slackwater.core.arrivals import Arrivals
    from slackwater.core.cells import Cells, Input
    from slackwater.core.open_panes import OpenPanes
    from slackwater.core.sidelined import SidelinedState
    from slackwater.events import Events, Rows
    from slackwater.pipeline.added_up import AddedUp
    from slackwater.pipeline.groups import Regroup
    from slackwater.plan.nodes import AggregateNode
    from slackwater.time import Times

_NO_STEPS: Rows = np.empty(0, np.int64)


@dataclass(frozen=True, slots=True)
class AggregateOutcome:
    """What a batch led to."""

    emitted: Emitted | None  # None: no result
    late: Late
    decisions: Decisions
    answers: tuple[Answer, ...] = ()  # to prods that came with the stream
    compared: tuple[Compared, ...] = ()  # how good early results were, as windows become final

    @property
    def windows(self) -> Cells | None:
        """The results in the order in which they left; None: there is none."""
        return None if self.emitted is None else self.emitted.cells


class AggregatePipeline:
    """Drives one aggregate, or a tower of them.

    Its snapshot, the cells of its panes, its notes, the windows that are watched and what upper levels remember are all
    that there is to save.
    """

    def __init__(
        self,
        node: AggregateNode,
        state: dict[str, Any] | None = None,
        panes: Mapping[int, Cells] | None = None,
        notes: Mapping[str, Cells] | None = None,
        *,
        watched: Mapping[int, Cells] | None = None,
        regroup: Sequence[Regroup] = (),
        uppers: Sequence[AggregateState | None] | None = None,
        sidelined: SidelinedState | None = None,
    ) -> None:
        state = state or {}
        top, node = node, node.levels[0]
        self._node = node
        self._controller = controller_for(node.contract, state.get("controller"))
        functions = tuple(value.algebra for _, value in node.computed)
        config = WindowAggregate(node.panes, functions, node.early is not None, node.empty, node.reach)
        self._logic = config.build(restored(state, panes or {}, notes or {}))
        above = zip(top.levels[1:], regroup, uppers or [None] * len(regroup), strict=True)
        self._uppers = [Upper(level, groups, saved) for level, groups, saved in above]
        self._tower = Tower(top, self._logic, self._uppers)
        self._compared = ComparedEarly.of(top, state.get("early"), (notes or {}).get("compared"))
        self._prods = Prods() if top.early is None else prods_of(top)
        self._leads: tuple[int, ...] = ()
        if not self._uppers and self._compared is None:  # then they need no cuts: see core/early_windows.py
            self._leads, self._prods = self._prods.leads, replace(self._prods, leads=())
        self._shows = top.early is not None
        self._sidelined = Sidelined(node, self._logic, sidelined, state.get("came", {}))
        self._slide = top.panes.slide
        self._boundaries = Boundaries(
            node.contract.interval.microseconds, clock=state.get("clock"), max_delay=state.get("max_delay", 0)
        )
        self._kept = KeptShare.of(node.contract, state)
        self._within = WithinBound.of(node, state, watched)
        self._counts = Counts(**state.get("counts", {}))
        self._results: int = state.get("results", 0)
        self.delays: tuple[tuple[Times, Rows | None], ...] = ()  # of the events of the last batch, with their weights
        # A controller that counts what events need is told that; another one knows what to make of delays.
        self._learns_needs = (
            node.contract.counts_events and getattr(self._controller, "learns_from", "results") == "arrivals"
        )

    def on_batch(
        self,
        incoming: Incoming,
        group: Rows,
        inputs: Sequence[Input],
        marks: Sequence[Mark] = (),
        *,
        added: AddedUp | None = None,
    ) -> AggregateOutcome:
        """Take in a batch in arrival order; `group` and `inputs` have an entry for each row that events name.

        Where rows were `added` up by pane, an event may stand for several: then all must arrive together.
        """
        before = self._logic.clock, self._logic.closed_to
        events, turned_away = turn_away(incoming, self._node.stream.max_ahead)
        events, turned_away = self._turn_away_liars(events, turned_away, group, marks)
        arrivals = self._logic.arrive(events) if added is None else added.arrive(self._logic, events)
        self.delays = ((arrivals.delay, arrivals.weight),)
        clock = BEFORE_ALL_TIME if self._logic.clock is None else self._logic.clock
        columns = group[events.row], [each[events.row] for each in inputs]
        if self._within is not None:
            self._within.on_batch(arrivals, columns[0], columns[1][: len(self._node.values)])
        promised = closed_by(marks, arrivals.arrival_of_steps())
        slack, decisions, steps = self._decide(arrivals, turned_away, promised)
        back, aside = self._sidelined.on_batch(arrivals, slack, *columns)
        marks = marks if self._shows else [unheard(mark) for mark in marks]
        cuts = stages(arrivals, self._prods, marks, clock=clock, slide=self._slide)
        run = StagedRun(self._logic, arrivals, *columns, slack, self._tower, self._leads, self._compared, aside)
        for stage in with_chosen(cuts, arrivals, None if self._compared is None else self._compared.chosen):
            run.through(stage)
        emitted = Emitted.concat([part for part in (back, self._sidelined.withhold(run.emitted)) if part is not None])
        decisions = self._sidelined.count(decisions, arrivals, steps, aside)
        results_by = run.results_by(steps)
        if self._node.sideline is not None:  # then others leave than those that the run has closed
            results_by = np.searchsorted(_NO_STEPS if emitted is None else emitted.step, steps, side="right")
        decisions = replace(decisions, results=self._results + results_by)
        if added is not None:
            added.check(events[run.late])
        late = self._node.late.keep(
            turned_away + self._late(events, arrivals, run.late, run.late_behind), stream=self._node.stream.name
        )
        self._check(run.emitted, *before)
        return self._outcome(emitted, late, decisions, (*self._sidelined.answers, *run.answers))

    def on_end(self) -> AggregateOutcome:
        """Drain: work off what was set aside, close every window that has events, and decide one last time."""
        before = self._logic.clock, self._logic.closed_to
        clock = np.full(2, BEFORE_ALL_TIME if self._logic.clock is None else self._logic.clock)
        back = self._sidelined.work_off()
        closed, estimates = self._tower.on_end(), None
        if self._compared is not None:
            self._compared.on_closed(closed, self._logic.closed_to, int(clock[0]))
            closed, estimates = self._compared.leaving(closed, None)
        closing = Emitted.of(closed, step=0, clock=clock, estimates=estimates)
        emitted = Emitted.concat([part for part in (back, closing) if part is not None])
        outcome = self._outcome(emitted, Late.none(), Decisions.none(), self._sidelined.answers)
        if self._within is not None:
            self._within.on_end()
        last = self._boundaries.close(self._logic.clock, self.slack, self._counts, self._results)
        self._check(closing, *before)
        return replace(outcome, decisions=last)

    def snapshot(self) -> dict[str, Any]:
        """Return all that is needed to go on besides the cells, as values that JSON can hold."""
        held = self._logic.snapshot()
        return {
            "clock": held.clock,
            "reached": held.reached,
            "promised": {"until": held.promised.until, "ranges": held.promised.ranges},
            "controller": controller_state(self._node.contract, self._controller),
            "max_delay": self._boundaries.max_delay,
            "counts": {
                "arrived": self._counts.arrived,
                "released": self._counts.released,
                "late": self._counts.late,
            },
            "results": self._results,
            "came": {str(slide): count for slide, count in self._sidelined.state.came.items()},
            **({} if self._kept is None else self._kept.snapshot()),
            **({} if self._within is None else self._within.snapshot()),
            **({} if self._compared is None else {"early": self._compared.snapshot()}),
        }

    @property
    def panes(self) -> OpenPanes:
        """The cells of each open pane."""
        return self._logic.panes

    @property
    def notes(self) -> Mapping[str, Cells]:
        """What else is known of groups, and must be saved: how often windows were shown, punctuations, estimates."""
        held = self._logic.snapshot()
        known = {"shown": held.shown, "bounds": held.promised.bounds, "seen": held.seen}
        known["compared"] = None if self._compared is None else self._compared.known
        return {name: cells for name, cells in known.items() if cells is not None}

    @property
    def uppers(self) -> list[AggregateState]:
        """What the levels above the first remember."""
        return [upper.snapshot() for upper in self._uppers]

    @property
    def open_from(self) -> int:
        """The earliest time that is in a window which is still open: events before it would be late."""
        return self._logic.open_from

    @property
    def clock(self) -> int | None:
        """The largest event time seen."""
        return self._logic.clock

    @property
    def watched(self) -> Mapping[int, Cells]:
        """The cells of windows whose errors are watched; none where the contract is not about values."""
        return {} if self._within is None else self._within.windows

    @property
    def sidelined(self) -> SidelinedState:
        """What was set aside of bursts, and the windows that wait for it."""
        return self._sidelined.state

    @property
    def counts(self) -> Counts:
        """Where the events are, from the start; buffered is what was set aside."""
        return self._sidelined.counts(self._counts)

    @property
    def slack(self) -> int:
        """The slack now in force, in us."""
        return self._controller.next_slack().microseconds

    def _decide(self, arrivals: Arrivals, turned_away: Late, promised: Times) -> tuple[Times, Decisions, Rows]:
        """Return the slack of each step, the decisions on the way, and the steps at which they fell due.

        `promised` is what punctuations have closed before each step, and after the last.
        """
        path = self._controller.slack_path(arrivals.largest_delay)
        crossed = self._boundaries.crossed(arrivals.clock)
        closed_to = self._logic.closed_to
        slacks, decisions = [np.empty(0, np.int64)], [Decisions.none()]
        for start, stop in stretches_of(crossed if path is None else _NO_STEPS, arrivals.steps):
            part = arrivals.part(start, stop)
            came = turned_away_by(turned_away, part)
            slack = self._slack_of(part) if path is None else path
            placed = Placed.of(self._node.panes, part, slack, closed_to, promised[start:stop])
            if self._within is not None:
                self._within.on_part(part, placed.reached, closed_to, promised[start:stop])
            decisions.append(self._pass_over(part, slack, placed, turned_away[:came]))
            slacks.append(slack)
            closed_to, turned_away = int(placed.reached[-1]), turned_away[came:]
        self._count(len(turned_away), len(turned_away))
        if self._within is not None:
            self._within.on_batch_end(closed_to, int(promised[-1]))
        return np.concatenate(slacks), Decisions.concat(decisions), crossed

    def _slack_of(self, part: Arrivals) -> Times:
        arrived_by = part.arrived_by(np.arange(part.steps))
        return slack_within(self._controller, self._delays(part), arrived_by, part.weight)

    def _delays(self, part: Arrivals) -> Times:
        """Return how long each event has to be waited for, as the controller understands it.

        A row is late once its last window is closed, which takes a slack of delay - (end of that window - event time).
        """
        if not self._learns_needs:
            return part.delay
        return slack_to_stay_open(self._node.panes.last_end(part.events.time), part.per_event(part.before))

    def _pass_over(self, part: Arrivals, slack: Times, placed: Placed, turned_away: Late) -> Decisions:
        """Write decisions down, count, and let the controller learn."""
        late = placed.late
        late_steps = part.step_of(late)

        def counts_by(step: Rows) -> tuple[Rows, Rows, Rows, Rows]:
            arrived, missed = part.counted_by(step), np.searchsorted(late_steps, step, side="right")
            last_arrival = part.events.arrival[part.arrived_by(step) - 1]
            away = np.searchsorted(turned_away.events.arrival, last_arrival, side="right")
            before = self._counts
            released = before.released + arrived - missed
            return before.arrived + arrived + away, released, before.late + missed + away, np.zeros_like(arrived)

        crossed = self._boundaries.crossed(part.clock)
        decisions = self._boundaries.pass_over(part, crossed, slack, counts_by)
        if self._kept is not None:
            arrived = np.append(part.counted_by(crossed), part.count)
            missed = np.append(np.searchsorted(late_steps, crossed, side="right"), len(late))
            decisions = with_estimate(self._kept.follow(decisions, arrived, missed), self._controller)
        if self._within is not None:
            decisions = self._within.follow(crossed, decisions)
            decisions = with_estimate(decisions, self._controller)
        self._count(part.count + len(turned_away), len(late) + len(turned_away))
        self._controller.observe(self._measure(part, slack, decisions, late=len(late)))
        return decisions

    def _measure(self, part: Arrivals, slack: Times, decisions: Decisions, *, late: int) -> Measurement:
        intervals = int(decisions.intervals.sum())
        return Measurement(
            at=int(part.clock[-1]),
            intervals=intervals,
            slack=int(slack[-1]),
            max_delay=part.max_delay,
            delays=self._delays(part),
            counts=self._counts,
            late=late,
            kept=None if self._kept is None else self._kept.get(),
            windows=None if self._within is None else self._within.measure(int(part.clock[-1]), closes=intervals > 0),
            weights=part.weight,
        )

    def _count(self, arrived: int, late: int) -> None:
        before = self._counts
        self._counts = Counts(before.arrived + arrived, before.released + arrived - late, before.late + late)

    def _turn_away_liars(
        self, events: Events, turned_away: Late, group: Rows, marks: Sequence[Mark]
    ) -> tuple[Events, Late]:
        """Turn events away that come behind a punctuation, as if they had no usable time: no contract is to blame."""
        if not self._logic.promised and not any(mark.kind == "punctuation" for mark in marks):
            return events, turned_away
        behind = broken_promises(self._logic.promised, marks, events, group[events.row])
        lies = behind > 0
        if not lies.any():
            return events, turned_away
        both = turned_away + Late.because(events[lies], Reason.PUNCTUATION, behind[lies])
        return events[~lies], both[np.argsort(both.events.arrival, kind="stable")]

    def _late(self, events: Events, arrivals: Arrivals, late: Rows, behind: Times) -> Late:
        """Return late events; `late_by` is how far the horizon was past the end of their last window."""
        ended = self._node.panes.last_end(events.time[late])
        out = Late.because(events[late], Reason.LATE, behind - ended)
        cap = self._node.contract.longest_wait
        if cap is not None and len(out):
            needed = slack_to_stay_open(ended, arrivals.per_event(arrivals.before)[late])
            out.code[is_over_cap(needed, cap.microseconds)] = code_of(Reason.OVER_CAP)
        return out

    def _check(self, closing: Emitted | None, clock: int | None, closed_to: int) -> None:
        """Stop if the clock went back or a window closed again; clock and `closed_to` are those before.

        `closing` is without the windows that had waited for rows set aside; those of a level above are its own.
        """
        check_clock(self._logic.clock, clock, what=f"the clock of {self._node.stream.name}")
        check_clock(self._logic.closed_to, closed_to, what=f"the end of closed windows of {self._node.stream.name}")
        if closing is not None and not self._uppers:
            finals = self._node.panes.ends(closing.cells.place[closing.final])
            check_still_closed(finals, closed_to, what=self._node.stream.name)

    def _outcome(
        self,
        emitted: Emitted | None,
        late: Late,
        decisions: Decisions,
        answers: tuple[Answer, ...] = (),
    ) -> AggregateOutcome:
        self._results += 0 if emitted is None else len(emitted)
        self.counts.check()
        compared = () if self._compared is None else self._compared.told()
        return AggregateOutcome(emitted, late, decisions, answers, compared)
