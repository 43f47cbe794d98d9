"""SLTuner for one operator: SSG17 Sec. 5.2. A graph of several is tuned by `control.graph_tuner`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from slackwater.contracts import NO_GOAL, Goal
from slackwater.control.graph_tuner import GraphTuner, Tuning
from slackwater.control.operator_model import Learning, TunedOperator
from slackwater.control.parameters import check_choice, check_count, positive_duration
from slackwater.control.waiting import waited_in
from slackwater.errors import ParameterError
from slackwater.measurement import Waited
from slackwater.models.graph import Graph
from slackwater.models.regression import METHODS
from slackwater.time import Duration, DurationLike

if TYPE_CHECKING:
    from slackwater.measurement import Measurement

_ONE = "operator"


@dataclass(frozen=True)
class SLTuner:
    """Waits as long as the deadline allows, proactively: by the latency that is to be expected.

    It learns online from what it measures, or begins with a history of earlier runs (`control.history`).

    Args:
        deadline: the longest latency, where the contract has none.
        alpha: from which share of the deadline on laxity is taken to raise the slack (SSG17 eq. 10).
        step: of the search; at least 1/64 of the deadline.
        method: what predicts: "gaussian", "linear", "isotonic" or "svm"; needs `slackwater[tuner]`.
        with_spread: also learn from how far the fastest stream is ahead, which SSG17's features (eq. 6) do not say.
        learn_after: intervals until it learns first; until then it knows what is certain.
        relearn_every: intervals until it learns again.
        memory: intervals that it learns from.
        guard: never let slack and processing together reach the deadline, whatever the predictions say.
        fill: once no raise saves another event, give what the deadline leaves to operators that wait only if needed;
            without it slacks are raised only where that is expected to save events.
        parallelism: threads of the operator: a feature.
        history: a file that `control.history.write_history` made.
    """

    deadline: DurationLike = "1 minute"
    alpha: float = 0.3
    step: DurationLike = "100 ms"
    method: str = "gaussian"
    with_spread: bool = True
    learn_after: int = 60
    relearn_every: int = 60
    memory: int = 600
    guard: bool = True
    fill: bool = True
    parallelism: int = 1
    history: str | None = None

    def __post_init__(self) -> None:
        """Check what can be checked."""
        for name in ("deadline", "step"):
            object.__setattr__(self, name, positive_duration(name, getattr(self, name)))
        if isinstance(self.alpha, bool) or not isinstance(self.alpha, int | float) or not 0 < self.alpha < 1:
            raise ParameterError("alpha", self.alpha, must="be > 0 and < 1", remedy="use 0.3")
        check_choice("method", self.method, METHODS)
        for name in ("learn_after", "relearn_every", "memory", "parallelism"):
            check_count(name, getattr(self, name), least=1)

    def learning(self) -> Learning:
        """Return how it learns."""
        return Learning(self.method, self.with_spread, self.learn_after, self.relearn_every, self.memory)

    def tuning(self, goal: Goal = NO_GOAL) -> Tuning:
        """Return how it searches, for the deadline of a goal or its own."""
        deadline = Duration.of(self.deadline).microseconds if goal.deadline is None else goal.deadline
        step = Duration.of(self.step).microseconds
        return Tuning(deadline, goal.interval, self.alpha, step, self.guard, self.fill)

    def build(self, state: dict[str, Any] | None = None, goal: Goal = NO_GOAL) -> SLTunerController:
        """Make the controller, anew or from its snapshot."""
        operator = TunedOperator(_ONE, self.parallelism, max(goal.windows, default=0))
        tuner = GraphTuner(Graph((_ONE,)), [operator], self.tuning(goal), self.learning(), (state or {}).get("tuner"))
        if self.history is not None and not state:
            from slackwater.control.history import read_history  # Arrow is slow to import, and few have a history

            tuner.remember(_ONE, read_history(self.history, self.learning().features))
        return SLTunerController(tuner, goal, (state or {}).get("pending"))


class SLTunerController:
    """Logic of `SLTuner`: a graph of one operator."""

    def __init__(self, tuner: GraphTuner, goal: Goal, pending: list[int] | None) -> None:
        self._tuner, self._goal = tuner, goal
        self._pending = None if pending is None else Waited(*pending)  # of the interval under way

    def observe(self, measurement: Measurement) -> None:
        """Note what was measured; at a boundary learn and tune."""
        self._pending = _together(self._pending, waited_in(measurement, self._goal))
        if measurement.intervals and self._pending is not None:
            self._tuner.observe(measurement.at, {_ONE: self._pending})
            self._pending = None

    def next_slack(self) -> Duration:
        """Return the slack."""
        return Duration(self._tuner.slacks[_ONE])

    def slack_path(self, largest_delay: object) -> None:
        """Change at boundaries only."""

    def snapshot(self) -> dict[str, Any]:
        """Return what the tuner knows and what belongs to the interval under way."""
        now = self._pending
        pending = None if now is None else [now.latency, now.processing, now.slack_ready, now.spread, now.events]
        return {"slack": self.next_slack().microseconds, "tuner": self._tuner.snapshot(), "pending": pending}


def _together(one: Waited | None, other: Waited | None) -> Waited | None:
    """Return two parts of an interval as one; the spread is that of the later."""
    if one is None or other is None:
        return other if one is None else one
    return Waited(
        max(one.latency, other.latency),
        max(one.processing, other.processing),
        one.slack_ready + other.slack_ready,
        other.spread,
        one.events + other.events,
    )
