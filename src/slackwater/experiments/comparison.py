"""Compares contracts on the same streams with never waiting, waiting for the largest delay, and hindsight."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import pyarrow as pa

from slackwater.contracts import Contract, FixedSlack, Goal, MaxSlack, NoSlack
from slackwater.deadline import Deadline
from slackwater.experiments.best import STEPS, BestRun, best_run
from slackwater.experiments.replay import Measured, Replay
from slackwater.experiments.written import timestamps
from slackwater.plan.contract_text import contract_text
from slackwater.time import Duration, DurationLike

Kind = Literal["contract", "reference", "hindsight"]


@dataclass(frozen=True)
class Run:
    """One policy, measured for a goal."""

    policy: str
    kind: Kind
    goal: Goal
    result: Measured
    smallest: bool = True  # of a hindsight: whether all that was tried agrees that no smaller slack does

    def figures(self) -> dict[str, Any]:
        """Return the run in numbers, as JSON can hold them; durations in us."""
        result, target = self.result, self.goal.target
        reached = None if target is None else result.phi(target)
        return {
            "quality": "recall",
            "policy": self.policy,
            "kind": self.kind,
            "target": target,
            "period_us": self.goal.period,
            "interval_us": self.goal.interval,
            "phi": None if reached is None else reached.target,
            "phi_nearly": None if reached is None else reached.nearly,
            "lowest_recall": float(result.recall[result.counts].min()),
            "average_slack_us": result.average_slack,
            "largest_slack_us": int(result.slack[result.counts].max()),
            "results": result.produced,
            "share": result.share,
            "measurements": int(result.counts.sum()),
            "measurements_without_results": int((result.true[result.counts] == 0).sum()),
            "smallest": self.smallest,
            "took_s": round(result.took, 3),
        }

    def series(self) -> pa.Table:
        """Return one row for each decision that counts; times are timestamps, the slack is in us."""
        result, counts = self.result, self.result.counts
        return pa.table(
            {
                "at": timestamps(result.at[counts]),
                "watermark": timestamps(np.maximum(result.watermark[counts], 0)),
                "slack": pa.array(result.slack[counts]),
                "recall": pa.array(result.recall[counts]),
                "true": pa.array(result.true[counts]),
                "estimated": pa.array(result.estimated[counts], from_pandas=True),
                "measured": pa.array(result.measured[counts], from_pandas=True),
            }
        )


def compare(replay: Replay, contracts: Sequence[Contract], *, hindsight: bool = True) -> list[Run | BestRun]:
    """Run every contract with a target, and beside each goal what has none: NoSlack, MaxSlack and such contracts.

    A contract is followed by its hindsight: the smallest constant slack that reaches the same Phi(.99Γ). With it comes,
    once for each goal, the best slack per interval.
    """
    adaptive = list(dict.fromkeys(each for each in contracts if each.quality is not None))
    plain = [each for each in contracts if each.quality is None]
    goals = list(dict.fromkeys(each.goal() for each in adaptive)) or [default_goal(replay)]
    replay.expect(len(adaptive) + len(goals) * (2 + len(plain)))
    if hindsight:
        replay.expect(len(adaptive) * replay.hindsight_runs)
        replay.expect((replay.hindsight_runs + STEPS) * len(goals) if adaptive else 0)
    runs: list[Run | BestRun] = []
    for goal in goals:
        for contract in adaptive:
            if contract.goal() == goal:
                runs += _with_hindsight(replay, contract, hindsight=hindsight)
        if hindsight and goal.target is not None:
            runs.append(best_run(replay, goal))
        runs += _references(replay, goal, plain)
    return runs


def default_goal(replay: Replay) -> Goal:
    """Return over what and how often to measure where no contract says so; there is no target."""
    query = replay.subject.query
    period, interval = (Duration.of(each).microseconds for each in (query.period, query.adaptation_interval))
    return Goal(None, period, interval)


def hindsight_of(replay: Replay, run: Run) -> Run | None:
    """Return the smallest constant slack that reaches the Phi(.99Γ) of a run; None if none does."""
    assert run.goal.target is not None
    found = replay.hindsight(run.goal, run.result.phi(run.goal.target).nearly)
    if found.slack is None:
        return None
    result = replay.measure_constant(found.slack, run.goal)
    return Run(f"fixed {Duration(found.slack)}", "hindsight", run.goal, result, found.monotone)


def _with_hindsight(replay: Replay, contract: Contract, *, hindsight: bool) -> list[Run]:
    goal = contract.goal()
    run = Run(contract_text(contract), "contract", goal, replay.measure(contract, goal.period))
    best = hindsight_of(replay, run) if hindsight else None
    return [run] if best is None else [run, best]


def _references(replay: Replay, goal: Goal, plain: Sequence[Contract]) -> list[Run]:
    """Run what has no target of its own, adapting and measured as the goal says."""
    runs: dict[Contract, Run] = {}
    for contract in (*plain, NoSlack(), MaxSlack()):
        same = deciding_every(Duration(goal.interval), contract)
        if same not in runs:
            kind: Kind = "contract" if contract in plain else "reference"
            label = contract_text(deciding_every("1 second", contract))  # the goal says how often
            runs[same] = Run(label, kind, goal, replay.measure(same, goal.period))
    return list(runs.values())


def deciding_every(interval: DurationLike, contract: Contract) -> Contract:
    """Return the same policy with another interval, which changes only when it is measured."""
    if isinstance(contract, FixedSlack):
        slack = dict(contract.by_stream) or contract.slack
        return FixedSlack(slack, cap=contract.cap, adaptation_interval=interval, controller=contract.controller)
    if isinstance(contract, Deadline):
        return replace(contract, adaptation_interval=interval)
    return type(contract)(cap=contract.cap, adaptation_interval=interval, controller=contract.controller)
