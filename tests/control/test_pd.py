from __future__ import annotations

import json

import pytest

from slackwater.contracts import Goal
from slackwater.control import PD
from slackwater.errors import ParameterError
from tests.control.measurements import MS, SECOND, joined, measured, random_measurements


def slacks(config: PD, *in_time: int, target: float = 0.9) -> list[int]:
    """The slack in ms after each interval in which so many of ten events were within the slack."""
    controller, found = config.build(None, Goal(target)), []
    for count in in_time:
        controller.observe(measured([0] * count + [10**9] * (10 - count)))
        found.append(controller.next_slack().microseconds // MS)
    return found


def test_the_slack_follows_the_error():
    # e = 0.4, 0.1, -0.1: 1000 ms of each is added.
    assert [400, 500, 400] == slacks(PD(kp="1 s", kd="0 s"), 5, 8, 10)


def test_the_derivative_damps():
    # e = 0.4, then 0.1: 400 + 100 + 500 * (0.1 - 0.4) = 350.
    assert [400, 350] == slacks(PD(kp="1 s", kd="500 ms"), 5, 8)


def test_the_slack_is_never_negative():
    assert [0, 0, 400] == slacks(PD(kp="1 s", kd="0 s"), 10, 10, 5)


def test_the_overall_quality_remembers_a_deficit():
    # Overall 0.5, then 0.75: e = 0.4, 0.15.
    assert [400, 550] == slacks(PD(kp="1 s", kd="0 s", overall=True), 5, 10)


def test_an_interval_without_progress_is_skipped():
    goal = Goal(0.9, SECOND, SECOND, (SECOND, SECOND))
    controller = PD().build(None, goal)
    controller.observe(measured([0] * 10, [0] * 10, joined=joined([(0, True, 0, 0)] * 20)))
    before = controller.next_slack()
    controller.observe(measured([0], [0], joined=joined()))
    assert before.microseconds > 0
    assert before == controller.next_slack()


@pytest.mark.parametrize("config", [PD(), PD(overall=True)])
def test_restoring_after_every_prefix_gives_the_same_slacks(config):
    goal = Goal(0.9, SECOND, SECOND, (200 * MS, 300 * MS))
    undisturbed = config.build(None, goal)
    for measurement in random_measurements(60):
        restored = config.build(json.loads(json.dumps(undisturbed.snapshot())), goal)
        undisturbed.observe(measurement)
        restored.observe(measurement)
        assert undisturbed.snapshot() == restored.snapshot()


def test_a_gain_needs_a_unit():
    with pytest.raises(ParameterError, match="kp must be a duration"):
        PD(kp=500)
