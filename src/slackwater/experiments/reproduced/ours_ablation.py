"""Ablations of our defaults: what each parameter buys, and what it costs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from slackwater.contracts import Recall
from slackwater.control import BoundedDrops, NeededSlack
from slackwater.experiments.frame.description import Cell, Column, Config, Experiment, Plot, Row
from slackwater.experiments.frame.joins import replay_of
from slackwater.experiments.frame.ours import compared, recall_row
from slackwater.experiments.frame.streams import best_per_interval, figures, hindsight, promise, reorder

_RECALL: dict[str, NeededSlack] = {
    "default": NeededSlack(),
    "memory 2": NeededSlack(memory=2),
    "memory 50": NeededSlack(memory=50),
    "violations 3 %": NeededSlack(violations=0.03),
    "violations 0.1 %": NeededSlack(violations=0.001),
    "tolerance 0": NeededSlack(tolerance=0),
}
_DROPS: dict[str, BoundedDrops | NeededSlack] = {
    "default": BoundedDrops(),
    "memory 1": BoundedDrops(memory=1),
    "memory 10": BoundedDrops(memory=10),
    "reserve 2 %": BoundedDrops(reserve=0.02),
    "reserve 50 %": BoundedDrops(reserve=0.5),
    "without the guard": NeededSlack(tolerance=0, memory=2),
}


def run_cell(cell: Cell) -> Iterator[Row]:
    """Run one variant of a default."""
    if cell["contract"] == "recall":
        query = replay_of(cell).subject.query
        spans: dict[str, Any] = {"over": query.period, "adaptation_interval": query.adaptation_interval}
        row = recall_row(cell, Recall(cell["target"], controller=_RECALL[cell["policy"]], **spans))
        yield {**row, "fulfilled": row["phi_nearly"]}
        return
    found = figures(cell, reorder(cell, promise(cell, _DROPS[cell["policy"]])))
    back = compared(found["average_slack_s"], hindsight(cell, found["kept"]), best_per_interval(cell))
    yield {**found, **back, "fulfilled": found["kept"]}


def _grid(recalls: dict[str, str | None], drops: dict[str, str | None]) -> list[Config]:
    return [
        {"contract": contract, "set": name, "duration": duration, "target": target, "policy": policy}
        for contract, sets, target, policies in (("recall", recalls, 0.95, _RECALL), ("drop", drops, 0.01, _DROPS))
        for name, duration in sets.items()
        for policy in policies
    ]


_COMMON: dict[str, Any] = {"x": Column("set", "data set"), "lines": ("policy",), "kind": "bars"}

EXPERIMENT = Experiment(
    document="ours",
    section="Ablations",
    title="What each parameter of our defaults buys",
    about="NeededSlack for Recall(0.95) and BoundedDrops for DropRatio(0.01), one parameter changed at a time. "
    "Fulfilled is Φ(.99Γ) for a recall, the share of periods kept for a drop ratio.",
    grids={
        "smoke": [
            {"contract": "recall", "set": "soccer", "duration": "65 seconds", "target": 0.95, "policy": "tolerance 0"},
            {"contract": "drop", "set": "poisson-3", "duration": "3 seconds", "target": 0.01, "policy": "memory 1"},
        ],
        "small": _grid(
            {"syn3": "4 minutes", "nezha": "20 minutes"}, {"changing-1": "15 seconds", "nezha": "30 minutes"}
        ),
        "paper": _grid(
            dict.fromkeys(("syn3", "soccer", "nezha", "flights")),
            dict.fromkeys(("poisson-3", "changing-1", "changing-5", "nezha", "flights")),
        ),
    },
    seeds={"smoke": (1,), "small": (1, 2), "paper": (1, 2, 3, 4, 5)},
    run=run_cell,
    table=(
        Column("fulfilled", "fulfilled", "%"),
        Column("average_slack_s", "average slack", "s"),
        Column("ratio", "of hindsight"),
    ),
    plots=tuple(
        Plot(heading=f"{heading}: {what}", caption=caption, y=y, y_log=log, where={"contract": contract}, **_COMMON)
        for contract, what, caption in (
            ("recall", "Recall", "Variants of NeededSlack."),
            ("drop", "DropRatio", "Variants of BoundedDrops."),
        )
        for heading, y, log in (
            ("Fulfilled", Column("fulfilled", "fulfilled", "%"), False),
            ("Average slack", Column("average_slack_s", "average slack", "s"), True),
        )
    ),
)
