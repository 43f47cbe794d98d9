"""Recall: a join under each of its controllers, beside hindsight."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from slackwater.contracts import Contract, MaxSlack, NoSlack, Recall
from slackwater.control import PD, LateDegreeModel, ModelSearch, NeededSlack
from slackwater.experiments.frame.description import Cell, Column
from slackwater.experiments.frame.hindsight import Hindsight
from slackwater.experiments.frame.joins import SECOND, figures, replay_of, run
from slackwater.experiments.frame.ours import DEFAULT, TABLE, Tracked, compared
from slackwater.quality.recall import NEARLY

if TYPE_CHECKING:
    from collections.abc import Callable

RECALL_TABLE = (Column("phi", "Φ(Γ)", "%"), Column("phi_nearly", "Φ(.99Γ)", "%"), *TABLE)
RECALLS: dict[str, Callable[..., Contract]] = {
    DEFAULT: Recall,
    "default, no tolerance": lambda target, **spans: Recall(target, controller=NeededSlack(tolerance=0), **spans),
    "ModelSearch": lambda target, **spans: Recall(target, controller=ModelSearch(), **spans),
    "ModelSearch without eq. 7": lambda target, **spans: Recall(
        target, controller=ModelSearch(selectivity="eq", calibration="none"), **spans
    ),
    "LateDegreeModel": lambda target, **spans: Recall(target, controller=LateDegreeModel(), **spans),
    "PD": lambda target, **spans: Recall(target, controller=PD(), **spans),
    "MaxSlack": lambda target, **spans: MaxSlack(adaptation_interval=spans["adaptation_interval"]),
    "NoSlack": lambda target, **spans: NoSlack(adaptation_interval=spans["adaptation_interval"]),
}


def run_recall(cell: Cell, contract: Contract | None = None) -> Tracked:
    """Run a join under the contract of the cell, or another, and compare it with what hindsight would have done."""
    measured = run(cell, _contract(cell) if contract is None else contract)
    found, back, counts = figures(measured, cell["target"]), Hindsight.of(cell, cell["target"]), measured.counts
    slacks = back.constant(found["phi_nearly"]) / SECOND, back.best_per_interval / SECOND
    row = {
        "contract": "Recall",
        "fulfilled": found["phi_nearly"],
        **found,
        # How far the join's time is behind the clock: results are emitted that much after they could be.
        "latency_s": float(np.mean(measured.at[counts] - measured.watermark[counts])) / SECOND,
        "cost_us": measured.took / replay_of(cell).subject.rows * 1e6,
        **compared(found["average_slack_s"], *slacks),
    }
    kept = measured.recall[counts] >= NEARLY * cell["target"]
    return Tracked(row, measured.at, measured.slack, measured.at[counts], kept)


def _contract(cell: Cell) -> Contract:
    """Return the contract of a cell, over the period that its join is measured over."""
    query = replay_of(cell).subject.query
    return RECALLS[cell["policy"]](cell["target"], over=query.period, adaptation_interval=query.adaptation_interval)
