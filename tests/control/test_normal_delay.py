"""KIM's buffer size as a slack."""

from __future__ import annotations

import json

import numpy as np
import pytest

from slackwater.contracts import DropRatio, Goal
from slackwater.control import AdaptiveMax, NormalDelay, controller_for
from slackwater.control.adaptive_max import AdaptiveMaxController
from slackwater.control.normal_delay import NormalDelayController
from slackwater.errors import ParameterError
from slackwater.measurement import Counts, Measurement

SECOND = 1_000_000
GOAL = Goal(0.99, period=60 * SECOND, interval=SECOND)
FEW = {"sample_every": 1, "samples": 50}


def second_of(number, delays, intervals=1):
    return Measurement(
        at=(number + 1) * SECOND,
        intervals=intervals,
        slack=0,
        max_delay=0,
        delays=np.asarray(delays, np.int64),
        counts=Counts(),
    )


def led(controller, seconds, *, per_second=100, deviation=50_000, seed=1):
    """Lead a controller through seconds of evenly spaced events with normal delays around half a second."""
    random = np.random.default_rng(seed)
    for number in range(seconds):
        controller.observe(second_of(number, np.maximum(random.normal(500_000, deviation, per_second), 0)))
    return controller


@pytest.mark.parametrize(("equation", "span"), [("11", 0.357), ("12", 0.329), ("exact", 0.26)])
def test_the_slack_is_the_span_of_the_events_to_hold_and_the_mean_delay(equation, span):
    config = NormalDelay(equation=equation, floor=1, sample_every=1, samples=2_000)
    slack = led(config.build(None, GOAL), 40, deviation=100_000).next_slack()
    assert span * SECOND + 500_000 == pytest.approx(slack.microseconds, rel=0.05)


def test_at_least_the_floor_is_held():
    slack = led(NormalDelay(**FEW, floor=40).build(None, GOAL), 40, deviation=0).next_slack()
    assert 40 * 10_000 + 500_000 == pytest.approx(slack.microseconds, rel=0.01)


def test_the_gap_between_events_is_that_of_all_events_that_are_sampled():
    controller = NormalDelay(sample_every=4, samples=50, floor=40).build(None, GOAL)
    for number in range(20):
        controller.observe(second_of(number, np.full(50 if number % 2 else 150, 500_000)))
    assert 40 * 10_000 + 500_000 == controller.next_slack().microseconds


def test_until_there_are_enough_samples_it_waits_a_period():
    controller = NormalDelay().build(None, GOAL)
    before = controller.next_slack().microseconds
    controller.observe(second_of(0, [0, 700_000, 20]))
    assert [GOAL.period] * 2 == [before, controller.next_slack().microseconds]


def test_a_delay_longer_than_a_period_is_waited_for_until_there_are_enough_samples():
    controller = NormalDelay().build(None, GOAL)
    controller.observe(second_of(0, [2 * GOAL.period]))
    assert 2 * GOAL.period == controller.next_slack().microseconds


@pytest.mark.parametrize(("target", "controller"), [(0.005, NormalDelayController), (0.001, AdaptiveMaxController)])
def test_e21_small_targets_are_left_to_the_adaptive_method(target, controller):
    assert isinstance(controller_for(DropRatio(target, controller=NormalDelay())), controller)


def test_e21_the_switch_can_be_turned_off():
    contract = DropRatio(0.0005, controller=NormalDelay(small_targets=None))
    assert isinstance(controller_for(contract), NormalDelayController)


def test_e21_the_switch_can_have_another_window():
    config = NormalDelay(small_targets=AdaptiveMax(window=2))
    path = controller_for(DropRatio(0.001, controller=config)).slack_path(np.array([8, 0, 0, 0]))
    assert [8, 8, 8, 4] == path.tolist()


def test_with_short_intervals_it_estimates_after_so_many_arrivals():
    config = NormalDelay(estimate_every=250, **FEW)
    controller = config.build(None, Goal(0.99, 60 * SECOND, SECOND // 10))
    random, slacks = np.random.default_rng(2), []
    for number in range(8):
        delays = np.maximum(random.normal(50_000, 9_000, 100), 0)
        controller.observe(Measurement((number + 1) * SECOND // 10, 1, 0, 0, delays.astype(np.int64), Counts()))
        slacks.append(controller.next_slack().microseconds)
    changes = [number for number in range(1, 8) if slacks[number] != slacks[number - 1]]
    assert [2, 5] == changes


def test_it_goes_on_from_its_snapshot():
    whole, parts = NormalDelay(**FEW).build(None, GOAL), NormalDelay(**FEW).build(None, GOAL)
    for seed in range(6):
        led(whole, 3, seed=seed)
        led(parts, 3, seed=seed)
        parts = NormalDelay(**FEW).build(json.loads(json.dumps(parts.snapshot())), GOAL)
        assert whole.next_slack() == parts.next_slack()


def test_how_an_interval_is_cut_into_batches_does_not_show():
    random = np.random.default_rng(3)
    whole, parts = NormalDelay(**FEW).build(None, GOAL), NormalDelay(**FEW).build(None, GOAL)
    for number in range(10):
        delays = np.maximum(random.normal(500_000, 70_000, 90), 0).astype(np.int64)
        whole.observe(second_of(number, delays))
        parts.observe(second_of(number - 0.5, delays[:31], intervals=0))
        parts.observe(second_of(number, delays[31:]))
        assert whole.next_slack() == parts.next_slack()


@pytest.mark.parametrize("name", ["estimate_every", "sample_every", "samples", "floor", "equation", "small_targets"])
def test_bad_parameters_are_refused(name):
    with pytest.raises(ParameterError, match=name):
        NormalDelay(**{name: 0})


def test_it_estimates_with_as_many_samples_as_were_asked_for_and_not_one_less():
    few, enough = (NormalDelay(sample_every=1, samples=50).build(None, GOAL) for _ in range(2))
    few.observe(second_of(0, np.full(49, 500_000)))
    enough.observe(second_of(0, np.full(50, 500_000)))
    assert few.next_slack().microseconds == GOAL.period > enough.next_slack().microseconds


@pytest.mark.parametrize(
    ("interval", "estimates"), [(SECOND, [0, 1, 2, 3]), (SECOND // 2, [1, 3]), (SECOND // 2 - 1, [2])]
)
def test_where_few_events_come_it_estimates_once_a_second(interval, estimates):
    controller, seen = NormalDelay(**FEW).build(None, Goal(0.99, 60 * SECOND, interval)), []
    for number in range(4):
        controller.observe(Measurement((number + 1) * interval, 1, 0, 0, np.full(50, 500_000), Counts()))
        seen.append(controller.snapshot()["estimated_at"])
    assert estimates == [number for number, at in enumerate(seen) if at == 50 * (number + 1)]


def test_the_longest_delay_is_waited_for_where_the_clock_stands_still():
    controller = NormalDelay(**FEW).build(None, GOAL)
    for _ in range(2):
        controller.observe(second_of(0, [*[500_000] * 49, 700_000]))
    assert 700_000 == controller.next_slack().microseconds


def test_samples_taken_in_another_way_are_forgotten_but_not_the_slack():
    saved = led(NormalDelay(**FEW).build(None, GOAL), 3).snapshot()
    again = NormalDelay(sample_every=2, samples=50).build(saved, GOAL).snapshot()
    assert (saved["slack"], saved["longest"], 0) == (again["slack"], again["longest"], again["estimated_at"])
    assert NormalDelay(sample_every=2, samples=50).build(None, GOAL).snapshot()["delays"] == again["delays"]
