"""SUN15 Fig. 6.12: the influence of the decay of old late degrees."""

from __future__ import annotations

from slackwater.experiments.frame.claims import Claim
from slackwater.experiments.frame.description import Experiment
from slackwater.experiments.frame.sun15 import EXPECTATIONS, TABLE, over
from slackwater.experiments.frame.sun15_parameter import MODEL, changed_by, differs_by, plots, run_cell, smoke

_DECAYS = [0.7, 0.8, 0.9]
_LOSSES = {"soccer-16min": 0.056, "soccer-23min": 0.118}

EXPERIMENT = Experiment(
    document="SUN15",
    section="Sec. 6.3.2.3, Fig. 6.12",
    title="The influence of decay_factor",
    about="The late-degree model with decay 0.7, 0.8 (standard) and 0.9, durations of 1 s, granularity 10 ms.",
    grids={
        "smoke": smoke({"decay": 0.7}),
        "small": over(short=True, target=[0.95, 0.98], decay=_DECAYS),
        "paper": over(short=False, target=EXPECTATIONS, decay=_DECAYS),
    },
    run=run_cell,
    claims=(
        *(
            Claim(
                f"decay {each}: QCR/ABS within 2 % of the standard for expectations of 80, 90 and 95 %",
                "Sec. 6.3.2.3",
                differs_by("decay", each, 0.8, lambda low, high: max(-low, high) <= 0.02, target=(0.8, 0.9, 0.95)),
                why=MODEL,
            )
            for each in (0.7, 0.9)
        ),
        *(
            Claim(
                f"{name}, 98 %: decay 0.7 decreases QCR/ABS by {loss:.1%}",
                "Sec. 6.3.2.3",
                differs_by("decay", 0.7, 0.8, changed_by(-loss), set=name, target=0.98),
                why=MODEL,
            )
            for name, loss in _LOSSES.items()
        ),
    ),
    table=TABLE,
    plots=plots("decay", "decay factor"),
)
