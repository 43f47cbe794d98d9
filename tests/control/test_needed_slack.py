"""The default controller for recall."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from slackwater.contracts import Goal
from slackwater.control import NeededSlack
from slackwater.errors import ParameterError
from slackwater.estimate.kernels import bin_of_one
from slackwater.estimate.needed_slack import slack_of_bin
from slackwater.measurement import Counts, Measurement, NeededSlacks

SECOND = 1_000_000
GOAL = Goal(target=0.9, period=60 * SECOND, interval=SECOND, windows=(5 * SECOND, 5 * SECOND))
NONE = np.empty(0, np.int64)


def interval(slacks, weights, *, recall=None, lags=None, closes=True) -> Measurement:
    slack = np.array(slacks, np.int64)
    late = (slack[slack > 0] if lags is None else np.array(lags, np.int64),)
    needs = NeededSlacks(slack, np.array(weights, float), late, (100,), recall)
    return Measurement(at=0, intervals=int(closes), slack=0, max_delay=0, delays=NONE, counts=Counts(), needs=needs)


def slack_after(controller, measurements) -> float:
    for each in measurements:
        controller.observe(each)
    return controller.next_slack().microseconds / SECOND


def steady(count=300, late=20, **options):
    """Of 100 results, `late` need 2 s, five need 5 s."""
    return [interval([0, 2 * SECOND, 5 * SECOND], [95 - late, late, 5], **options)] * count


def test_it_waits_for_what_all_but_a_tolerable_share_needed():
    assert 2.0 == pytest.approx(slack_after(NeededSlack().build(None, GOAL), steady()), rel=0.02)


def test_a_share_of_exactly_the_target_is_enough():
    goal, quarter = replace(GOAL, target=0.75), [interval([0, 2 * SECOND], [75, 25], lags=[2 * SECOND] * 25)] * 60
    assert 0 == slack_after(NeededSlack(tolerance=0).build(None, goal), quarter)


def test_a_stricter_target_waits_for_the_rest():
    goal = Goal(target=0.99, period=GOAL.period, interval=GOAL.interval, windows=GOAL.windows)
    assert 5.0 == pytest.approx(slack_after(NeededSlack().build(None, goal), steady()), rel=0.02)


def test_where_nothing_is_late_it_does_not_wait():
    assert 0 == slack_after(NeededSlack().build(None, GOAL), [interval([0], [100])] * 200)


def test_it_begins_with_the_longest_lag_seen():
    assert 5.0 == slack_after(NeededSlack().build(None, GOAL), steady(3))


def test_it_never_waits_longer_than_any_event_needed():
    controller = NeededSlack().build(None, Goal(1.0, GOAL.period, GOAL.interval, GOAL.windows))
    assert 5.0 == slack_after(controller, steady(400, recall=0.5))


def test_a_change_for_the_worse_counts_within_a_quarter_of_a_period():
    controller = NeededSlack().build(None, GOAL)
    slack_after(controller, steady())
    worse = [interval([0, 2 * SECOND, 5 * SECOND], [50, 20, 30])] * 15
    assert 5.0 == pytest.approx(slack_after(controller, worse), rel=0.02)


def test_a_change_for_the_better_counts_in_time():
    controller = NeededSlack().build(None, GOAL)
    slack_after(controller, steady())
    assert 0 == slack_after(controller, [interval([0], [100])] * 1_500)


def test_violations_make_it_more_cautious():
    noisy = [interval([0, SECOND, 3 * SECOND], [80, 20 - n, n]) for n in (0, 0, 0, 12)] * 100
    calm, alarmed = ([_with_recall(each, recall) for each in noisy] for recall in (0.95, 0.88))
    assert slack_after(NeededSlack().build(None, GOAL), calm) < slack_after(NeededSlack().build(None, GOAL), alarmed)


def test_without_results_events_say_how_long_to_wait():
    lags = np.repeat([0, 3 * SECOND], [85, 15])
    quiet = [interval([], [], lags=lags[lags > 0])] * 50
    assert 3.0 == pytest.approx(slack_after(NeededSlack().build(None, GOAL), quiet), rel=0.02)


def test_a_part_of_an_interval_changes_nothing_yet():
    controller = NeededSlack().build(None, GOAL)
    before = slack_after(controller, steady())
    part = interval([9 * SECOND], [10_000], closes=False)
    assert before == slack_after(controller, [part])


def test_it_goes_on_from_its_snapshot():
    whole, measurements = NeededSlack().build(None, GOAL), steady(150) + steady(30, late=40, recall=0.8)
    parts = NeededSlack().build(None, GOAL)
    for each in measurements:
        whole.observe(each)
        parts.observe(each)
        parts = NeededSlack().build(json.loads(json.dumps(parts.snapshot())), GOAL)
        assert whole.next_slack() == parts.next_slack()


def test_after_two_blocks_results_decide():
    controller = NeededSlack().build(None, GOAL)  # a block is five seconds
    assert 5.0 == slack_after(controller, steady(9))
    assert 2.0 == pytest.approx(slack_after(controller, steady(1)), rel=0.02)


def test_where_a_period_has_few_intervals_each_is_a_block():
    controller = NeededSlack().build(None, replace(GOAL, period=3 * SECOND))
    assert 3.0 == slack_after(controller, steady(1))  # no longer than a period
    assert 2.0 == pytest.approx(slack_after(controller, steady(1)), rel=0.02)


def test_intervals_in_which_nothing_was_late_count_in_full():
    calm, late = interval([0], [100]), interval([0, 2 * SECOND], [75, 25])
    assert 0 == slack_after(NeededSlack().build(None, GOAL), [calm, calm, late, calm, calm] * 60)


def test_each_violation_raises_the_caution_by_a_tenth_less_what_may_happen():
    controller = NeededSlack(violations=0.2).build(None, GOAL)
    slack_after(controller, steady(60, recall=0.5))  # the last one completes a period
    assert 2.33 + 0.1 * 0.8 == pytest.approx(controller.snapshot()["deviations"])


@pytest.mark.parametrize(("recall", "caution"), [(0.5, 12.0), (0.95, 0.5)])
def test_caution_has_bounds(recall, caution):
    controller = NeededSlack(violations=0.5).build(None, GOAL)
    slack_after(controller, steady(300, recall=recall))
    assert caution == controller.snapshot()["deviations"]


def test_a_period_that_misses_nothing_keeps_even_a_target_of_all():
    controller = NeededSlack().build(None, replace(GOAL, target=1.0))
    slack_after(controller, steady(100, recall=1.0))
    assert 2.33 > controller.snapshot()["deviations"]


def test_at_the_cap_violations_raise_no_caution():
    controller = NeededSlack().build(None, replace(GOAL, cap=SECOND))
    assert 1.0 == slack_after(controller, steady(100, recall=0.5))
    assert 2.33 == controller.snapshot()["deviations"]


@pytest.mark.parametrize(("recall", "slack"), [(0.8885, 2.0), (0.8887, 1.0)])
def test_what_the_last_period_lacks_is_aimed_at_twelve_times(recall, slack):
    controller = NeededSlack(violations=0.0).build(None, GOAL)  # .891 is still kept
    some = {"weights": [0, 92_000, 5_000, 3_000], "lags": [5 * SECOND]}
    alike = [interval([0, SECOND, 2 * SECOND, 5 * SECOND], **some)] * 500
    short = [_with_recall(each, recall) for each in alike[:5]]
    assert slack == pytest.approx(slack_after(controller, alike + short), rel=0.02)


def test_it_aims_at_most_half_way_to_all():
    controller = NeededSlack().build(None, GOAL)
    some = {"weights": [80, 15.5, 4.5], "lags": [5 * SECOND]}
    alike = [interval([0, 2 * SECOND, 5 * SECOND], recall=0.1, **some)] * 500
    assert 2.0 == pytest.approx(slack_after(controller, alike), rel=0.02)


def test_where_nothing_is_joined_every_event_is_a_result():
    delays = np.repeat([0, 1, 3 * SECOND], [60, 25, 15])
    plain = Measurement(at=0, intervals=1, slack=0, max_delay=3 * SECOND, delays=delays, counts=Counts())
    assert 3.0 == pytest.approx(slack_after(NeededSlack().build(None, GOAL), [plain] * 50), rel=0.02)
    assert 1e-6 == slack_after(NeededSlack().build(None, replace(GOAL, target=0.8)), [plain] * 50)


def test_an_event_that_stands_for_many_counts_as_all_of_them():
    one, many = NeededSlack().build(None, GOAL), NeededSlack().build(None, GOAL)
    delays, weights = np.array([0, 1, 3 * SECOND]), np.array([60, 25, 15])
    some = {"at": 0, "intervals": 1, "slack": 0, "max_delay": 3 * SECOND, "counts": Counts()}
    slack_after(one, [Measurement(delays=np.repeat(delays, weights), **some)] * 12)
    slack_after(many, [Measurement(delays=delays, weights=weights, **some)] * 12)
    assert one.snapshot() == many.snapshot()


@pytest.mark.parametrize(("name", "value"), [("violations", 2), ("tolerance", -1), ("memory", 0)])
def test_bad_parameters_are_refused(name, value):
    with pytest.raises(ParameterError, match=name):
        NeededSlack(**{name: value})


def _with_recall(measurement, recall):
    return replace(measurement, needs=replace(measurement.needs, recall=recall))


def test_delays_teach_the_same_with_weights_of_one_to_the_last_bit():
    random, goal = np.random.default_rng(1), Goal(interval=1_000_000, period=60_000_000, target=0.99)
    plain, weighed = (NeededSlack().build(goal=goal) for _ in range(2))
    for at in range(1, 40):
        delays = random.integers(-300_000, 1_000_000, 200).clip(0)
        told = Measurement(
            at=at, intervals=1, slack=0, max_delay=int(delays.max()), delays=delays, counts=Counts(), kept=0.98
        )
        plain.observe(told)
        weighed.observe(replace(told, weights=np.ones(200, np.int64)))
    assert weighed.snapshot() == plain.snapshot()


class Asked:
    """Notes what each memory is asked to be counted on for, and answers with a bin."""

    def __init__(self, *bins: int):
        self.bins, self.aims, self.priors, self.options = list(bins), [], [], []

    def __call__(self, sums, prior, results, aim, **options):
        self.aims.append(aim)
        self.priors.append(results)
        self.options.append((options["deviations"], options["of_mean"], options["lasting"]))
        return self.bins[(len(self.aims) - 1) % len(self.bins)]


@pytest.fixture
def asked(monkeypatch):
    noted = Asked(0)
    monkeypatch.setattr("slackwater.control.needed_slack.first_to_count_on", noted)
    return noted


SHORT = replace(GOAL, period=3 * SECOND)  # each interval is a block


def test_the_shortest_memory_is_half_as_cautious_and_the_longest_looks_for_trouble_that_lasts(asked):
    slack_after(NeededSlack().build(None, SHORT), steady(2))
    assert [(2.33, 1.0, True), (2.33, 1.0, False), (2.33 / 2, 0.5, False)] == asked.options
    assert [30] * 3 == asked.priors


@pytest.mark.parametrize(("recall", "aim"), [(None, 0.891), (0.9, 0.891), (0.89, 0.903), (0.5, 0.9455)])
def test_it_aims_at_the_target_less_the_tolerance_and_at_more_while_it_falls_short(asked, recall, aim):
    slack_after(NeededSlack().build(None, SHORT), steady(2, recall=recall))
    assert [pytest.approx(aim)] * 3 == asked.aims[:3]


@pytest.mark.parametrize("place", range(3))
def test_the_largest_slack_that_any_memory_asks_for_is_waited(asked, place):
    asked.bins = [100] * 3
    asked.bins[place] = bin_of_one(2 * SECOND)
    waited = slack_after(NeededSlack().build(None, SHORT), steady(2))
    assert slack_of_bin(asked.bins[place]) == round(waited * SECOND)


def test_nothing_is_decided_before_a_block_is_complete_unless_the_last_period_falls_short(asked):
    controller = NeededSlack().build(None, GOAL)  # a block has five intervals
    slack_after(controller, steady(14))
    assert 3 == len(asked.aims)
    slack_after(controller, steady(1))
    assert 6 == len(asked.aims)
    slack_after(controller, steady(1, recall=0.95))
    assert 6 == len(asked.aims)
    slack_after(controller, steady(1, recall=0.85))
    assert 9 == len(asked.aims)


def test_what_is_expected_is_what_the_longest_memory_knows_of_the_slack(asked):
    asked.bins = [bin_of_one(2 * SECOND)]
    controller = NeededSlack().build(None, SHORT)
    slack_after(controller, steady(2))
    assert 0.95 == pytest.approx(controller.estimated)
    capped = NeededSlack().build(None, replace(SHORT, cap=SECOND))
    slack_after(capped, steady(2))
    assert 0.75 == pytest.approx(capped.estimated)


def test_what_is_remembered_of_blocks_of_another_length_is_forgotten_but_for_the_slack_and_the_longest_lag():
    controller = NeededSlack().build(None, SHORT)
    slack_after(controller, steady(2))
    saved = controller.snapshot()
    again = NeededSlack().build(saved, replace(SHORT, period=4 * SECOND)).snapshot()
    assert (saved["slack"], 5 * SECOND, 0, 2.33) == tuple(
        again[name] for name in ("slack", "longest", "complete", "deviations")
    )
    assert saved == NeededSlack().build(saved, SHORT).snapshot()


def test_before_anything_is_known_it_waits_for_the_longest_lag_but_no_longer_than_the_cap_or_a_period():
    assert [5.0, 4.0, 3.0] == [
        slack_after(NeededSlack().build(None, goal), steady(1)) for goal in (GOAL, replace(GOAL, cap=4 * SECOND), SHORT)
    ]


def test_the_longest_lag_is_that_of_any_stream():
    lags = (np.array([3 * SECOND, SECOND]), NONE, np.array([2 * SECOND]))
    needs = NeededSlacks(np.array([0]), np.ones(1), lags, (10, 10, 10), None)
    assert 3.0 == slack_after(NeededSlack().build(None, GOAL), [replace(interval([0], [1]), needs=needs)])


@pytest.mark.parametrize(
    ("recall", "caution"), [(0.95, 2.33 - 0.1 * 0.2), (0.891, 2.33 - 0.1 * 0.2), (0.5, 2.33 + 0.1 * 0.8)]
)
def test_only_a_period_that_falls_short_raises_the_caution(asked, recall, caution):
    controller = NeededSlack(violations=0.2).build(None, SHORT)
    slack_after(controller, [*steady(2), *steady(1, recall=recall)])
    assert caution == pytest.approx(controller.snapshot()["deviations"])
