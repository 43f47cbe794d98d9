"""PROD Fig. 4.7: accuracy of early results over aggressiveness, normal values with a deviation of 100."""

from __future__ import annotations

from slackwater.experiments.frame.claims import Claim, Judged
from slackwater.experiments.frame.prod import FALL_ON_A_LINE, NO_WORSE, RAW, accuracy_over_aggressiveness, similar
from slackwater.experiments.frame.rows import Rows


def _max_like_mean(rows: Rows) -> Judged:
    raw = rows.where(policy=RAW)
    gaps = []
    for degree in raw.distinct("aggressiveness"):
        most, mean = (raw.where(function=name, aggressiveness=degree).mean("accuracy") for name in ("max", "mean"))
        gaps.append(abs(most - mean))
    return similar(gaps)


EXPERIMENT = accuracy_over_aggressiveness(
    "Sec. 4.4.2, Fig. 4.7",
    "Accuracy over aggressiveness, normal values, deviation 100",
    "Mean 500, deviation 100.",
    (
        Claim("the accuracy graph for Max looks similar to the Average graph", "Sec. 4.4.2", _max_like_mean),
        FALL_ON_A_LINE,
        NO_WORSE,
    ),
    deviations=[100],
)
