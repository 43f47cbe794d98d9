"""What our own comparisons show of a run: how well the contract is kept, and what that costs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from slackwater.experiments.frame.claims import Claim, Judged
from slackwater.experiments.frame.description import FIXED_SEEDS, Column, Plot, Row, Scale
from slackwater.experiments.frame.rows import Rows

if TYPE_CHECKING:
    from collections.abc import Mapping

    from slackwater.time import Mask, Times

DEFAULT = "default"
_LEAST = 0.001  # s
OUR_SEEDS: Mapping[Scale, tuple[int, ...]] = {"smoke": (1,), "small": (1, 2), "paper": FIXED_SEEDS}
FULFILLED = Column("fulfilled", "fulfilled", "%")
TABLE = (
    Column("average_slack_s", "average slack", "s"),
    Column("latency_s", "latency", "s"),
    Column("ratio", "of hindsight"),
    Column("best_ratio", "of best per interval"),
    Column("cost_us", "cost per event", "us"),
)


@dataclass(frozen=True)
class Tracked:
    """A run: its row, and over time the slack in force and whether the contract was kept; times in us."""

    row: Row
    at: Times
    slack: Times
    measured_at: Times
    kept: Mask


def compared(slack: float, hindsight: float, best: float) -> Row:
    """Return slacks in hindsight, and how many times as long was waited.

    Nobody is compared who never waits, nor with what is next to nothing.

    >>> compared(3.0, 2.0, 0.0)
    {'hindsight_s': 2.0, 'ratio': 1.5, 'best_s': 0.0, 'best_ratio': None}
    """
    ratios: list[Any] = [slack / each if slack and each >= _LEAST else None for each in (hindsight, best)]
    return {"hindsight_s": hindsight, "ratio": ratios[0], "best_s": best, "best_ratio": ratios[1]}


def _near_hindsight(rows: Rows) -> Judged:
    ratios = [row["ratio"] for row in rows.where(policy=DEFAULT) if row.get("ratio") is not None]
    return Judged(f"{min(ratios):.2f} to {max(ratios):.2f} times", max(ratios) <= 2)


def near_hindsight(why: str) -> Claim:
    """Return the aim that every default has."""
    says = "the default waits at most twice as long as the smallest constant that does as well"
    return Claim(says, "our aim", _near_hindsight, why=why)


def matrix_plots(heading: str, fulfilled: Column, panels: tuple[str, ...] = ("target",)) -> tuple[Plot, ...]:
    """Return what a matrix of policies and sets shows: how well contracts are kept, and with which slack."""
    shown = (
        (heading, "A panel for each target." if panels else "", fulfilled),
        ("Average slack", "NoSlack has none to show.", Column("average_slack_s", "average slack", "s")),
        (
            "Slack compared with the hindsight constant",
            "1 is what a constant would have needed to do as well.",
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
            panels=panels,
        )
        for heading, caption, y in shown
    )
