"""PROD Fig. 4.8: accuracy of early results over aggressiveness, normal values with a deviation of 400."""

from __future__ import annotations

from slackwater.experiments.frame.claims import Claim, Judged
from slackwater.experiments.frame.prod import (
    ACCURACY,
    FALL_ON_A_LINE,
    FUNCTIONS,
    RAW,
    accuracy_over_aggressiveness,
    plot,
    similar,
)
from slackwater.experiments.frame.rows import Rows


def _like_each_other(rows: Rows) -> Judged:
    raw = rows.where(policy=RAW)
    gaps = []
    for degree in raw.distinct("aggressiveness"):
        for name in FUNCTIONS:
            same = raw.where(function=name, aggressiveness=degree)
            low, high = (same.where(deviation=deviation).mean("accuracy") for deviation in (100, 400))
            gaps.append(abs(high - low))
    return similar(gaps)


EXPERIMENT = accuracy_over_aggressiveness(
    "Sec. 4.4.2, Fig. 4.8",
    "Accuracy over aggressiveness, normal values, deviation 400",
    "Mean 500, deviation 400, and 100 to compare with.",
    (
        Claim(
            "plots for SD = 400 look similar to those for SD = 100",
            "Sec. 4.4.2",
            _like_each_other,
            why="An early maximum is further from the final one where values scatter more.",
        ),
        FALL_ON_A_LINE,
    ),
    deviations=[100, 400],
    plots=(plot("Average accuracy of early results", ACCURACY, panels=("policy", "deviation")),),
)
