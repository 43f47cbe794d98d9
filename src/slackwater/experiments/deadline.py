"""Compares policies under a deadline on the traffic application: SSG17 Sec. 6, Fig. 12 and 13.

With one operator that is SSG17's graph: the join. With `counts=True` the jams are counted by area in windows, and both
operators share the deadline; then each policy but the tuner decides for each operator by itself.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa

from slackwater.contracts import ControllerConfig
from slackwater.control import MaxTimestamp, SLTuner, StaticHigh, StaticLow, Tcp
from slackwater.control.graph_tuner import GraphTuner
from slackwater.control.operator_model import TunedOperator
from slackwater.deadline import Deadline
from slackwater.errors import DatasetError
from slackwater.experiments.comparison import Kind
from slackwater.experiments.replay import Notice, Steps, nobody
from slackwater.experiments.traffic_graph import PANES, WINDOW, Service
from slackwater.experiments.traffic_run import INTERVAL, Controlled, Policy, Ran, TrafficRun
from slackwater.experiments.written import timestamps
from slackwater.models.graph import Graph
from slackwater.sources.dataset import Dataset

SETS = {"traffic": "10 seconds", "traffic-growing": "200 seconds"}  # longer than a stream is ever behind
_OPERATORS = {
    False: (TunedOperator("jams", window=WINDOW),),
    True: (TunedOperator("jams", window=WINDOW), TunedOperator("numbers", window=PANES.size, waits="always")),
}


@dataclass(frozen=True)
class DeadlineRun:
    """One policy, measured for a deadline in us."""

    policy: str
    kind: Kind
    deadline: int
    ran: Ran
    detected_at_most: int  # what is found where everything is waited for

    @property
    def missed(self) -> int:
        """In how many intervals the latency came to the deadline (SSG17 eq. 3), from the first one on."""
        return int(np.count_nonzero(self.ran.latency >= self.deadline))

    @property
    def slack_ready(self) -> int:
        """How many events were passed on before they were ready, by all operators (SSG17 eq. 5)."""
        return sum(each.slack_ready for measured in self.ran.waited.values() for each in measured)

    def figures(self) -> dict[str, Any]:
        """Return the run in numbers, as JSON can hold them; durations in us."""
        slack = self._slack()
        found = int(self.ran.detected.sum())
        return {
            "quality": "deadline",
            "policy": self.policy,
            "kind": self.kind,
            "target": self.deadline,
            "period_us": INTERVAL,
            "interval_us": INTERVAL,
            "missed": self.missed,
            "worst_us": int(self.ran.latency.max()),
            "average_latency_us": float(self.ran.latency.mean()),
            "slack_ready": self.slack_ready,
            "detected": found,
            "share": found / self.detected_at_most if self.detected_at_most else None,
            "late": self.ran.late,
            "average_slack_us": float(slack.mean()),
            "largest_slack_us": int(slack.max()),
            "measurements": len(self.ran.at),
            "took_s": round(self.ran.took, 3),
        }

    def series(self) -> pa.Table:
        """Return one row for each interval; times are timestamps, durations in us."""
        unready = [sum(each) for each in zip(*self._unready(), strict=True)]
        return pa.table(
            {
                "at": timestamps(self.ran.at),
                "slack": pa.array(self._slack()),
                "latency": pa.array(self.ran.latency),
                "slack_ready": pa.array(unready, pa.int64()),
                "detected": pa.array(self.ran.detected),
            }
        )

    def _unready(self) -> list[list[int]]:
        return [[each.slack_ready for each in measured] for measured in self.ran.waited.values()]

    def _slack(self) -> Any:
        """Return the slack over the path of the graph: the sum of all operators."""
        return np.sum([*self.ran.slack.values()], axis=0)


def compare_deadlines(
    dataset: Dataset,
    contracts: Sequence[Deadline],
    *,
    counts: bool = False,
    service: Service | None = None,
    notice: Notice = nobody,
) -> list[DeadlineRun]:
    """Run every deadline, and beside each the policies of SSG17 Sec. 6."""
    if dataset.name not in SETS:
        raise DatasetError(
            dataset.name, problem="has no application with a deadline", remedy=f"those that have: {', '.join(SETS)}"
        )
    references = references_for(dataset)
    steps = Steps(notice, planned=len(contracts) * (1 + len(references)))
    runs: list[DeadlineRun] = []
    for contract in contracts:
        ran: dict[str, tuple[Kind, Ran]] = {}
        for policy, config in {_name(contract): contract.controller or SLTuner(), **references}.items():
            one = TrafficRun(dataset, policy_of(config, contract, counts=counts), counts, service or Service())
            ran[policy] = ("reference" if policy in references else "contract", steps.take(policy, one.run))
        most = int(ran["StaticHigh"][1].detected.sum())
        runs += [DeadlineRun(name, kind, contract.limit.microseconds, each, most) for name, (kind, each) in ran.items()]
    return runs


def references_for(dataset: Dataset) -> Mapping[str, ControllerConfig]:
    """Return what a tuner is compared with: two with the features of eq. 6 that trust predictions alone, and baselines.

    Neither is SSG17's own implementation: it says neither where searches begin nor how far a step goes.
    """
    return {
        "SLTuner, eq. 6": SLTuner(with_spread=False, guard=False),
        "SLTuner, eq. 6, strict": SLTuner(with_spread=False, guard=False, fill=False),
        "StaticLow": StaticLow(),
        "StaticHigh": StaticHigh(SETS[dataset.name]),
        "MaxTimestamp": MaxTimestamp(),
        "Tcp": Tcp(),
    }


def policy_of(config: ControllerConfig, contract: Deadline, *, counts: bool = False) -> Policy:
    """Return who decides for the operators of the traffic application."""
    return policy_for(_OPERATORS[counts], config, contract, (WINDOW, WINDOW))


def policy_for(
    operators: Sequence[TunedOperator], config: ControllerConfig, contract: Deadline, windows: tuple[int, ...] = ()
) -> Policy:
    """Return who decides: a tuner for the whole graph, any other controller for each operator by itself."""
    goal = contract.goal(windows)
    if isinstance(config, SLTuner):
        graph = Graph.chain(*(each.name for each in operators))
        return GraphTuner(graph, operators, config.tuning(goal), config.learning())
    build = partial(config.build, None, goal)
    return Controlled({each.name: build() for each in operators})


def _name(contract: Deadline) -> str:
    """Name a contract's own policy; a deadline that names none is tuned here."""
    config = contract.controller
    return "SLTuner" if config is None or config == SLTuner() else type(config).__name__
