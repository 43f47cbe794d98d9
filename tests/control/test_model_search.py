from __future__ import annotations

import json

import pytest

from slackwater.contracts import Goal
from slackwater.control import ModelSearch
from slackwater.errors import ParameterError
from slackwater.estimate.delay_histogram import MOST_BINS
from slackwater.time import Duration
from tests.control.measurements import MS, SECOND, cut_in_two, joined, measured, random_measurements

PLAIN = ModelSearch(selectivity="eq", calibration="none")


def goal(target: float, *windows: int, period: int = 4) -> Goal:
    return Goal(target, period * SECOND, SECOND, tuple(window * MS for window in windows))


def slack(config: ModelSearch, target: Goal, *measurements) -> int:
    """The slack in ms after these measurements."""
    controller = config.build(None, target)
    for measurement in measurements:
        controller.observe(measurement)
    return controller.next_slack().microseconds // MS


# Of ten events, six come in order, two 10 ms late and two 20 ms late. By hand in tests/models/test_recall.py:
LATE, ON_TIME = [0] * 6 + [10] * 2 + [20] * 2, [0] * 10


@pytest.mark.parametrize(("target", "expected"), [(0.65, 0), (0.66, 10), (0.85, 10), (0.86, 20), (1.0, 20)])
def test_it_takes_the_smallest_slack_that_the_model_allows(target, expected):
    assert expected == slack(PLAIN, goal(target, 20, 20), measured(LATE, ON_TIME))


def test_it_tells_what_it_expects():
    controller = PLAIN.build(None, goal(0.8, 20, 20))
    assert controller.estimated is None
    controller.observe(measured(LATE, ON_TIME))
    assert pytest.approx(0.85) == controller.estimated


def test_a_stream_that_is_ahead_needs_less_slack():
    needed = goal(1.0, 20, 20)
    assert 0 == slack(PLAIN, needed, measured(LATE, ON_TIME, ahead=[25, 5]))
    assert 10 == slack(PLAIN, needed, measured(LATE, ON_TIME, ahead=[20, 5]))


def test_a_join_of_four_streams_needs_more_slack_than_one_of_two():
    # With 10 ms, 0.8 are in order and windows 0.9 full: 0.8 * 0.9 = 0.72, and 0.8 * 0.9^3 = 0.58.
    two, four = goal(0.7, 20, 20), goal(0.7, 20, 20, 20, 20)
    assert (10, 20) == (slack(PLAIN, two, measured(LATE, LATE)), slack(PLAIN, four, measured(*[LATE] * 4)))


def test_without_a_join_it_keeps_the_share_of_events_in_order():
    assert 10 == slack(PLAIN, goal(0.8), measured(LATE))
    assert 20 == slack(PLAIN, Goal(), measured(LATE))


def test_it_waits_for_nothing_before_the_first_event():
    assert 0 == slack(ModelSearch(), goal(0.9, 20, 20), measured([], []))


@pytest.mark.parametrize(
    ("largest", "expected"), [(MOST_BINS - 2, MOST_BINS - 2), (MOST_BINS - 1, MOST_BINS), (MOST_BINS, MOST_BINS + 1)]
)
def test_if_the_largest_delay_is_in_the_bin_of_all_larger_ones_it_waits_longer_than_that(largest, expected):
    config = ModelSearch("eq", granularity="1 ms", basic_window="1 ms", calibration="none")
    assert expected == slack(config, goal(1.0), measured([0, 0, largest]))


# Events in order offer little; those with a delay of 20 ms complete nearly all results.
LATE_ONES_COUNT = joined([(0, True, 100, 1), (20, True, 100, 99)])


def test_unequal_selectivity_waits_for_the_productive_events():
    needed, measurement = goal(0.6, 20, 20), measured(LATE, ON_TIME, joined=LATE_ONES_COUNT)
    assert 0 == slack(ModelSearch("eq", calibration="none"), needed, measurement)
    assert 20 == slack(ModelSearch("noneq", calibration="none"), needed, measurement)


def test_if_no_slack_is_enough_it_waits_longer_than_the_largest_delay():
    elsewhere = joined([(0, True, 100, 1), (90, True, 100, 99)])  # of events that arrived long ago
    chosen = slack(ModelSearch(calibration="none"), goal(0.9, 20, 20), measured(LATE, ON_TIME, joined=elsewhere))
    assert 30 == chosen


# In each interval 10 results are due: either all are produced, or one event that might have had 5 is missing.
ALL = joined([(0, True, 50, 5), (0, True, 50, 5)])
HALF = joined([(0, True, 50, 5), (20, False, 0, 0)])


@pytest.mark.parametrize(
    ("calibration", "after_surplus", "after_deficit"),
    [("literal", 0, 20), ("floor", 20, 20), ("none", 20, 20), ("spread", 10, 20)],
)
def test_calibrations_differ_after_a_surplus(calibration, after_surplus, after_deficit):
    # Of the period's four intervals three are known. Their surplus, spread: .86 - .14 * 3/4 = .755, 10 ms suffice.
    config, needed = ModelSearch("eq", calibration=calibration), goal(0.86, 20, 20)
    assert after_surplus == slack(config, needed, *[measured(LATE, ON_TIME, joined=ALL)] * 4)
    assert after_deficit == slack(config, needed, *[measured(LATE, ON_TIME, joined=HALF)] * 4)


def test_a_deficit_is_forgotten_after_a_period():
    config, needed = ModelSearch("eq"), goal(0.5, 20, 20)
    missed = [measured(LATE, ON_TIME, joined=joined([(0, True, 50, 5), *[(20, False, 0, 0)] * 9]))]
    assert 20 == slack(config, needed, *missed, measured(LATE, ON_TIME, joined=ALL))
    assert 0 == slack(config, needed, *missed, *[measured(LATE, ON_TIME, joined=ALL)] * 3)


def test_a_silence_takes_the_intervals_of_the_period_with_it():
    config, needed = ModelSearch("eq"), goal(0.5, 20, 20)
    missed = measured(LATE, ON_TIME, joined=joined([(0, True, 50, 5), *[(20, False, 0, 0)] * 9]))
    silence = measured([], [], joined=joined(), intervals=9)
    assert 0 == slack(config, needed, missed, silence)


@pytest.mark.parametrize("config", [ModelSearch(), ModelSearch("eq", calibration="spread", out_of_order="mean")])
@pytest.mark.parametrize("streams", [2, 3])
def test_restoring_after_every_prefix_gives_the_same_slacks(config, streams):
    needed = goal(0.9, *[200] * streams)
    undisturbed, slacks = config.build(None, needed), set()
    for measurement in random_measurements(60, streams=streams):
        restored = config.build(json.loads(json.dumps(undisturbed.snapshot())), needed)
        undisturbed.observe(measurement)
        restored.observe(measurement)
        assert undisturbed.next_slack() == restored.next_slack()
        assert undisturbed.snapshot() == restored.snapshot()
        slacks.add(undisturbed.next_slack())
    assert len(slacks) > 5


@pytest.mark.parametrize("share", [0.0, 0.3, 1.0])
def test_how_an_interval_is_cut_into_measurements_makes_no_difference(share):
    whole, parts = (ModelSearch().build(None, goal(0.9, 200, 200)) for _ in range(2))
    for measurement in random_measurements(60):
        whole.observe(measurement)
        for part in cut_in_two(measurement, share):
            parts.observe(part)
        assert whole.snapshot() == parts.snapshot()


def test_another_granularity_keeps_the_slack_and_counts_delays_anew():
    fine, coarse = ModelSearch("eq", calibration="none"), ModelSearch("eq", "20 ms", "20 ms", calibration="none")
    before = fine.build(None, goal(1.0, 20, 20))
    before.observe(measured(LATE, ON_TIME))
    changed = coarse.build(before.snapshot(), goal(1.0, 20, 20))
    assert before.next_slack() == changed.next_slack()
    changed.observe(measured(ON_TIME, ON_TIME))
    assert Duration.ZERO == changed.next_slack()


def test_a_wild_delay_does_not_break_it():
    wild = measured([0, Duration.MAX.microseconds // MS], [0])
    assert Duration.MAX.microseconds // MS == slack(PLAIN, goal(1.0, 20, 20), wild)


def test_delays_past_the_last_bin_are_covered_only_by_waiting_longer_than_the_largest():
    hours = [10_000_000] * 2 + [0] * 8
    assert 10_000_010 == slack(PLAIN, goal(1.0, 20, 20), measured(hours, ON_TIME))
    assert 0 == slack(PLAIN, goal(0.5, 20, 20), measured(hours, ON_TIME))


def test_no_column_of_a_measurement_is_kept():
    controller, measurement = PLAIN.build(None, goal(0.9, 20, 20)), measured(LATE, ON_TIME, joined=ALL)
    controller.observe(measurement)
    before = controller.snapshot()
    for column in (measurement.delays, *(stream.delays for stream in measurement.streams), measurement.joined.cross):
        column[:] = 77
    assert before == controller.snapshot()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"selectivity": "equal"}, "selectivity must be one of noneq, eq"),
        ({"calibration": "off"}, "calibration must be one of"),
        ({"out_of_order": "median"}, "out_of_order must be one of max, mean"),
        ({"granularity": "0 ms"}, "granularity must be > 0"),
        ({"basic_window": "15 ms"}, "basic_window must be a multiple or a whole fraction of the granularity"),
    ],
)
def test_parameters_that_cannot_work_are_refused(options, message):
    with pytest.raises(ParameterError, match=message):
        ModelSearch(**options)


def test_any_multiple_of_the_granularity_will_do_for_a_basic_window():
    needed, measurement = goal(0.86, 20, 20), measured(LATE, ON_TIME)
    sizes = [("5 ms", "10 ms"), ("10 ms", "5 ms"), ("1 ms", "20 ms")]
    slacks = [slack(ModelSearch("eq", *pair, calibration="none"), needed, measurement) for pair in sizes]
    assert [20, 20, 20] == slacks


def test_a_delay_beyond_all_bins_is_waited_for_by_nothing_less_than_itself():
    far = 10 * 3_600 * 1_000  # ten hours
    assert far < slack(PLAIN, goal(0.95), measured([0] * 9 + [far]))
