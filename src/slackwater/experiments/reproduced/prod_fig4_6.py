"""PROD Fig. 4.6: accuracy of early results and latency gains over aggressiveness, uniform values."""

from __future__ import annotations

from slackwater.experiments.frame.claims import Claim, number
from slackwater.experiments.frame.prod import FINE, FUNCTIONS, NO_WORSE, RAW, accuracy_over_aggressiveness, linear


def _printed(function: str, name: str, degree: float, quoted: float, within: float | None = None) -> Claim:
    says = f"{name}: {100 * quoted:.4g} % accuracy at an aggressiveness of {degree:.0%}"
    where = {"function": function, "policy": RAW, "aggressiveness": degree}
    return Claim(says, "Sec. 4.4.1", number(quoted, "accuracy", "%", within=within, **where))


EXPERIMENT = accuracy_over_aggressiveness(
    "Sec. 4.4.1, Fig. 4.6",
    "Accuracy over aggressiveness, uniform values",
    "Values from 0 to 999.",
    (
        Claim("the latency gains increase about linearly", "Sec. 4.4.1", linear("gain", FUNCTIONS)),
        _printed("mean", "Average", 0.1, 0.9953, FINE),
        _printed("mean", "Average", 0.5, 0.9903, FINE),
        _printed("max", "Max", 0.1, 0.9996, FINE),
        _printed("max", "Max", 0.5, 0.9993, FINE),
        _printed("sum", "Sum", 0.5, 0.795),
        _printed("count", "Count", 0.5, 0.7987),
        NO_WORSE,
    ),
    distribution="uniform",
)
