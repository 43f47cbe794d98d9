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
    """What happened in one adaptation interval.

    `intervals` is how many boundaries the clock crossed at once: more than one after a silence.
    """

    at: int  # the clock, in event time
    intervals: int
    slack: int  # in force when the boundary was crossed
    max_delay: int  # of the events that arrived in the interval
    delays: Times  # of all events that arrived in the interval
    counts: Counts
