"""What SUN15 Sec. 6.3.1.1 and 6.3.1.2 share: ABS, QCR and QCR/ABS of its policies for several expectations."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from slackwater.experiments.frame.claims import Claim, Judged
from slackwater.experiments.frame.description import Cell, Column, Experiment, Plot, Row, Scale
from slackwater.experiments.frame.rows import Rows
from slackwater.experiments.frame.sun15 import (
    ABS,
    EXPECTATIONS,
    OURS,
    PD_NAME,
    PER_MS,
    QCR,
    SETS,
    SMOKE,
    TABLE,
    contract_of,
    over,
    tracked,
)

CAPPED = "late-degree model, at most half way to 1"


def compliance(
    section: str, title: str, about: str, claims: tuple[Claim, ...], *, policies: Mapping[Scale, Sequence[str]]
) -> Experiment:
    """Return an experiment in which each quality, or the overall one (Sec. 6.3.1.2), is to comply."""
    overall = section.startswith("Sec. 6.3.1.2")

    def run(cell: Cell) -> Iterator[Row]:
        contract = contract_of(cell, overall=overall, most=0.5 if cell["policy"] == CAPPED else 1.0)
        yield tracked(cell, contract).figures(cell["target"], overall=overall)

    return Experiment(
        document="SUN15",
        section=section,
        title=title,
        about=about,
        grids={
            "smoke": [{"set": SETS[1], "duration": SMOKE, "target": 0.9, "policy": each} for each in policies["smoke"]],
            "small": over(short=True, target=[0.8, 0.98], policy=list(policies["small"])),
            "paper": over(short=False, target=EXPECTATIONS, policy=list(policies["paper"])),
        },
        run=run,
        claims=claims,
        table=TABLE,
        plots=(
            _bars("ABS", "Slack and synchronization. Baseline2 waits for the largest delay.", ABS, log=True),
            _bars("QCR", "Share of durations at whose end the quality complies.", QCR),
            _bars("QCR/ABS", "What a millisecond of buffer buys; Baseline3 has no buffer.", PER_MS),
        ),
    )


def _bars(heading: str, caption: str, y: Column, *, log: bool = False) -> Plot:
    return Plot(
        kind="bars",
        heading=heading,
        caption=caption,
        x=Column("target", "quality expectation"),
        y=y,
        y_log=log,
        lines=("policy",),
        panels=("set",),
    )


def ratios(rows: Rows, metric: str) -> list[float]:
    """Return the metric of the document's model over that of PD, for each set and expectation."""
    found = []
    for name in rows.distinct("set"):
        for target in rows.distinct("target"):
            same = rows.where(set=name, target=target)
            found.append(same.where(policy=OURS).mean(metric) / same.where(policy=PD_NAME).mean(metric))
    return found


def always_higher(metric: str, exceptions: int = 0) -> Callable[[Rows], Judged]:
    """Return a check that the model beats PD in all cases but some."""

    def check(rows: Rows) -> Judged:
        found = ratios(rows, metric)
        better = sum(ratio > 1 for ratio in found)
        return Judged(f"in {better} of {len(found)} cases", better >= len(found) - exceptions)

    return check
