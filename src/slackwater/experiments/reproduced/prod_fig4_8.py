"""PROD Fig. 4.8: accuracy of early results over aggressiveness, normal values with a deviation of 400."""

from __future__ import annotations

from slackwater.experiments.frame.claims import POINTS, Claim, Judged
from slackwater.experiments.frame.description import Experiment
from slackwater.experiments.frame.prod import (
    ABOUT,
    ACCURACY,
    FUNCTIONS,
    GAIN,
    RAW,
    linear,
    over,
    plot,
    run_accuracy,
    smoke,
)
from slackwater.experiments.frame.rows import Rows


def _similar(rows: Rows) -> Judged:
    raw = rows.where(policy=RAW)
    gaps = []
    for degree in raw.distinct("aggressiveness"):
        for name in FUNCTIONS:
            same = raw.where(function=name, aggressiveness=degree)
            low, high = (same.where(deviation=deviation).mean("accuracy") for deviation in (100, 400))
            gaps.append(abs(high - low))
    return Judged(f"at most {100 * max(gaps):.2g} points apart", max(gaps) <= POINTS)


EXPERIMENT = Experiment(
    document="PROD",
    section="Sec. 4.4.2, Fig. 4.8",
    title="Accuracy over aggressiveness, normal values, deviation 400",
    about=f"Mean 500, deviation 400, and 100 to compare with. {ABOUT}",
    grids={
        "smoke": smoke(distribution="normal", deviation=400),
        "small": over(short=True, distribution=["normal"], deviation=[100, 400]),
        "paper": over(short=False, distribution=["normal"], deviation=[100, 400]),
    },
    run=run_accuracy,
    claims=(
        Claim(
            "plots for SD = 400 look similar to those for SD = 100",
            "Sec. 4.4.2",
            _similar,
            why="An early maximum is further from the final one where values scatter more.",
        ),
        Claim(
            "the accuracy of Sum and Count degrades linearly",
            "Sec. 4.4.2",
            linear("accuracy", ("sum", "count"), falls=True),
        ),
    ),
    table=(ACCURACY, GAIN),
    plots=(plot("Average accuracy of early results", ACCURACY, panels=("policy", "deviation")),),
)
