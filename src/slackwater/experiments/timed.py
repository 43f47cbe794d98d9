"""A watch on a controller: how long each decision takes."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from slackwater.contracts import NO_GOAL, ControllerConfig, Goal

if TYPE_CHECKING:
    from slackwater.measurement import Measurement


@dataclass(frozen=True)
class Timed:
    """Builds a controller whose steps are timed: from the measurement of an interval to the next slack, in ms.

    In processor time: on a machine that is busy otherwise, the others' share would count too.
    """

    inner: ControllerConfig
    took: list[float] = field(hash=False)

    def build(self, state: dict[str, Any] | None = None, goal: Goal = NO_GOAL) -> Any:
        """Make the controller, with a watch in front."""
        controller, took = self.inner.build(state, goal), self.took
        observe = controller.observe

        def timed(measurement: Measurement) -> None:
            started = time.process_time_ns()
            observe(measurement)
            controller.next_slack()
            if measurement.intervals:
                took.append((time.process_time_ns() - started) / 1e6)

        controller.observe = timed
        return controller
