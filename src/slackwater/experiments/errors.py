"""Runs windows over one stream under contracts, and compares how far their values are from what all rows give.

Beside a contract stand its hindsight, the smallest constant slack that keeps as many results within the bound, and
what else one might do: never wait, wait for the largest delay, ask for a drop ratio of the bound, or leave it to the PD
controller of the documents.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from slackwater.contracts import Contract, DropRatio, MaxSlack, NoSlack, RelativeError
from slackwater.control import AlphaPD
from slackwater.experiments.comparison import Kind, deciding_every
from slackwater.experiments.replay import Notice, Steps, constant, nobody
from slackwater.experiments.written import timestamps
from slackwater.plan.contract_text import contract_text
from slackwater.quality.latency import average_slack
from slackwater.quality.relative_error import Errors, errors
from slackwater.time import Duration

if TYPE_CHECKING:
    from slackwater.estimate.arrays import Floats
    from slackwater.experiments.window_stream import Emitted, WindowStream

_SHOWN = 1.0  # errors above it, of missing results above all, are drawn here


@dataclass(frozen=True)
class ErrorRun:
    """One policy, measured for a bound."""

    policy: str
    kind: Kind
    goal: RelativeError
    stream: WindowStream
    emitted: Emitted

    @cached_property
    def error(self) -> Floats:
        """How far each true result is off."""
        return self.stream.errors(self.emitted.windows, self.goal)

    @cached_property
    def errors(self) -> Errors:
        """How far results are off, and how many keep the bound."""
        return errors(self.error, self.goal.bound)

    def figures(self) -> dict[str, Any]:
        """Return the run in numbers, as JSON can hold them; durations in us."""
        emitted, found = self.emitted, asdict(self.errors)
        numbers = {name: value if np.isfinite(value) else None for name, value in found.items()}
        average = average_slack(emitted.at, emitted.slack, int(emitted.at[-1])) if len(emitted.at) else None
        return {
            "quality": "error",
            "policy": self.policy,
            "kind": self.kind,
            "target": self.goal.bound,
            "confidence": self.goal.confidence,
            "query": str(self.stream.query),
            "period_us": 0,
            "interval_us": self.goal.interval.microseconds,
            **numbers,
            "average_slack_us": 0.0 if average is None else average.over_adaptations,
            "largest_slack_us": int(emitted.slack.max(initial=0)),
            "latency_us": self.stream.latency(emitted),
            "late": emitted.late,
            "rows": self.stream.rows,
            "smallest": True,  # what results need is exact: no search that could miss it
            "took_s": round(emitted.took, 3),
        }

    def series(self) -> pa.Table:
        """Return one row for each window: its end, the largest error of its results, and the slack then in force."""
        windows = self.stream.truth.place
        starts = np.flatnonzero(np.diff(windows, prepend=windows[0] - 1))
        end = self.stream.ends(windows[starts])
        worst = np.minimum(np.maximum.reduceat(self.error, starts), _SHOWN)
        emitted = self.emitted
        in_force = np.minimum(np.searchsorted(emitted.at, end, side="left"), max(len(emitted.at) - 1, 0))
        slack = emitted.slack[in_force] if len(emitted.at) else np.zeros(len(end), np.int64)
        return pa.table({"at": timestamps(end), "slack": pa.array(slack), "error": pa.array(worst)})


def compare_errors(
    stream: WindowStream, contracts: Sequence[Contract], *, hindsight: bool = True, notice: Notice = nobody
) -> list[ErrorRun]:
    """Run every bound on the error, and beside each what has none."""
    promised = [each for each in dict.fromkeys(contracts) if isinstance(each, RelativeError)]
    plain = [each for each in contracts if each.quality is None]
    goals = list(dict.fromkeys(map(_goal, promised)))
    steps = Steps(notice, planned=len(promised) * (2 if hindsight else 1) + len(goals) * (4 + len(plain)))
    runs: list[ErrorRun] = []
    for goal in goals:
        for contract in promised:
            if _goal(contract) == goal:
                runs += _with_hindsight(stream, contract, steps, hindsight=hindsight)
        runs += _references(stream, goal, plain, steps)
    return runs


def _goal(contract: RelativeError) -> RelativeError:
    """Return what a contract asks for, however it is kept."""
    return kept_by(contract, None)


def kept_by(contract: RelativeError, controller: Any) -> RelativeError:
    """Return the same contract, kept by another controller."""
    return RelativeError(
        contract.bound,
        confidence=contract.confidence,
        of=contract.of,
        cap=contract.cap,
        adaptation_interval=contract.adaptation_interval,
        controller=controller,
    )


def _with_hindsight(stream: WindowStream, contract: RelativeError, steps: Steps, *, hindsight: bool) -> list[ErrorRun]:
    goal, name = _goal(contract), contract_text(contract)
    first = ErrorRun(name, "contract", goal, stream, steps.take(name, partial(stream.run, contract)))
    if not hindsight:
        return [first]
    # A share of nothing is reached by any slack, of which the smallest is none.
    slack = stream.hindsight(goal, first.errors.within or 1e-9)
    fixed, label = constant(slack, goal.interval), f"fixed {Duration(slack)}"
    run = ErrorRun(label, "hindsight", goal, stream, steps.take(label, partial(stream.run, fixed)))
    return [first, run]


def _references(stream: WindowStream, goal: RelativeError, plain: Sequence[Contract], steps: Steps) -> list[ErrorRun]:
    """Run what has no bound of its own, all deciding as often as the contract."""
    interval = goal.interval
    given = {contract_text(deciding_every("1 second", each)): deciding_every(interval, each) for each in plain}
    period = max(Duration.of("1 minute"), interval)
    references: dict[str, Contract] = {
        "none": NoSlack(adaptation_interval=interval),
        "max": MaxSlack(adaptation_interval=interval),
        f"drop {goal.bound:g}": DropRatio(goal.bound, over=period, adaptation_interval=interval),
        "AlphaPD": kept_by(goal, AlphaPD()),
    }
    runs = []
    for policy, contract in {**given, **references}.items():
        kind: Kind = "contract" if policy in given else "reference"
        runs.append(ErrorRun(policy, kind, goal, stream, steps.take(policy, partial(stream.run, contract))))
    return runs
