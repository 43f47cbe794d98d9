"""Runs one stream through `reorder` under contracts, and compares what share of its events each let go.

The share is that of a period, measured at every adaptation interval once the first period is over. Beside a contract
stand its hindsight, the smallest constant slack that keeps as many periods, and what else one might do: never wait,
wait for the largest delay, or leave it to the controllers of KIM.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from slackwater.api import reorder
from slackwater.contracts import Contract, ControllerConfig, DropRatio, MaxSlack, NoSlack
from slackwater.control import AdaptiveMax, NormalDelay
from slackwater.errors import DatasetError
from slackwater.experiments.comparison import Kind, deciding_every
from slackwater.experiments.replay import Notice, Steps, constant, nobody
from slackwater.experiments.written import timestamps
from slackwater.plan.contract_text import contract_text
from slackwater.quality.drop_ratio import Drops, dropped_by_period, drops, measured_at, smallest_slack
from slackwater.quality.latency import average_slack
from slackwater.quality.recall import after_first_period
from slackwater.time import Duration

if TYPE_CHECKING:
    from slackwater.events import Rows
    from slackwater.experiments.event_stream import EventStream
    from slackwater.time import Mask, Times


@dataclass(frozen=True)
class Ran:
    """What a contract made of a stream: which events were late, and what was decided. Durations are in us."""

    late: Mask
    at: Times  # the clock at each decision; the one that ends the run is left out
    slack: Times
    buffered: Rows
    took: float  # seconds of processor time: others at work on the machine do not count

    def average_slack(self, start: int, period: int) -> float:
        """Return the mean over the decisions after the first period."""
        counts = after_first_period(self.at, start, period)
        return average_slack(self.at[counts], self.slack[counts], int(self.at[-1])).over_adaptations


def run(stream: EventStream, contract: Contract) -> Ran:
    """Reorder the events in process."""
    started = time.process_time()
    out = reorder(stream.as_stream(), contract=contract)
    late = np.zeros(stream.rows, np.bool_)
    late[out.late["row"].to_numpy()] = True
    decisions = out.decisions[:-1]
    at, slack, buffered = (decisions[name].cast(pa.int64()).to_numpy() for name in ("at", "slack", "buffered"))
    return Ran(late, at, slack, buffered, time.process_time() - started)


@dataclass(frozen=True)
class DropGoal:
    """What share may be late, over what, and how often that is asked; durations in us."""

    target: float
    period: int
    interval: int

    @classmethod
    def of(cls, contract: DropRatio) -> DropGoal:
        """Return what a contract asks for."""
        return cls(contract.target, contract.period.microseconds, contract.interval.microseconds)

    @property
    def spans(self) -> dict[str, int]:
        """The durations, as `quality.drop_ratio` takes them."""
        return {"period": self.period, "every": self.interval}


@dataclass(frozen=True)
class DropRun:
    """One policy, measured for a goal."""

    policy: str
    kind: Kind
    goal: DropGoal
    stream: EventStream
    ran: Ran

    @cached_property
    def drops(self) -> Drops:
        """How much was late, and how often that was too much."""
        return drops(self.stream.clock, self.ran.late, **self.goal.spans, target=self.goal.target)

    def figures(self) -> dict[str, Any]:
        """Return the run in numbers, as JSON can hold them; durations in us."""
        series = self.series()
        return {
            "quality": "drop",
            "stream": self.stream.shown,
            "policy": self.policy,
            "kind": self.kind,
            "target": self.goal.target,
            "period_us": self.goal.period,
            "interval_us": self.goal.interval,
            "dropped": self.drops.share,
            "kept": self.drops.kept,
            "worst": self.drops.worst,
            "average_slack_us": self.ran.average_slack(int(self.stream.clock[0]), self.goal.period),
            "largest_slack_us": int(series["slack"].to_numpy().max()),
            "measurements": self.drops.measurements,
            "smallest": True,  # what events need is exact: no search that could miss it
            "took_s": round(self.ran.took, 3),
        }

    def series(self) -> pa.Table:
        """Return one row for each measurement: the share late of the period before it, and the slack in force."""
        at = measured_at(self.stream.clock, **self.goal.spans)
        shares = dropped_by_period(at, self.stream.clock, self.ran.late, self.goal.period)
        # A decision is written with the slack that was in force until its boundary was crossed.
        in_force = np.minimum(np.searchsorted(self.ran.at, at, side="left"), len(self.ran.at) - 1)
        slack = pa.array(self.ran.slack[in_force])
        return pa.table({"at": timestamps(at), "slack": slack, "dropped": pa.array(shares)})


def compare_drops(
    stream: EventStream, contracts: Sequence[Contract], *, hindsight: bool = True, notice: Notice = nobody
) -> list[DropRun]:
    """Run every drop ratio, and beside each goal what has no target of its own."""
    promised = [each for each in dict.fromkeys(contracts) if isinstance(each, DropRatio)]
    plain = [each for each in contracts if each.quality is None]
    goals = list(dict.fromkeys(map(DropGoal.of, promised)))
    steps = Steps(notice, planned=len(promised) * (2 if hindsight else 1) + len(goals) * (4 + len(plain)))
    runs: list[DropRun] = []
    for goal in goals:
        _check_length(stream, goal)
        for contract in promised:
            if DropGoal.of(contract) == goal:
                runs += _with_hindsight(stream, contract, steps, hindsight=hindsight)
        runs += _references(stream, goal, plain, steps)
    return runs


def _check_length(stream: EventStream, goal: DropGoal) -> None:
    if not len(measured_at(stream.clock, **goal.spans)):
        raise DatasetError(
            stream.name,
            problem=f"ends within the first period of {Duration(goal.period)}, which is not measured",
            remedy="replay more of it, or measure over a shorter period",
        )


def _with_hindsight(stream: EventStream, contract: DropRatio, steps: Steps, *, hindsight: bool) -> list[DropRun]:
    goal, name = DropGoal.of(contract), contract_text(contract)
    first = DropRun(name, "contract", goal, stream, steps.take(name, partial(run, stream, contract)))
    if not hindsight:
        return [first]
    # A share of nothing is reached by any slack, of which the smallest is none.
    kept = first.drops.kept or 1e-9
    slack = smallest_slack(stream.clock, stream.needed, **goal.spans, target=goal.target, share=kept) or 0
    fixed = constant(slack, Duration(goal.interval))
    label = f"fixed {Duration(slack)}"
    return [first, DropRun(label, "hindsight", goal, stream, steps.take(label, partial(run, stream, fixed)))]


def _references(stream: EventStream, goal: DropGoal, plain: Sequence[Contract], steps: Steps) -> list[DropRun]:
    """Run what has no target of its own, and KIM's controllers, all deciding as often as the goal says."""
    interval = Duration(goal.interval)
    given = {contract_text(deciding_every("1 second", each)): deciding_every(interval, each) for each in plain}
    same = DropRatio(goal.target, over=Duration(goal.period), adaptation_interval=interval)
    references: dict[str, Contract] = {
        "none": NoSlack(adaptation_interval=interval),
        "max": MaxSlack(adaptation_interval=interval),
        "AdaptiveMax": _by(same, AdaptiveMax()),
        "NormalDelay": _by(same, NormalDelay(samples=stream.setting.samples)),
    }
    runs = []
    for policy, contract in {**given, **references}.items():
        kind: Kind = "contract" if policy in given else "reference"
        runs.append(DropRun(policy, kind, goal, stream, steps.take(policy, partial(run, stream, contract))))
    return runs


def _by(contract: DropRatio, controller: ControllerConfig) -> DropRatio:
    return DropRatio(
        contract.target, over=contract.over, adaptation_interval=contract.adaptation_interval, controller=controller
    )
