"""Checks that several controllers share, and what they all read from a measurement."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from slackwater.errors import ParameterError
from slackwater.measurement import StreamArrivals
from slackwater.time import Duration, DurationLike

if TYPE_CHECKING:
    from slackwater.contracts import Goal
    from slackwater.measurement import Measurement


def positive_duration(parameter: str, value: DurationLike) -> Duration:
    """Read a duration that must not be zero."""
    duration = Duration.of(value, parameter=parameter)
    if not duration:
        raise ParameterError(parameter, str(duration), must="be > 0", remedy='use "10 ms"')
    return duration


def check_choice(parameter: str, value: object, choices: tuple[str, ...]) -> None:
    """Check that a value is one of those that have a meaning."""
    if value not in choices:
        raise ParameterError(parameter, value, must=f"be one of {', '.join(choices)}", remedy=f'use "{choices[0]}"')


def check_share(parameter: str, value: float) -> None:
    """Check that a value is in [0, 1]."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise ParameterError(parameter, value, must="be in [0, 1]", remedy="it is a share")


def target_of(goal: Goal) -> float:
    """Return the quality to reach; without one, lose nothing."""
    return 1.0 if goal.target is None else goal.target


def arrivals_of(measurement: Measurement, goal: Goal) -> tuple[StreamArrivals, ...]:
    """Return what arrived, stream by stream; where nothing is joined, all events are one stream."""
    if goal.windows:
        return measurement.streams
    return (StreamArrivals(measurement.delays, np.zeros(len(measurement.delays), np.int64)),)


def slack_of(bins: int, granularity: int) -> int:
    """Return a slack of so many bins in us; a wild event time must not take it past what a duration can be."""
    return min(bins * granularity, Duration.MAX.microseconds)


def remembered(state: dict[str, Any] | None, granularity: int) -> dict[str, Any]:
    """Return what can be used of a snapshot: delays counted in another granularity mean nothing, the slack does."""
    state = state or {}
    return state if state.get("granularity") == granularity else {"slack": int(state.get("slack", 0))}


def check_count(parameter: str, value: object, *, least: int) -> None:
    """Check that a value is a whole number, not too small."""
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise ParameterError(parameter, value, must=f"be a whole number >= {least}", remedy="it is a count")


def drop_ratio_of(goal: Goal) -> float:
    """Return the share that may be late: of the target, which is the share to keep, the complement.

    Rounded, or 1 - 0.999 would be above 0.001. Without a target, and for one of 1, nearly nothing may be.

    >>> from slackwater.contracts import Goal
    >>> drop_ratio_of(Goal(0.999))
    0.001
    """
    return min(max(round(1 - target_of(goal), 12), 1e-12), 1 - 1e-12)
