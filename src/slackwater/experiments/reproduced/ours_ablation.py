"""Ablations of our defaults: what each parameter buys, and what it costs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from slackwater.contracts import Recall, RelativeError
from slackwater.control import BoundedDrops, BoundedError, NeededSlack
from slackwater.experiments.frame.description import Cell, Column, Config, Experiment, Plot, Row
from slackwater.experiments.frame.joins import replay_of
from slackwater.experiments.frame.ours import FULFILLED, OUR_SEEDS, Tracked
from slackwater.experiments.frame.ours_drops import run_drops
from slackwater.experiments.frame.ours_errors import run_errors, windows_of
from slackwater.experiments.frame.ours_recall import run_recall

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


_ERRORS: dict[str, BoundedError] = {
    "default": BoundedError(),
    "memory 15": BoundedError(memory=15),
    "memory 1500": BoundedError(memory=1_500),
    "reserve 2 %": BoundedError(reserve=0.02),
    "reserve 60 %": BoundedError(reserve=0.6),
}
_VARIANTS: dict[str, tuple[float, Iterable[str]]] = {
    "Recall": (0.95, _RECALL),
    "DropRatio": (0.01, _DROPS),
    "RelativeError": (0.03, _ERRORS),
}


def run_cell(cell: Cell) -> Iterator[Row]:
    """Run one variant of a default."""
    yield _tracked(cell).row


def _tracked(cell: Cell) -> Tracked:
    target, policy = cell["target"], cell["policy"]
    match cell["contract"]:
        case "Recall":
            query = replay_of(cell).subject.query
            spans: dict[str, Any] = {"over": query.period, "adaptation_interval": query.adaptation_interval}
            return run_recall(cell, Recall(target, controller=_RECALL[policy], **spans))
        case "DropRatio":
            return run_drops(cell, _DROPS[policy])
        case _:
            every = windows_of(cell).every
            return run_errors(cell, RelativeError(target, adaptation_interval=every, controller=_ERRORS[policy]))


def _grid(**sets: Mapping[str, str | None]) -> list[Config]:
    return [
        {"contract": contract, "set": name, "duration": duration, "target": target, "policy": policy}
        for contract, (target, policies) in _VARIANTS.items()
        for name, duration in sets[contract].items()
        for policy in policies
    ]


_COMMON: dict[str, Any] = {"x": Column("set", "data set"), "lines": ("policy",), "kind": "bars"}

EXPERIMENT = Experiment(
    document="ours",
    section="Ablations",
    title="What each parameter of our defaults buys",
    about="NeededSlack for Recall(0.95), BoundedDrops for DropRatio(0.01) and BoundedError for RelativeError(0.03), "
    "one parameter changed at a time. Fulfilled is Φ(.99Γ) for a recall, the share of the periods kept for a drop "
    "ratio, that of the results within the bound for an error.",
    grids={
        "smoke": [
            {"contract": "Recall", "set": "soccer", "duration": "65 seconds", "target": 0.95, "policy": "tolerance 0"},
            {
                "contract": "DropRatio",
                "set": "poisson-3",
                "duration": "3 seconds",
                "target": 0.01,
                "policy": "memory 1",
            },
        ],
        "small": _grid(
            Recall={"syn3": "4 minutes", "nezha": "20 minutes"},
            DropRatio={"changing-1": "15 seconds", "nezha": "30 minutes"},
            RelativeError={"freeway": "6 hours", "nezha": "30 minutes"},
        ),
        "paper": _grid(
            Recall=dict.fromkeys(("syn3", "soccer", "nezha", "flights")),
            DropRatio=dict.fromkeys(("poisson-3", "changing-1", "changing-5", "nezha", "flights")),
            RelativeError=dict.fromkeys(("freeway", "syn3", "nezha", "flights")),
        ),
    },
    seeds=OUR_SEEDS,
    run=run_cell,
    table=(
        FULFILLED,
        Column("average_slack_s", "average slack", "s"),
        Column("ratio", "of hindsight"),
    ),
    plots=tuple(
        Plot(heading=f"{heading}: {contract}", caption=caption, y=y, y_log=log, where={"contract": contract}, **_COMMON)
        for contract, caption in (
            ("Recall", "Variants of NeededSlack."),
            ("DropRatio", "Variants of BoundedDrops."),
            ("RelativeError", "Variants of BoundedError."),
        )
        for heading, y, log in (
            ("Fulfilled", FULFILLED, False),
            ("Average slack", Column("average_slack_s", "average slack", "s"), True),
        )
    ),
)
