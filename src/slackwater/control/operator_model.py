"""What a tuner knows of one operator: latency and slack-ready events to be expected for every slack (SSG17 eq. 7, 8).

Until enough was measured, and wherever a prediction would contradict it, there is what is certain: nobody waits longer
than the slack, so the latency is at most the slack and the processing. Where it is known how far the streams are apart,
how long events wait is known too; then only what goes beyond that is learned, since a wait that was never seen cannot
be (docs/decisions/0024).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from slackwater.estimate.arrays import Floats, pack
from slackwater.estimate.recent_peak import RecentPeak
from slackwater.estimate.samples import Samples
from slackwater.models.latency import FEATURES, WITH_SPREAD, Situation, passed_on_unready, waited
from slackwater.models.regression import Predictor, predictor

if TYPE_CHECKING:
    from slackwater.measurement import Waited
    from slackwater.time import Times

Waits: TypeAlias = Literal["if needed", "always"]  # a gate waits for slower streams, a window for its slack in any case

_RECENT = 60  # intervals over which the largest processing time is remembered


@dataclass(frozen=True)
class Learning:
    """How an operator's latency is learned; counts are of intervals."""

    method: str = "gaussian"
    with_spread: bool = True
    learn_after: int = 60
    relearn_every: int = 60
    memory: int = 600

    @property
    def features(self) -> tuple[str, ...]:
        """The names of the features."""
        return WITH_SPREAD if self.with_spread else FEATURES


@dataclass(frozen=True)
class TunedOperator:
    """An operator whose slack is tuned; the window is in us."""

    name: str
    parallelism: int = 1
    window: int = 0
    waits: Waits = "if needed"


class OperatorModel:
    """Remembers what was measured, learns from it every now and then, and predicts."""

    def __init__(self, operator: TunedOperator, learning: Learning, state: dict[str, Any] | None = None) -> None:
        self._operator, self._learning = operator, learning
        state = state or {}
        columns = len(learning.features) + 2
        if state.get("features") != list(learning.features):
            state = {}  # rows of other features mean nothing
        self._samples = Samples(columns, learning.memory, state.get("samples"))
        self._trained_on: str | None = state.get("trained_on")
        self._learned: tuple[Predictor, Predictor] | None = None
        self._seen: int = state.get("seen", 0)
        self._processing = RecentPeak(_RECENT, state.get("processing"))
        self._spread: float = state.get("spread", 0.0)
        self._growth: float = state.get("growth", 0.0)
        self._events: int = state.get("events", 0)

    def update(self, at: int, slack: int, measured: Waited) -> None:
        """Take in an interval: until when, under which slack, and what was measured."""
        self._processing.update(measured.processing)
        self._processing.close()
        self._growth, self._spread = measured.spread - self._spread, float(measured.spread)
        self._events = measured.events
        row = self._rows(at, np.array([slack]), self._spread)[0]
        self._samples.update([*row, measured.latency, measured.slack_ready])
        self._seen += 1
        due = self._seen - self._learning.learn_after
        if due >= 0 and due % self._learning.relearn_every == 0:
            self.learn()

    def remember(self, rows: Floats) -> None:
        """Take in rows of a history, features and values, and learn from them."""
        for row in rows:
            self._samples.update(row)
        self.learn()

    def learn(self) -> None:
        """Learn from all that is remembered, when the next prediction is asked for."""
        self._trained_on, self._learned = pack(self._samples.get()), None

    @property
    def processing(self) -> int:
        """The largest processing time of late."""
        return self._processing.get()

    def expected(self, at: int, slacks: Times) -> tuple[Floats, Floats]:
        """Return the latency and the slack-ready events to be expected around `at` for each slack, ascending, in us.

        The first never falls and the second never grows from one slack to the next.
        """
        spread = self._spread + max(self._growth, 0.0)  # what has begun to grow goes on
        rows, tried = self._rows(at, slacks, spread), slacks.astype(np.float64)
        latency = self._wait(tried, spread) + self.processing
        unready = passed_on_unready(tried, spread, float(self._events))
        if self._trained_on is not None:
            of_latency, of_unready = self._predictors()
            latency = np.clip(self._known(rows) + of_latency.predict(rows), 0, slacks + self.processing)
            unready = np.rint(np.maximum(of_unready.predict(rows), 0))
        return np.maximum.accumulate(latency), np.minimum.accumulate(unready)

    def snapshot(self) -> dict[str, Any]:
        """Return all that is needed to go on, as values that JSON can hold."""
        return {
            "features": list(self._learning.features),
            "samples": self._samples.snapshot(),
            "trained_on": self._trained_on,
            "seen": self._seen,
            "processing": self._processing.snapshot(),
            "spread": self._spread,
            "growth": self._growth,
            "events": self._events,
        }

    def _rows(self, at: int, slacks: Times, spread: float) -> Floats:
        operator = self._operator
        situation = Situation(at, slacks, operator.parallelism, operator.window, spread)
        return situation.features(self._learning.features)

    def _wait(self, slack: Floats, spread: Floats | float) -> Floats:
        """Return how long events wait at most, in the unit that is given."""
        return waited(slack, spread) if self._operator.waits == "if needed" else slack

    def _known(self, rows: Floats) -> Floats:
        """Return the wait that rows of features tell, in us; nothing where they do not tell the spread."""
        if not self._learning.with_spread:
            return np.zeros(len(rows))
        return 1e6 * self._wait(rows[:, WITH_SPREAD.index("slack")], rows[:, WITH_SPREAD.index("spread")])

    def _predictors(self) -> tuple[Predictor, Predictor]:
        if self._learned is None:
            columns = len(self._learning.features)
            rows = Samples(columns + 2, self._learning.memory, self._trained_on).get()
            of_latency, of_unready = predictor(self._learning.method), predictor(self._learning.method)
            of_latency.fit(rows[:, :columns], rows[:, columns] - self._known(rows))
            of_unready.fit(rows[:, :columns], rows[:, columns + 1])
            self._learned = of_latency, of_unready
        return self._learned
