"""Measurement: the only thing that a controller ever sees."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from slackwater.time import Times


@dataclass(frozen=True, slots=True)
class Counts:
    """Where the events of a stream are, from its start: arrived = released + late + buffered."""

    arrived: int = 0
    released: int = 0
    late: int = 0
    buffered: int = 0

    @property
    def balanced(self) -> bool:
        """Whether every event is accounted for."""
        return self.arrived == self.released + self.late + self.buffered


@dataclass(frozen=True, slots=True)
class Measurement:
    """What happened in an adaptation interval, or in a part of one.

    `intervals` is how many boundaries the clock crossed at its end: more than one after a silence, none where a batch
    ended before the interval did. Then the interval goes on, and what belongs to it must be accumulated.
    """

    at: int  # the clock, in event time
    intervals: int
    slack: int  # in force when the boundary was crossed
    max_delay: int  # of these events
    delays: Times  # of the events that arrived since the measurement before
    counts: Counts
