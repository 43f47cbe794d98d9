"""What one adaptation step costs: from the measurement of an interval to the next slack, in ms.

The measurements are those of real runs of the documents' joins; the limits are 1 ms (median) and 5 ms (p99).
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

import slackwater as sw
from benchmarks.harness import Case
from slackwater.control.needed_slack import NeededSlack
from slackwater.experiments.subject import subject_of_dataset
from slackwater.experiments.timed import Timed

CONTROLLERS: dict[str, Any] = {"default": NeededSlack(), "ModelSearch": sw.control.ModelSearch()}


def cases(*, quick: bool) -> Iterator[Case]:
    """Two, three and four streams; the default and the documents' search; every target."""
    duration = "90 seconds" if quick else "5 minutes"
    targets = (0.9,) if quick else (0.8, 0.9, 0.95, 0.99, 0.999)
    for data in ("soccer", "syn3", "syn4"):
        subject = subject_of_dataset(data, duration=duration)
        for name, controller in CONTROLLERS.items():
            took: list[float] = []
            for target in targets:
                for _ in subject.run(sw.Recall(target, controller=Timed(controller, took))):
                    pass
            config = {"steps": len(took), "targets": targets}
            for limit, percent in ((1.0, 50), (5.0, 99)):
                value = float(np.percentile(took, percent))
                label = f"{name} on {data}, p{percent} in ms"
                yield Case(label, partial(float, value), lambda: 1.0, limit, "1 ms", config)
