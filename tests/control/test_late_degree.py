from __future__ import annotations

import json

import pytest

from slackwater.contracts import Goal
from slackwater.control import LateDegreeModel
from slackwater.errors import ParameterError
from tests.control.measurements import MS, SECOND, cut_in_two, joined, measured, random_measurements

# Late degrees {0.6, 0.2, 0.1, 0.1} in units of 10 ms: Q_est = 46.5, 72, 87.75 and 100 % for windows of 3 and 2 units.
DEGREES = [0] * 6 + [10] * 2 + [20, 30]
WINDOWS = (30 * MS, 20 * MS)


def goal(target: float, windows: tuple[int, ...] = WINDOWS) -> Goal:
    return Goal(target, 60 * SECOND, SECOND, windows)


def slack(config: LateDegreeModel, target: Goal, *measurements) -> int:
    """The slack in ms after these measurements."""
    controller = config.build(None, target)
    for measurement in measurements:
        controller.observe(measurement)
    return controller.next_slack().microseconds // MS


@pytest.mark.parametrize(("target", "expected"), [(0.46, 0), (0.47, 10), (0.72, 10), (0.87, 20), (0.9, 30), (1.0, 30)])
def test_e16_it_takes_the_smallest_slack_that_the_model_allows(target, expected):
    assert expected == slack(LateDegreeModel(), goal(target), measured(DEGREES, DEGREES))


def test_it_tells_what_it_expects():
    controller = LateDegreeModel().build(None, goal(0.7))
    assert controller.estimated is None
    controller.observe(measured(DEGREES, DEGREES))
    assert pytest.approx(0.72) == controller.estimated


def test_a_stream_that_is_ahead_needs_less_slack():
    on_time = [0] * 10
    assert 30 == slack(LateDegreeModel(), goal(1.0), measured(DEGREES, on_time))
    assert 10 == slack(LateDegreeModel(), goal(1.0), measured(DEGREES, on_time, ahead=[25, 5]))
    assert 30 == slack(LateDegreeModel(), goal(1.0), measured(DEGREES, on_time, ahead=[5, 25]))


def test_old_delays_fade():
    once_late = [measured(DEGREES, DEGREES), *[measured([0] * 10, [0] * 10)] * 20]
    assert 0 == slack(LateDegreeModel(decay=0.5), goal(0.99), *once_late)
    assert 0 < slack(LateDegreeModel(decay=1.0), goal(0.99), *once_late)


def test_without_a_join_it_keeps_the_share_of_events_in_order():
    assert 10 == slack(LateDegreeModel(), goal(0.8, ()), measured(DEGREES))
    assert 0 == slack(LateDegreeModel(), Goal(), measured([]))


# 10 events in each stream and second, windows of 30 and 20 ms: 10 * 10 * 0.05 = 5 combinations are due.
ALL, NONE = (joined([(0, True, cross, cross)] * 20) for cross in (0.25, 0.0))


def after(config: LateDegreeModel, made) -> int:
    return slack(config, goal(0.72), *[measured(DEGREES, DEGREES, joined=made)] * 3)


def test_each_interval_has_the_same_target():
    assert 10 == after(LateDegreeModel(), ALL) == after(LateDegreeModel(), NONE)


def test_overall_quality_allows_less_after_a_surplus_and_demands_more_after_a_deficit():
    config = LateDegreeModel(overall=True)
    assert (0, 30) == (after(config, ALL), after(config, NONE))


def test_a_deficit_of_all_intervals_is_made_up_for_in_the_next_one():
    # 2 % too few in each of three intervals: the next must reach 0.72 + 3 * 0.02 = 0.78; with 2 % too many, 0.66.
    few, many = (joined([(0, True, share * 0.25, share * 0.25)] * 20) for share in (0.70, 0.74))
    assert (20, 10) == (after(LateDegreeModel(overall=True), few), after(LateDegreeModel(overall=True), many))


def test_most_limits_what_a_deficit_may_demand():
    # 0.72 + 0.5 * 0.28 = 0.86, for which 20 ms are enough.
    assert 20 == after(LateDegreeModel(overall=True, most=0.5), NONE)


@pytest.mark.parametrize("config", [LateDegreeModel(), LateDegreeModel(overall=True, most=0.5)])
def test_restoring_after_every_prefix_gives_the_same_slacks(config):
    needed = goal(0.9, (200 * MS, 300 * MS))
    undisturbed, slacks = config.build(None, needed), set()
    for measurement in random_measurements(60):
        restored = config.build(json.loads(json.dumps(undisturbed.snapshot())), needed)
        undisturbed.observe(measurement)
        restored.observe(measurement)
        assert undisturbed.snapshot() == restored.snapshot()
        slacks.add(undisturbed.next_slack())
    assert len(slacks) > 5


@pytest.mark.parametrize("share", [0.0, 0.3, 1.0])
def test_how_an_interval_is_cut_into_measurements_makes_no_difference(share):
    config, needed = LateDegreeModel(overall=True), goal(0.9, (200 * MS, 300 * MS))
    whole, parts = config.build(None, needed), config.build(None, needed)
    for measurement in random_measurements(60):
        whole.observe(measurement)
        for part in cut_in_two(measurement, share):
            parts.observe(part)
        assert whole.next_slack() == parts.next_slack()


def test_only_two_streams_can_be_joined():
    with pytest.raises(ParameterError, match=r"must join two streams.*ModelSearch"):
        LateDegreeModel().build(None, goal(0.9, (1, 2, 3)))


@pytest.mark.parametrize("options", [{"decay": 1.1}, {"decay": True}, {"most": -1}, {"granularity": "0 s"}])
def test_parameters_that_cannot_work_are_refused(options):
    with pytest.raises(ParameterError, match=next(iter(options))):
        LateDegreeModel(**options)
