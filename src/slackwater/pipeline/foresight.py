"""Decides the slack of a whole batch before anything is joined, from what its arrivals tell of results.

What a result needs does not depend on the slack, so a controller that learns from needs can be led through all
boundaries of a batch first; the join is then one set computation, however many decisions fall into it.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from slackwater.control.controller import estimated_by
from slackwater.core.event_needs import EventNeeds
from slackwater.core.needed import Needs, NeedsState
from slackwater.core.needs import NeedsProfile
from slackwater.core.sample import SampleState
from slackwater.estimate.recent_recall import RecentRecall
from slackwater.measurement import Counts, Measurement, NeededSlacks
from slackwater.pipeline.behind_gate import BehindGate
from slackwater.pipeline.boundaries import stretches_of
from slackwater.pipeline.produced import ProducedShare
from slackwater.time import BEFORE_ALL_TIME, release_horizon, running_clock

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from slackwater.core.conditions import Condition
    from slackwater.core.join import Processed, WindowJoin
    from slackwater.core.merged import MergedArrivals
    from slackwater.events import Events, Rows
    from slackwater.pipeline.boundaries import Decisions
    from slackwater.plan.nodes import StreamsNode
    from slackwater.time import Mask, Times

_NO_TIMES, _NO_COUNTS = np.empty(0, np.int64), Counts()
LATE_SAMPLE, OTHER_SAMPLE = 48, 8  # events of each stream and interval that are asked what results they complete
_PERIODS_SEEN = 10  # for how long events are kept for late ones, unless the contract has a cap


def needs_state(state: dict[str, Any]) -> NeedsState | None:
    """Read what `Foresight.snapshot` wrote of the profile."""
    if "needs" not in state:
        return None
    samples = tuple((SampleState(**late), SampleState(**others)) for late, others in state["needs"]["samples"])
    lost = tuple(SampleState(**each) for each in state["needs"].get("lost", ()))
    return NeedsState(**{**state["needs"], "samples": samples, "lost": lost})


class Profile(Protocol):
    """Says what results need, from arrivals alone."""

    def on_batch(self, arrivals: MergedArrivals, interval: Rows, *, intervals: int) -> Needs:
        """Take in arrivals; return what the results need that they complete."""

    @property
    def seen(self) -> tuple[Events, ...]:
        """The events that a late one may still find as partners."""

    def snapshot(self) -> NeedsState:
        """Return all that is needed to go on, besides the events that were seen."""


def profile_for(
    node: StreamsNode, join: WindowJoin, condition: Condition, seen: Sequence[Events], state: dict[str, Any]
) -> Profile:
    """Build what looks at arrivals for a contract: at the results that they complete, or at events alone."""
    if node.contract.counts_events:
        return EventNeeds(len(node.streams))
    return NeedsProfile(
        join,
        condition,
        seen,
        needs_state(state),
        late=LATE_SAMPLE,
        others=OTHER_SAMPLE,
        most_lag=_most_lag(node),
        always=node.contract.deadline is not None,  # events that are not late may come too late for a gate
    )


def _most_lag(node: StreamsNode) -> int:
    """Return how late an event may come and still find its partners: what has not helped to wait for is not kept."""
    cap, period = node.contract.longest_wait, node.contract.period.microseconds
    return (
        max(_PERIODS_SEEN * period, *(window.microseconds for window in node.windows))
        if cap is None
        else cap.microseconds
    )


class Foresight:
    """Leads a controller through a batch; also measures the recall, over the arrivals of the last period."""

    def __init__(
        self, controller: Any, profile: Profile, period: int, state: dict[str, Any], *, gated: bool = False
    ) -> None:
        self._controller = controller
        self._profile = profile
        self._recent = RecentRecall(period, state.get("recent"))
        self._horizon: int = state.get("horizon", BEFORE_ALL_TIME)  # the largest so far, of the slowest stream
        self._period = period
        self._past_at: int = state.get("past_at", BEFORE_ALL_TIME)  # the last decision with events past a deadline
        self._behind_gate = BehindGate(period, state.get("behind_gate")) if gated else None
        self._produced: ProducedShare | None = None
        if isinstance(profile, NeedsProfile):
            self._produced = ProducedShare(profile, period, state.get("produced"))
        self._needs, self._interval = Needs.none(), _NO_TIMES  # of the batch
        self._estimated: list[float] = []
        self._measured: list[float] = []

    def on_batch(self, arrivals: MergedArrivals, crossed: Rows, passed: Rows) -> Times:
        """Return the slack at each step, given the steps at which boundaries are crossed, and how many at each."""
        group = np.repeat(np.arange(len(crossed) + 1), np.diff(crossed + 1, prepend=0, append=arrivals.steps))
        needs = self._profile.on_batch(arrivals, group, intervals=len(crossed) + 1).by_step()
        stretches = stretches_of(crossed, arrivals.steps)
        edges = np.searchsorted(needs.step, [0, *(stop for _, stop in stretches)]).tolist()
        lags = [_LateEvents.of(arrivals, stream, stretches) for stream in range(len(arrivals.streams))]
        clocks = arrivals.clock[np.array([stop - 1 for _, stop in stretches], np.int64)].tolist()
        boundaries = [*passed.tolist(), 0]
        slacks: list[int] = []
        self._needs, self._interval = needs, group
        self._estimated, self._measured = [], []
        for number, (start, stop) in enumerate(stretches):
            slacks.append(self._controller.next_slack().microseconds)
            self._estimated.append(_or_nan(estimated_by(self._controller)))
            mine = needs[edges[number] : edges[number + 1]]
            made = self._measure(arrivals, slacks[-1], mine, start, stop)
            if boundaries[number]:
                self._recent.close(clocks[number])
                self._measured.append(_or_nan(self._recent.get()))
            needed = self._needed(mine, made, [lag.of_stretch(number) for lag in lags])
            self._controller.observe(_measurement(clocks[number], boundaries[number], needed))
        return np.array(slacks, np.int64)[group]

    def on_processed(self, processed: Processed) -> None:
        """Count what the join has made of events that came in no batch."""
        if self._produced is not None:
            self._produced.on_processed(processed)

    def explained(
        self,
        decisions: Decisions,
        processed: Processed,
        done: Rows,
        watermark: Times,
        passed_on: Callable[[Rows], Times],
    ) -> Decisions:
        """Write down what was expected of each slack and what was measured.

        `processed` is what the join has made of the batch, `done` how much of it at each decision, `watermark` the
        join's time then, `passed_on` says it before steps.
        """
        if self._produced is None:
            measured = np.array(self._measured[: len(decisions)], np.float64)
        else:
            measured = self._produced.on_batch(
                self._interval, decisions.intervals, processed, done, watermark, passed_on
            )
        if self._behind_gate is not None:
            gated = self._behind_gate.on_batch(self._needs, self._interval, decisions.at, passed_on)
            measured = np.where(self._is_known(decisions), measured, gated)
        estimated = np.array(self._estimated[: len(decisions)], np.float64)
        return replace(decisions, estimated=estimated, measured=measured)

    def _is_known(self, decisions: Decisions) -> Mask:
        """Whether slacks alone say what was lost: no deadline kept streams from being waited for in the last period."""
        past = running_clock(np.where(decisions.past > 0, decisions.at, BEFORE_ALL_TIME), self._past_at)
        self._past_at = int(past[-1]) if len(past) else self._past_at
        return decisions.at >= past + self._period

    @property
    def seen(self) -> tuple[Events, ...]:
        """The events that a late one may still find as partners."""
        return self._profile.seen

    def snapshot(self) -> dict[str, Any]:
        """Return what is needed to go on besides the controller and the events seen, as values that JSON can hold."""
        needs = asdict(self._profile.snapshot())
        past = {} if self._past_at == BEFORE_ALL_TIME else {"past_at": self._past_at}
        gate = {} if self._behind_gate is None else {"behind_gate": self._behind_gate.snapshot()}
        produced = {} if self._produced is None else {"produced": self._produced.snapshot()}
        recent = {"recent": self._recent.snapshot(), "horizon": self._horizon}
        return {"needs": needs, **recent, **produced, **past, **gate}

    def _measure(self, arrivals: MergedArrivals, slack: int, needs: Needs, start: int, stop: int) -> float:
        """Count what was due, and return what was produced: where the join kept as far behind as the result needed."""
        due = made = needs.total
        if needs.any_slack:
            slowest = arrivals.slowest[start:stop]
            horizon = running_clock(release_horizon(slowest, slack), self._horizon)
            kept_behind = np.maximum(slowest - horizon, 0)
            made = float(needs.weight[needs.slack <= kept_behind[needs.step - start]].sum())
        self._horizon = max(self._horizon, int(arrivals.slowest[stop - 1]) - slack)
        self._recent.update(due, made)
        return made

    def _needed(self, needs: Needs, made: float, of_streams: list[tuple[Times, int]]) -> NeededSlacks:
        lags, events = zip(*of_streams, strict=True)
        return NeededSlacks(needs.slack, needs.weight, lags, events, self._recent.get(), made)


def _measurement(clock: int, intervals: int, needs: NeededSlacks) -> Measurement:
    return Measurement(clock, intervals, slack=0, max_delay=0, delays=_NO_TIMES, counts=_NO_COUNTS, needs=needs)


@dataclass(frozen=True, slots=True)
class _LateEvents:
    """How far the events of one stream came behind the slowest clock, for those that did; stretch by stretch."""

    lag: Times
    late_edges: list[int]
    edges: list[int]

    @classmethod
    def of(cls, arrivals: MergedArrivals, stream: int, stretches: list[tuple[int, int]]) -> _LateEvents:
        late, starts = arrivals.behind[stream], [0, *(stop for _, stop in stretches)]
        edges = np.searchsorted(arrivals.steps_of(stream), starts).tolist()
        return cls(late.lag, np.searchsorted(late.step, starts).tolist(), edges)

    def of_stretch(self, number: int) -> tuple[Times, int]:
        """Return the lags of late events of a stretch, and how many events it had."""
        late = self.lag[self.late_edges[number] : self.late_edges[number + 1]]
        return late, self.edges[number + 1] - self.edges[number]


def _or_nan(value: float | None) -> float:
    return float("nan") if value is None else value
