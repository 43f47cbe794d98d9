"""The slack that keeps errors of results within a bound."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from slackwater.contracts import Goal
from slackwater.control.alpha_pd import AlphaPD
from slackwater.control.bounded_error import BoundedError
from slackwater.errors import ParameterError
from slackwater.estimate.needed_slack import bin_of, slack_of_bin
from slackwater.measurement import Counts, Measurement, RecentWindows
from slackwater.time import Duration

SECOND = 1_000_000
GOAL = Goal(target=0.95)


def windows(needs: list[int], *, age: int = 3_600 * SECOND, **options) -> RecentWindows:
    """One result in each window, with the slack that it needs in us; all are old."""
    bins = bin_of(np.array(needs))
    kept = (np.arange(bins.max() + 1) >= bins[:, None]).astype(float)
    return RecentWindows(np.arange(len(needs))[::-1] * SECOND + age, np.ones(len(needs)), kept, **options)


def measured(found: RecentWindows | None, *, max_delay: int = 0, intervals: int = 1) -> Measurement:
    none = np.empty(0, np.int64)
    return Measurement(0, intervals, 0, max_delay, none, Counts(), windows=found)


def decided(found: RecentWindows | None, **options) -> int:
    controller = BoundedError().build(goal=GOAL)
    controller.observe(measured(found, **options))
    return controller.next_slack().microseconds


def covers(need: int) -> int:
    return slack_of_bin(int(bin_of(np.array([need]))[0]))


def test_before_any_window_is_known_it_waits_as_long_as_events_came_behind():
    assert 7 == decided(None, max_delay=7)


def test_it_does_not_wait_where_no_result_needs_it():
    assert 0 == decided(windows([0] * 100), max_delay=SECOND)


def test_what_one_result_in_a_hundred_needs_is_not_waited_for():
    needs = [0] * 200
    needs[50] = needs[120] = SECOND
    assert 0 == decided(windows(needs))


def test_what_one_result_in_ten_needs_is_waited_for():
    assert covers(SECOND) == decided(windows([SECOND if number % 10 == 0 else 0 for number in range(200)]))


def test_the_last_windows_are_enough_to_notice_that_things_got_worse():
    assert covers(SECOND) == decided(windows([0] * 400 + [SECOND] * 6))


def test_windows_that_are_too_young_for_a_slack_say_nothing_about_it():
    old = windows([SECOND] * 50)
    young = RecentWindows(np.full(50, SECOND // 2), np.ones(50), np.ones((50, old.kept.shape[1])))
    both = RecentWindows(*(np.concatenate(pair) for pair in zip(_columns(old), _columns(young), strict=True)))
    assert covers(SECOND) == decided(both)


def _columns(found: RecentWindows):
    return found.age, found.results, found.kept


def test_while_less_is_reached_more_is_asked_for():
    needs = [2 * SECOND if number % 50 == 0 else 0 for number in range(400)]
    assert 0 == decided(windows(needs, emitted=400, within=390))
    assert covers(2 * SECOND) == decided(windows(needs, emitted=400, within=360))


def test_a_part_of_an_interval_decides_nothing():
    assert 0 == decided(windows([SECOND] * 50), intervals=0)


def test_it_says_what_share_to_expect():
    controller = BoundedError().build(goal=GOAL)
    controller.observe(measured(windows([0] * 100)))
    assert pytest.approx(1.0) == controller.estimated


@pytest.mark.parametrize("options", [{"memory": 0}, {"reserve": 1.5}, {"reserve": True}])
def test_parameters_without_a_meaning_are_refused(options):
    with pytest.raises(ParameterError, match=next(iter(options))):
        BoundedError(**options)


def test_alpha_waits_for_a_share_of_the_largest_delay_that_grows_while_quality_is_missing():
    controller = AlphaPD(kp=0.5, kd=0).build(goal=GOAL)
    found = windows([0] * 10, due=10.0, made=5.0)
    slacks = []
    for _ in range(6):
        controller.observe(measured(found, max_delay=1_000))
        slacks.append(controller.next_slack().microseconds)
    assert [225, 450, 675, 900, 1_000, 1_000] == slacks


def test_alpha_is_left_alone_where_no_result_became_known():
    controller = AlphaPD(kp=0.5).build(goal=GOAL)
    controller.observe(measured(windows([0] * 10, due=0.0, made=0.0), max_delay=1_000))
    assert Duration.ZERO == controller.next_slack()


@pytest.mark.parametrize("options", [{"kp": -1}, {"kd": float("nan")}])
def test_gains_below_zero_are_refused(options):
    with pytest.raises(ParameterError, match="be a number >= 0"):
        AlphaPD(**options)


@pytest.mark.parametrize(
    ("within", "level"),
    [(None, 0.9679486), (380, 0.9679486), (376, 0.9679486), (372, 0.9861542), (368, 0.999), (200, 0.999)],
)
def test_it_aims_at_the_confidence_and_a_reserve_and_at_more_while_clearly_less_is_reached(monkeypatch, within, level):
    # The deviation of a share of 400 results is 0.0108972: half of it is added, and once of it may be lacking.
    levels = []
    monkeypatch.setattr(
        "slackwater.control.bounded_error.smallest_bin", lambda _, level, **doubt: levels.append((level, doubt)) or 0
    )
    decided(windows([0] * 400, **({} if within is None else {"emitted": 400, "within": within})))
    assert [(pytest.approx(level, abs=1e-7), {}), (0.95, {"doubt": 1.0})] == levels


def test_the_largest_delay_of_all_intervals_counts_until_a_window_is_known():
    controller = BoundedError().build(goal=GOAL)
    for largest in (7, 9, 3):
        controller.observe(measured(None, max_delay=largest))
    assert 9 == controller.next_slack().microseconds
    assert 9 == BoundedError().build(controller.snapshot(), GOAL).snapshot()["longest"]


def test_nothing_is_decided_where_no_window_was_judged_in_the_interval():
    controller, some = BoundedError().build(goal=GOAL), windows([SECOND] * 50)
    controller.observe(measured(replace(some, changed=False)))
    assert 0 == controller.next_slack().microseconds
    controller.observe(measured(some, intervals=0))
    controller.observe(measured(replace(some, changed=False)))
    assert covers(SECOND) == controller.next_slack().microseconds
    assert not controller.snapshot()["changed"]
