"""A bucket that is led by the driver: whom it follows, from when and until when."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from slackwater.contracts import Goal
from slackwater.control.fixed import Fixed
from slackwater.control.following import FollowingController, Told
from slackwater.measurement import Counts, Measurement, NeededSlacks

SECOND = 1_000_000
GOAL = Goal(0.9, period=60 * SECOND, interval=SECOND, windows=(SECOND,))
NOTHING = np.empty(0, np.int64)


def at(seconds: float, *, closes: bool = True, events: int = 3) -> Measurement:
    needs = NeededSlacks(NOTHING, np.empty(0), (NOTHING,), (events,), None)
    return Measurement(int(seconds * SECOND), int(closes), 0, 0, NOTHING, Counts(), needs=needs)


def following(told: Told | None = None, state=None) -> FollowingController:
    return FollowingController(Fixed("7 seconds").build(), GOAL, told, state)


def slack_of(controller: FollowingController) -> int:
    return controller.next_slack().microseconds // SECOND


TWO = Told(slack=2 * SECOND, at=100 * SECOND)


def test_a_bucket_decides_by_itself_until_it_is_told():
    controller = following()
    controller.observe(at(101))
    assert 7 == slack_of(controller)


def test_what_is_told_counts_from_the_next_boundary_on():
    controller, before = following(TWO), []
    for closes in (False, True):
        controller.observe(at(101, closes=closes))
        before.append(slack_of(controller))
    assert [7, 2] == before


def test_what_is_told_is_good_for_one_period_past_its_decision():
    controller, followed = following(TWO), []
    for clock in (90, 159, 160):
        controller.observe(at(clock))
        followed.append(slack_of(controller))
    assert [2, 2, 7] == followed


def test_a_cap_that_is_new_since_the_slack_was_decided_counts():
    controller = following(TWO)
    controller.observe(at(101))
    capped = FollowingController(Fixed("7 seconds").build(), replace(GOAL, cap=SECOND), TWO, controller.snapshot())
    assert 1 == slack_of(capped)


def test_a_bucket_that_follows_expects_nothing():
    class Expecting:
        estimated = 0.9

        def observe(self, measurement): ...

    controller = FollowingController(Expecting(), GOAL, TWO)
    expected = [controller.estimated]
    controller.observe(at(101))
    assert [0.9, None] == [*expected, controller.estimated]


def test_a_snapshot_keeps_what_is_in_force():
    controller = following(TWO)
    controller.observe(at(101))
    assert 2 == slack_of(following(None, controller.snapshot()))


def test_a_report_has_what_was_seen_by_interval_and_is_given_once():
    controller = following()
    for measurement in (at(4.5, closes=False, events=1), at(5.1, events=2), at(9.3, events=4)):
        controller.observe(measurement)
    statistics, clock = controller.report()
    assert ([4, 5], [3.0, 4.0], 9.3) == (statistics.interval.tolist(), statistics.weight.tolist(), clock / SECOND)
    assert 0 == len(controller.report()[0])


def test_an_interval_that_goes_on_after_a_restart_keeps_its_number():
    controller = following()
    controller.observe(at(4.5, closes=False))
    again = following(None, controller.snapshot())
    again.observe(at(9.3))
    assert [4] == again.report()[0].interval.tolist()


def test_without_arrivals_there_is_nothing_to_report():
    assert following().report() is None
