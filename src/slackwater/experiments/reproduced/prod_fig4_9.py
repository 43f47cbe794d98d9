"""PROD Fig. 4.9: accuracy of early results over aggressiveness, normal values with a deviation of 1000."""

from __future__ import annotations

from slackwater.experiments.frame.claims import Claim, Judged
from slackwater.experiments.frame.prod import FALL_ON_A_LINE, accuracy_over_aggressiveness, fall
from slackwater.experiments.frame.rows import Rows


def _mean_falls_faster(rows: Rows) -> Judged:
    mean, most = fall(rows, "mean"), fall(rows, "max")
    return Judged(f"Average by {100 * mean:.2g} points, Max by {100 * most:.2g}", mean > most)


EXPERIMENT = accuracy_over_aggressiveness(
    "Sec. 4.4.2, Fig. 4.9",
    "Accuracy over aggressiveness, normal values, deviation 1000",
    "Mean 500, deviation 1000.",
    (
        Claim("Average degrades more quickly, albeit slightly, than Max", "Sec. 4.4.2", _mean_falls_faster),
        FALL_ON_A_LINE,
    ),
    deviations=[1000],
)
