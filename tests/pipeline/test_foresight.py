"""What a controller that learns from arrivals is told at each boundary."""

from __future__ import annotations

from dataclasses import dataclass, field

import pyarrow as pa
import pytest

import slackwater as sw
from slackwater.contracts import NO_GOAL
from slackwater.control.controller import estimated_by, learns_from, needs_cross
from slackwater.time import Duration


@dataclass(frozen=True)
class Noting:
    """A user's controller with nothing but what it must have; it never waits, and notes what it is told."""

    learning: dict[str, str]
    told: list = field(default_factory=list)

    def build(self, state=None, goal=NO_GOAL):
        members = {
            "observe": lambda _, measurement: self.told.append(measurement.intervals),
            "next_slack": lambda _: Duration.ZERO,
            "slack_path": lambda _, largest_delay: None,
            "snapshot": lambda _: {},
        }
        return type("NotingController", (), {**members, **self.learning})()


def told(learning: dict[str, str], *seconds: int) -> list[int]:
    """Join a stream with itself, a decision every second; return how many intervals each measurement stands for."""
    noting = Noting(learning)
    table = pa.table({"ts": pa.array(seconds, pa.int64())})
    streams = [sw.stream(table, name=name, event_time="ts", unit="s") for name in "ab"]
    contract = sw.Recall(0.9, over="1 minute", controller=noting)
    assert sw.join(*streams, within="1 second", contract=contract).decisions.num_rows
    return noting.told


@pytest.mark.parametrize("learning", [{"learns_from": "arrivals"}, {}], ids=["arrivals", "results"])
def test_a_measurement_says_how_many_boundaries_a_silence_jumped(learning):
    assert [1, 1, 7, 1] == [each for each in told(learning, 0, 1, 2, 9, 10) if each]


def test_a_controller_that_says_nothing_learns_from_results_and_expects_nothing():
    plain = Noting({}).build()
    assert ("results", False, None) == (learns_from(plain), needs_cross(plain), estimated_by(plain))
