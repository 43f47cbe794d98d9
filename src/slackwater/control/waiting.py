"""How long events took, as controllers that keep a deadline see it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from slackwater.measurement import Waited

if TYPE_CHECKING:
    from slackwater.contracts import Goal
    from slackwater.measurement import Measurement


def waited_in(measurement: Measurement, goal: Goal) -> Waited | None:
    """Return what was measured in processing time; behind a gate that knows none, what event time says of it.

    There, what is no waiting is known beforehand from the contract, and no event waits longer than the slack. None
    where there is neither.
    """
    if measurement.waited is not None or goal.deadline is None:
        return measurement.waited
    return Waited(
        latency=min(measurement.stall, measurement.slack) + goal.latency,
        processing=goal.latency,
        slack_ready=measurement.slack_ready,
        spread=max((int(each.ahead.max(initial=0)) for each in measurement.streams), default=0),
        events=len(measurement.delays),
    )
