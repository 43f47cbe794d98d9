"""JI16 Fig. 8: fulfillment over the measurement period P."""

from __future__ import annotations

from slackwater.experiments.frame.claims import Claim, at_least, rises
from slackwater.experiments.frame.description import Cell, Column, Experiment, Row
from slackwater.experiments.frame.ji16 import TABLE, over, plots, search
from slackwater.time import Duration

_SETS = ["soccer", "syn3"]


def run_cell(cell: Cell) -> list[Row]:
    """Run the search for one period."""
    return [{**row, "period_s": Duration.of(cell["P"]).microseconds / 1e6} for row in search(cell)]


EXPERIMENT = Experiment(
    document="JI16",
    section="Sec. VI-B, Fig. 8",
    title="Fulfillment over the measurement period P",
    about="Alg. 3 with NonEqSel, L = 1 s. The text does not say which periods the figure has; these are ours.",
    grids={
        "smoke": [{"set": "soccer", "duration": "40 seconds", "target": 0.95, "P": "20 seconds"}],
        "small": over(_SETS, short=True, target=[0.95, 0.99], P=["20 seconds", "2 minutes"]),
        "paper": over(
            _SETS,
            short=False,
            target=[0.95, 0.99],
            P=["10 seconds", "30 seconds", "1 minute", "3 minutes", "5 minutes"],
        ),
    },
    run=run_cell,
    claims=(
        Claim(
            "Φ(.99Γ) is more than 90 % for all examined P",
            "Sec. VI-B",
            at_least(0.9, "phi_nearly", "%"),
            why="We do not know which periods were examined; the shortest of ours may be shorter.",
        ),
        Claim(
            "it is more difficult to obtain a high Φ(Γ) for small P than for big P",
            "Sec. VI-B",
            rises("phi", "period_s", "%"),
            why="Eq. 7 as printed is harsher the longer P is: it makes good P inside one L.",
        ),
        Claim(
            "(the same for Φ(.99Γ))",
            "Sec. VI-B",
            rises("phi_nearly", "period_s", "%"),
            why="Eq. 7 as printed is harsher the longer P is: it makes good P inside one L.",
        ),
    ),
    table=TABLE,
    plots=plots(Column("period_s", "measurement period P", "s"), "the measurement period", x_log=True),
)
