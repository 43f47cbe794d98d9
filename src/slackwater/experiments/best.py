"""The best slack per interval: what each measurement would have needed by itself, of constant slacks that were run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pyarrow as pa

from slackwater.experiments.written import timestamps
from slackwater.quality.hindsight import BestSlacks, best_per_interval
from slackwater.quality.recall import NEARLY

if TYPE_CHECKING:
    from slackwater.contracts import Goal
    from slackwater.experiments.replay import Measured, Replay
    from slackwater.time import Times

STEPS = 10  # constant slacks that are run besides those of the search, evenly spread up to the one that keeps all


@dataclass(frozen=True)
class BestRun:
    """No run, but a mark to compare runs with: one slack for each measurement."""

    goal: Goal
    at: Times
    best: BestSlacks
    tried: int
    policy: str = "best per interval"
    kind: Literal["mark"] = "mark"

    def figures(self) -> dict[str, Any]:
        """Return it in numbers, as runs are; what only a run could tell is None."""
        return {
            "quality": "recall",
            "policy": self.policy,
            "kind": self.kind,
            "target": self.goal.target,
            "period_us": self.goal.period,
            "interval_us": self.goal.interval,
            "phi": None,
            "phi_nearly": float(self.best.reached.mean()),
            "lowest_recall": None,
            "average_slack_us": self.best.average,
            "largest_slack_us": int(self.best.slack.max()),
            "results": None,
            "share": None,
            "measurements": len(self.at),
            "measurements_without_results": None,
            "smallest": True,
            "slacks_tried": self.tried,
            "took_s": 0.0,
        }

    def series(self) -> pa.Table:
        """Return one row for each measurement."""
        return pa.table({"at": timestamps(self.at), "slack": pa.array(self.best.slack)})


def best_run(replay: Replay, goal: Goal) -> BestRun:
    """Find the smallest constant slack that keeps the period of each measurement, 99 % of the target counting as kept.

    The slack that keeps all of them is searched for, then those below it are run in `STEPS` steps. What the search has
    tried counts as well, so the answer is as fine as that.
    """
    assert goal.target is not None
    top = replay.hindsight(goal, 1.0).slack
    assert top is not None  # the largest delay keeps everything
    for slack in replay.on_grid(np.linspace(0, top, STEPS, endpoint=False)):
        replay.measure_constant(slack, goal)
    measured = {slack: each for slack, each in replay.constants(goal).items() if slack <= top}
    first = next(iter(measured.values()))
    surface = [each.recall[each.counts] for each in measured.values()]
    slacks = list(measured)
    if top not in measured:  # what is as long as the largest delay loses nothing, and was not run
        slacks, surface = [*slacks, top], [*surface, np.ones(len(surface[0]))]
    best = best_per_interval(np.stack(surface), np.array(slacks), NEARLY * goal.target)
    return BestRun(goal, _at(first), best, len(slacks))


def _at(measured: Measured) -> Times:
    """Return when measurements count: the same for every constant slack, as the input decides it."""
    return measured.at[measured.counts]
