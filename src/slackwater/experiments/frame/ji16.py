"""What the experiments of JI16 Sec. VI share: the search under other parameters, and how a run is shown."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from slackwater.contracts import Recall
from slackwater.control import ModelSearch
from slackwater.experiments.frame.description import Cell, Column, Config, Plot, Row, grid
from slackwater.experiments.frame.joins import figures, run

if TYPE_CHECKING:
    from slackwater.contracts import Contract

SHORT = {"soccer": "3 minutes", "syn3": "4 minutes", "syn4": "4 minutes"}
SLACK = Column("average_slack_s", "average slack", "s")
PHI = Column("phi", "Φ(Γ)", "%")
NEARLY = Column("phi_nearly", "Φ(.99Γ)", "%")
TABLE = (SLACK, PHI, NEARLY, Column("share", "overall recall"))


def over(sets: list[str], *, short: bool, **choices: list[Any]) -> list[Config]:
    """Return a grid over data sets, each as long as in the document or a few minutes."""
    return [
        {"set": name, "duration": SHORT[name] if short else None, **others}
        for name in sets
        for others in grid(**choices)
    ]


def searched(cell: Cell, **options: Any) -> Contract:
    """Return the contract of a cell, kept by Alg. 3 with the document's defaults, but for what the cell says."""
    return Recall(
        cell["target"],
        over=cell.config.get("P", "1 minute"),
        adaptation_interval=cell.config.get("L", "1 second"),
        controller=ModelSearch(granularity=cell.config.get("g", "10 ms"), **options),
    )


def search(cell: Cell) -> list[Row]:
    """Run Alg. 3 with NonEqSel, as all experiments after Fig. 7 do."""
    return [{"policy": "ModelSearch", **figures(run(cell, searched(cell), way="ji16"), cell["target"])}]


def plots(x: Column, what: str, **options: Any) -> tuple[Plot, ...]:
    """Return the three figures that the document draws over a parameter."""
    common: dict[str, Any] = {"x": x, "lines": ("target",), "panels": ("set",), **options}
    return (
        Plot(heading=f"Average slack over {what}", caption="A line for each target Γ.", y=SLACK, y_log=True, **common),
        Plot(heading=f"Φ(Γ) over {what}", caption="Share of measurements that reach the target.", y=PHI, **common),
        Plot(heading=f"Φ(.99Γ) over {what}", caption="Share that come to 99 % of the target.", y=NEARLY, **common),
    )
