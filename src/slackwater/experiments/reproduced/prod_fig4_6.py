"""PROD Fig. 4.6: accuracy of early results and latency gains over aggressiveness, uniform values."""

from __future__ import annotations

from slackwater.experiments.frame.claims import Claim, number
from slackwater.experiments.frame.description import Experiment
from slackwater.experiments.frame.prod import (
    ABOUT,
    ACCURACY,
    FINE,
    FUNCTIONS,
    GAIN,
    PLOTS,
    RAW,
    linear,
    no_worse,
    over,
    run_accuracy,
    smoke,
)


def _printed(function: str, name: str, degree: float, quoted: float, within: float | None = None) -> Claim:
    says = f"{name}: {100 * quoted:.4g} % accuracy at an aggressiveness of {degree:.0%}"
    where = {"function": function, "policy": RAW, "aggressiveness": degree}
    return Claim(says, "Sec. 4.4.1", number(quoted, "accuracy", "%", within=within, **where))


EXPERIMENT = Experiment(
    document="PROD",
    section="Sec. 4.4.1, Fig. 4.6",
    title="Accuracy over aggressiveness, uniform values",
    about=f"Values from 0 to 999. {ABOUT}",
    grids={
        "smoke": smoke(distribution="uniform", deviation=400),
        "small": over(short=True, distribution=["uniform"], deviation=[400]),
        "paper": over(short=False, distribution=["uniform"], deviation=[400]),
    },
    run=run_accuracy,
    claims=(
        Claim("the latency gains increase about linearly", "Sec. 4.4.1", linear("gain", FUNCTIONS)),
        _printed("mean", "Average", 0.1, 0.9953, FINE),
        _printed("mean", "Average", 0.5, 0.9903, FINE),
        _printed("max", "Max", 0.1, 0.9996, FINE),
        _printed("max", "Max", 0.5, 0.9993, FINE),
        _printed("sum", "Sum", 0.5, 0.795),
        _printed("count", "Count", 0.5, 0.7987),
        Claim("(ours) corrected counts and sums are more accurate at every degree", "our aim", no_worse),
    ),
    table=(ACCURACY, GAIN),
    plots=PLOTS,
)
