"""What our own comparisons show of a run: how well the contract is kept, and what that costs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from slackwater.contracts import Contract, MaxSlack, NoSlack, Recall
from slackwater.control import PD, LateDegreeModel, ModelSearch, NeededSlack
from slackwater.experiments.frame.claims import Claim, Judged
from slackwater.experiments.frame.description import Cell, Column, Plot, Row
from slackwater.experiments.frame.hindsight import Hindsight
from slackwater.experiments.frame.joins import SECOND, figures, replay_of, run
from slackwater.experiments.frame.rows import Rows

if TYPE_CHECKING:
    from collections.abc import Callable

DEFAULT = "default"
TABLE = (
    Column("average_slack_s", "average slack", "s"),
    Column("latency_s", "latency", "s"),
    Column("ratio", "of hindsight"),
    Column("best_ratio", "of best per interval"),
    Column("cost_us", "cost per event", "us"),
)
RECALL_TABLE = (Column("phi", "Φ(Γ)", "%"), Column("phi_nearly", "Φ(.99Γ)", "%"), *TABLE)
DROPS_TABLE = (Column("kept", "periods kept", "%"), Column("dropped", "dropped", "%"), *TABLE)

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


def recall_row(cell: Cell, contract: Contract) -> Row:
    """Run a join under a contract, and compare it with what hindsight would have done."""
    measured = run(cell, contract)
    found = figures(measured, cell["target"])
    back = Hindsight.of(cell, cell["target"])
    counts = measured.counts
    return {
        **found,
        # How far the join's time is behind the clock: results are emitted that much after they could be.
        "latency_s": float(np.mean(measured.at[counts] - measured.watermark[counts])) / SECOND,
        "cost_us": measured.took / replay_of(cell).subject.rows * 1e6,
        **compared(
            found["average_slack_s"], back.constant(found["phi_nearly"]) / SECOND, back.best_per_interval / SECOND
        ),
    }


def compared(slack: float, hindsight: float, best: float) -> Row:
    """Return slacks in hindsight, and how many times as long was waited; nobody is compared who never waits.

    >>> compared(3.0, 2.0, 0.0)
    {'hindsight_s': 2.0, 'ratio': 1.5, 'best_s': 0.0, 'best_ratio': None}
    """
    ratios: list[Any] = [slack / each if slack and each else None for each in (hindsight, best)]
    return {"hindsight_s": hindsight, "ratio": ratios[0], "best_s": best, "best_ratio": ratios[1]}


def recall_contract(cell: Cell) -> Contract:
    """Return the contract of a cell, over the period that its join is measured over."""
    query = replay_of(cell).subject.query
    return RECALLS[cell["policy"]](cell["target"], over=query.period, adaptation_interval=query.adaptation_interval)


def _near_hindsight(rows: Rows) -> Judged:
    ratios = [row["ratio"] for row in rows.where(policy=DEFAULT) if row.get("ratio") is not None]
    return Judged(f"{min(ratios):.2f} to {max(ratios):.2f} times", max(ratios) <= 2)


NEAR_HINDSIGHT = Claim(
    "the default waits at most twice as long as the smallest constant that keeps as many periods",
    "our aim",
    _near_hindsight,
    why="Where all periods but a few need little, a constant that gives these few up is much shorter.",
)


def matrix_plots(heading: str, fulfilled: Column) -> tuple[Plot, ...]:
    """Return what a matrix of policies and sets shows: how well contracts are kept, and with which slack."""
    shown = (
        (heading, "A panel for each target.", fulfilled),
        ("Average slack", "NoSlack has none to show.", Column("average_slack_s", "average slack", "s")),
        (
            "Slack compared with the hindsight constant",
            "1 is what a constant would have needed to keep as many periods.",
            Column("ratio", "times the hindsight constant"),
        ),
    )
    return tuple(
        Plot(
            kind="bars",
            heading=heading,
            caption=caption,
            x=Column("set", "data set"),
            y=y,
            y_log=y is not fulfilled,
            lines=("policy",),
            panels=("target",),
        )
        for heading, caption, y in shown
    )
