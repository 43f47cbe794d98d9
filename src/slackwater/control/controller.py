"""The protocol that every controller fulfills."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

if TYPE_CHECKING:
    from slackwater.events import Rows
    from slackwater.measurement import Measurement
    from slackwater.time import Duration, Times


class Controller(Protocol):
    """Decides the slack. Between two decisions it never sees an event, a buffer or a stream.

    Besides these methods it may say what it learns from, what it needs and what it expects: see `learns_from`,
    `needs_cross` and `estimated_by`, which have what holds for one that does not.
    """

    def observe(self, measurement: Measurement) -> None:
        """Learn what happened in an adaptation interval, or in the part of one that a batch ended with.

        Only a measurement with `intervals >= 1` ends an interval: another must not change the slack. A controller that
        answers `slack_path` gets one measurement for a whole batch.
        """

    def next_slack(self) -> Duration:
        """Say how long to wait from now on."""

    def slack_path(self, largest_delay: Times) -> Times | None:
        """Say how long to wait at each step of a batch, for controllers that follow every arrival.

        `largest_delay` has one entry for each step. None means: as `next_slack` says, until the next decision.
        A controller that answers with a path is not asked `next_slack` again before the next batch.
        """

    def snapshot(self) -> dict[str, Any]:
        """Return all that `build` needs to go on, as values that JSON can hold."""


def slack_within(controller: Controller, delays: Times, arrived_by: Rows, weights: Rows | None = None) -> Times:
    """Ask a controller how long to wait at each step of an interval, or of the part of one that a batch has.

    A controller that has a method of this name follows arrivals between decisions: it gets the delay of each event, and
    how many events have come up to each step; and `weights`, where each stands for several. Another one waits as it
    decided.
    """
    follows = getattr(controller, "slack_within", None)
    if follows is None:
        return np.broadcast_to(np.int64(controller.next_slack().microseconds), arrived_by.shape)
    path: Times = follows(delays, arrived_by) if weights is None else follows(delays, arrived_by, weights)
    return path


def learns_from(controller: object) -> str:
    """Return what a controller learns from: "arrivals", or "results" unless it says so.

    One that learns from arrivals is led through a batch before anything is joined; see `pipeline.foresight`.
    """
    return str(getattr(controller, "learns_from", "results"))


def needs_cross(controller: object) -> bool:
    """Whether a controller wants to know how many combinations the windows of a join offered; no, unless it says so."""
    return bool(getattr(controller, "needs_cross", False))


def estimated_by(controller: object) -> float | None:
    """Return the quality that a controller expects of the slack in force; None where it expects none."""
    expected: float | None = getattr(controller, "estimated", None)
    return expected
