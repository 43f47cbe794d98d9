"""One deadline for a graph of operators: trigger and search of SLTuner, SSG17 Sec. 5.2.

Once per interval every operator reports. If the latency to be expected of the graph leaves no laxity (eq. 9), or much
(eq. 10), the slacks are searched anew: greedily, each raise where it saves most slack-ready events.

A prediction can be wrong, most of all about what was never seen. So the search also keeps what is certain: over every
path the slacks and the largest processing times of late stay below the deadline. `guard=False` trusts the predictions
alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from slackwater.control.operator_model import Learning, OperatorModel, TunedOperator
from slackwater.models.graph import Graph, meets_deadline
from slackwater.models.laxity import Position, climb, reason_to_tune

if TYPE_CHECKING:
    from slackwater.estimate.arrays import Floats
    from slackwater.measurement import Waited

_FINEST = 64  # most steps that a search has from nothing to the deadline


@dataclass(frozen=True)
class Tuning:
    """How slacks are searched; durations are in us."""

    deadline: int
    interval: int = 1_000_000
    alpha: float = 0.3
    step: int = 100_000
    guard: bool = True
    fill: bool = True


class GraphTuner:
    """Tunes the slacks of all operators of a graph. A snapshot, by way of JSON, is the whole truth.

    >>> from slackwater.measurement import Waited
    >>> operators = [TunedOperator("join"), TunedOperator("count", waits="always")]
    >>> tuner = GraphTuner(Graph.chain("join", "count"), operators, Tuning(deadline=6_000_000))
    >>> quiet = Waited(latency=300_000, processing=300_000, slack_ready=0, events=500)
    >>> tuner.observe(1_000_000, {"join": quiet, "count": quiet})
    >>> tuner.slacks
    {'join': 5300000, 'count': 0}
    """

    def __init__(
        self,
        graph: Graph,
        operators: Sequence[TunedOperator],
        tuning: Tuning,
        learning: Learning | None = None,
        state: dict[str, Any] | None = None,
    ) -> None:
        state = state or {}
        self._graph, self._operators, self._tuning = graph, tuple(operators), tuning
        kept = state.get("operators", {})
        self._models = {
            each.name: OperatorModel(each, learning or Learning(), kept.get(each.name)) for each in operators
        }
        self._step = max(tuning.step, -(-tuning.deadline // _FINEST))
        first = tuning.deadline // 2 // (self._step * len(self._operators)) * self._step
        same = {each.name: first if each.waits == "if needed" else 0 for each in operators}
        self._slacks: dict[str, int] = {name: state.get("slacks", {}).get(name, first) for name, first in same.items()}
        self._expected: float | None = state.get("expected")

    def observe(self, at: int, reports: Mapping[str, Waited]) -> None:
        """Learn what operators measured in an interval that ended at `at` in event time, and tune."""
        for name, measured in reports.items():
            self._models[name].update(at, self._slacks[name], measured)
        self._tune(at + self._tuning.interval)

    def remember(self, name: str, rows: Floats) -> None:
        """Let an operator learn from the rows of a history."""
        self._models[name].remember(rows)

    @property
    def slacks(self) -> dict[str, int]:
        """The slack of each operator, in us."""
        return dict(self._slacks)

    @property
    def expected(self) -> float | None:
        """The latency that was expected of the graph for the next interval; None before the first report."""
        return self._expected

    def snapshot(self) -> dict[str, Any]:
        """Return all that is needed to go on, as values that JSON can hold."""
        models = {name: model.snapshot() for name, model in self._models.items()}
        return {"slacks": dict(self._slacks), "expected": self._expected, "operators": models}

    def _tune(self, at: int) -> None:
        search = self._search(at)
        now: Position = tuple(min(self._slacks[each.name] // self._step, search.last) for each in self._operators)
        why = reason_to_tune(search.latency(now), self._tuning.deadline, alpha=self._tuning.alpha)
        if why is not None or not search.is_valid(now):
            now = search.best()
            self._slacks = {each.name: step * self._step for each, step in zip(self._operators, now, strict=True)}
        self._expected = search.latency(now)

    def _search(self, at: int) -> _Search:
        steps = np.arange(-(-self._tuning.deadline // self._step) + 1, dtype=np.int64) * self._step
        tables = [self._models[each.name].expected(at, steps) for each in self._operators]
        processing = [self._models[each.name].processing for each in self._operators]
        return _Search(self._graph, self._operators, self._tuning, self._step, tables, processing)


@dataclass(frozen=True)
class _Search:
    """The hill to climb: what is expected of every slack of every operator."""

    graph: Graph
    operators: tuple[TunedOperator, ...]
    tuning: Tuning
    step: int
    tables: list[tuple[Floats, Floats]]
    processing: list[int]

    @property
    def last(self) -> int:
        """The last step that a slack can have."""
        return len(self.tables[0][0]) - 1

    def latency(self, position: Position) -> float:
        """Return the latency to be expected of the graph (eq. 2)."""
        return self._path([table[0][step] for table, step in zip(self.tables, position, strict=True)])

    def slack_ready(self, position: Position) -> float:
        """Return the slack-ready events to be expected of the graph (eq. 5)."""
        return sum(float(table[1][step]) for table, step in zip(self.tables, position, strict=True))

    def is_valid(self, position: Position) -> bool:
        """Whether the deadline is to be expected to be met (eq. 3) and, with a guard, cannot be missed by waiting."""
        worst = [step * self.step + took for step, took in zip(position, self.processing, strict=True)]
        certain = not self.tuning.guard or meets_deadline(self._path(worst), self.tuning.deadline)
        return certain and meets_deadline(self.latency(position), self.tuning.deadline)

    def best(self) -> Position:
        """Climb; then let those that wait only if needed have what is left, since that costs nothing until it is.

        It begins at nothing, whatever the reason: from the slacks in force, which SSG17 begins at where there is room,
        none could be taken from an operator that no longer needs it.
        """
        free = [each.waits == "if needed" for each in self.operators]
        uphill = partial(climb, slack_ready=self.slack_ready, valid=self.is_valid)
        found = uphill((0,) * len(free), highest=[self.last] * len(free))
        if not self.tuning.fill:
            return found
        highest = [self.last if own else step for step, own in zip(found, free, strict=True)]
        return uphill(found, highest=highest, allow_plateau=True)

    def _path(self, latency: Sequence[float]) -> float:
        return self.graph.longest_path({each.name: own for each, own in zip(self.operators, latency, strict=True)})
