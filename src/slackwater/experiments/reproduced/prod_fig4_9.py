"""PROD Fig. 4.9: accuracy of early results over aggressiveness, normal values with a deviation of 1000."""

from __future__ import annotations

from slackwater.experiments.frame.claims import Claim, Judged
from slackwater.experiments.frame.description import Experiment
from slackwater.experiments.frame.prod import ABOUT, ACCURACY, GAIN, PLOTS, fall, linear, over, run_accuracy, smoke
from slackwater.experiments.frame.rows import Rows


def _mean_falls_faster(rows: Rows) -> Judged:
    mean, most = fall(rows, "mean"), fall(rows, "max")
    return Judged(f"Average by {100 * mean:.2g} points, Max by {100 * most:.2g}", mean > most)


EXPERIMENT = Experiment(
    document="PROD",
    section="Sec. 4.4.2, Fig. 4.9",
    title="Accuracy over aggressiveness, normal values, deviation 1000",
    about=f"Mean 500, deviation 1000. {ABOUT}",
    grids={
        "smoke": smoke(distribution="normal", deviation=1000),
        "small": over(short=True, distribution=["normal"], deviation=[1000]),
        "paper": over(short=False, distribution=["normal"], deviation=[1000]),
    },
    run=run_accuracy,
    claims=(
        Claim("Average degrades more quickly, albeit slightly, than Max", "Sec. 4.4.2", _mean_falls_faster),
        Claim(
            "the accuracy of Sum and Count degrades linearly",
            "Sec. 4.4.2",
            linear("accuracy", ("sum", "count"), falls=True),
        ),
    ),
    table=(ACCURACY, GAIN),
    plots=PLOTS,
)
