from __future__ import annotations

from dataclasses import replace

import pytest

from slackwater.control import Tcp
from slackwater.errors import ParameterError
from slackwater.measurement import Waited
from slackwater.time import Duration
from tests.control.measurements import MS, measured


def took(latency: int, intervals: int = 1):
    return replace(measured([0], intervals=intervals), waited=Waited(latency * MS, 0, 0))


def slacks(*latencies: int) -> list[int]:
    controller, found = Tcp(first="4 seconds").build(), []
    for latency in latencies:
        controller.observe(took(latency))
        found.append(controller.next_slack().microseconds // MS)
    return found


def test_the_slack_is_halved_when_the_latency_has_grown():
    assert [4_000, 2_000, 1_000] == slacks(100, 200, 300)


def test_a_second_is_added_when_the_latency_has_fallen():
    assert [4_000, 5_000, 6_000] == slacks(300, 200, 100)


def test_the_same_latency_changes_nothing():
    assert [4_000, 4_000] == slacks(300, 300)


def test_the_latency_of_an_interval_is_the_largest_of_its_parts():
    controller = Tcp(first="4 seconds").build()
    for each in (took(100), took(300, intervals=0), took(50)):
        controller.observe(each)
    assert 2_000 * MS == controller.next_slack().microseconds


def test_without_a_latency_nothing_is_decided():
    controller = Tcp().build()
    controller.observe(measured([0]))
    assert 1_000 * MS == controller.next_slack().microseconds


def test_a_step_of_nothing_is_refused():
    with pytest.raises(ParameterError, match="step must be > 0"):
        Tcp(step="0 seconds")


def test_durations_may_be_given_as_text_and_are_kept_as_durations():
    assert Tcp(step="2 seconds", first="4 seconds") == Tcp(step=Duration(2_000 * MS), first=Duration(4_000 * MS))
    with pytest.raises(ParameterError, match="first"):
        Tcp(first="soon")
