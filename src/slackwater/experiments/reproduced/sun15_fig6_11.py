"""SUN15 Fig. 6.11: the influence of the granularity."""

from __future__ import annotations

from slackwater.experiments.frame.claims import Claim, Judged
from slackwater.experiments.frame.description import Experiment
from slackwater.experiments.frame.rows import Rows
from slackwater.experiments.frame.sun15 import EXPECTATIONS, TABLE, over
from slackwater.experiments.frame.sun15_parameter import MODEL, change, plots, run_cell, smoke

_GRANULARITIES = ["2500 us", "5 ms", "10 ms"]


def _finer_is_better(rows: Rows) -> Judged:
    found = [each for value in _GRANULARITIES[:2] for each in change(rows, "g", value, "10 ms")]
    better = sum(each > 0 for each in found)
    return Judged(f"in {better} of {len(found)} cases", better > len(found) / 2)


EXPERIMENT = Experiment(
    document="SUN15",
    section="Sec. 6.3.2.2, Fig. 6.11",
    title="The influence of k_granularity",
    about="The late-degree model with granularities of 2.5, 5 and 10 (standard) ms, durations of 1 s, decay 0.8.",
    grids={
        "smoke": smoke({"g": "5 ms"}),
        "small": over(short=True, target=[0.95], g=_GRANULARITIES),
        "paper": over(short=False, target=EXPECTATIONS, g=_GRANULARITIES),
    },
    run=run_cell,
    claims=(Claim("smaller granularities perform better in most cases", "Sec. 6.3.2.2", _finer_is_better, why=MODEL),),
    table=TABLE,
    plots=plots("g", "granularity"),
)
