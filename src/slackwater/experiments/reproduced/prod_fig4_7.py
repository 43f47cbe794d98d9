"""PROD Fig. 4.7: accuracy of early results over aggressiveness, normal values with a deviation of 100."""

from __future__ import annotations

from slackwater.experiments.frame.claims import POINTS, Claim, Judged
from slackwater.experiments.frame.description import Experiment
from slackwater.experiments.frame.prod import (
    ABOUT,
    ACCURACY,
    GAIN,
    PLOTS,
    RAW,
    linear,
    no_worse,
    over,
    run_accuracy,
    smoke,
)
from slackwater.experiments.frame.rows import Rows


def _similar(rows: Rows) -> Judged:
    raw = rows.where(policy=RAW)
    gaps = []
    for degree in raw.distinct("aggressiveness"):
        most, mean = (raw.where(function=name, aggressiveness=degree).mean("accuracy") for name in ("max", "mean"))
        gaps.append(abs(most - mean))
    return Judged(f"at most {100 * max(gaps):.2g} points apart", max(gaps) <= POINTS)


EXPERIMENT = Experiment(
    document="PROD",
    section="Sec. 4.4.2, Fig. 4.7",
    title="Accuracy over aggressiveness, normal values, deviation 100",
    about=f"Mean 500, deviation 100. {ABOUT}",
    grids={
        "smoke": smoke(distribution="normal", deviation=100),
        "small": over(short=True, distribution=["normal"], deviation=[100]),
        "paper": over(short=False, distribution=["normal"], deviation=[100]),
    },
    run=run_accuracy,
    claims=(
        Claim("the accuracy graph for Max looks similar to the Average graph", "Sec. 4.4.2", _similar),
        Claim(
            "the accuracy of Sum and Count degrades linearly",
            "Sec. 4.4.2",
            linear("accuracy", ("sum", "count"), falls=True),
        ),
        Claim("(ours) corrected counts and sums are more accurate at every degree", "our aim", no_worse),
    ),
    table=(ACCURACY, GAIN),
    plots=PLOTS,
)
