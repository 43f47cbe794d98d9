from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from slackwater.models.recall import (
    StreamModel,
    instant_requirement,
    probing_weights,
    recall_by_slack,
    selectivity_ratio,
    smallest_slack,
    true_size,
)


def predict(streams, *, granularity=10, basic_window=10, candidates=6):
    return recall_by_slack(streams, granularity=granularity, basic_window=basic_window, candidates=candidates)


def brute_force(streams, slack: int, granularity: int, basic_window: int) -> float:
    """Eq. 2 to 5 as printed, by loops over delays and basic windows; rates are 1."""

    def late(stream, d):  # f_{D^K}
        shift = math.floor((slack + stream.sync_slack) / granularity)
        f = [*stream.probability, *[0.0] * (d + shift)]
        return sum(f[: shift + 1]) if d == 0 else f[d + shift]

    def window_size(stream):  # sum of |w^l| of eq. 3
        n = math.ceil(stream.window / basic_window)
        total = 0.0
        for basic in range(1, n + 1):
            width = basic_window if basic < n else stream.window - (n - 1) * basic_window
            upto = math.floor((basic - 1) * basic_window / granularity)
            total += width * sum(late(stream, d) for d in range(upto + 1))
        return total

    produced = true = 0.0
    for i, probing in enumerate(streams):
        others = [stream for j, stream in enumerate(streams) if j != i]
        produced += late(probing, 0) * math.prod(window_size(stream) for stream in others)
        true += math.prod(stream.window for stream in others)
    return produced / true


distributions = st.lists(st.integers(0, 9), min_size=1, max_size=8).filter(any).map(lambda n: np.array(n) / sum(n))
HALVES = st.integers(0, 120).map(lambda number: number / 2)  # exact: a slack just below a bin belongs to the bin below
streams_of = st.builds(StreamModel, probability=distributions, sync_slack=HALVES, window=st.integers(1, 120))


@given(
    st.lists(streams_of, min_size=2, max_size=4),
    st.sampled_from([(10, 10), (10, 5), (5, 10), (10, 30), (10, 1), (10, 200)]),
)
def test_the_prediction_agrees_with_equations_2_to_5_by_loops(streams, sizes):
    granularity, basic_window = sizes
    expected = [brute_force(streams, k * granularity, granularity, basic_window) for k in range(6)]
    predicted = predict(streams, granularity=granularity, basic_window=basic_window)
    assert pytest.approx(expected) == predicted.tolist()


@given(st.lists(streams_of, min_size=1, max_size=4))
def test_more_slack_never_predicts_less_recall(streams):
    assert (np.diff(predict(streams, candidates=20)) >= -1e-12).all()


@given(st.lists(streams_of, min_size=1, max_size=4))
def test_a_slack_of_the_largest_delay_predicts_all_results(streams):
    largest = max(len(stream.probability) for stream in streams)
    assert pytest.approx(1.0, abs=1e-12) == predict(streams, candidates=largest)[-1]


def test_two_streams_by_hand():
    # K = 0: in order .6 and 1; windows of 2 basic windows: (.6 + .8)/2 = .7 and 1. Equal windows weigh 1/2 each:
    # (.6 * 1 + 1 * .7) / 2 = .65. K = g: .8, (.8 + 1)/2 = .9 -> (.8 + .9)/2 = .85.
    late, on_time = StreamModel(np.array([0.6, 0.2, 0.2]), window=20), StreamModel(np.array([1.0]), window=20)
    assert [0.65, 0.85, 1.0] == predict([late, on_time], candidates=3).round(12).tolist()


def test_the_synchronizer_counts_as_slack_rounded_down():
    late = np.array([0.5, 0.25, 0.25])
    assert [0.75] == predict([StreamModel(late, sync_slack=19.9)], candidates=1).tolist()


def test_a_single_stream_gives_the_share_in_order():
    assert [0.6, 0.8, 1.0] == predict([StreamModel(np.array([0.6, 0.2, 0.2]))], candidates=3).round(12).tolist()


def test_one_basic_window_counts_in_order_events_only():
    late = StreamModel(np.array([0.6, 0.4]), window=100)
    assert 0.36 == pytest.approx(predict([late, late], basic_window=100, candidates=1)[0])


def test_a_long_window_takes_no_longer():
    day = StreamModel(np.array([0.5, 0.5]), window=86_400_000_000)
    assert pytest.approx(0.5, abs=1e-6) == predict([day, day], granularity=10, candidates=1)[0]


def test_windows_of_zero_length_weigh_the_same():
    assert [0.5, 0.5] == probing_weights([0, 0]).tolist()


def test_the_true_size_by_hand():
    # r = (.5, .25, 1), L = 100, W = (10, 20, 30): .125 * 100 * (20*30 + 10*30 + 10*20) = 13,750
    assert 13_750 == true_size([0.5, 0.25, 1], [10, 20, 30], span=100)


def test_the_selectivity_ratio_by_hand():
    # sel(0) = 1/10, sel(g) = 4/20, sel(2g) = sel = 4/40
    cross, results = np.array([10.0, 10.0, 20.0]), np.array([1.0, 3.0, 0.0])
    assert [1.0, 2.0, 1.0, 1.0] == selectivity_ratio(cross, results, 4).tolist()


def test_an_empty_sum_gives_a_ratio_of_one():
    assert [1.0, 1.0] == selectivity_ratio(np.array([0.0, 5.0]), np.array([0.0, 1.0]), 2).tolist()
    assert [1.0, 1.0] == selectivity_ratio(np.zeros(0), np.zeros(0), 2).tolist()
    assert [1.0, 1.0] == selectivity_ratio(np.array([3.0]), np.array([0.0]), 2).tolist()


@pytest.mark.parametrize(("produced", "required"), [(590, 0.0), (531, 0.9), (472, 1.0)])
def test_e6_the_instant_requirement(produced, required):
    assert required == instant_requirement(0.9, produced=produced, true=590, next_true=10)


@pytest.mark.parametrize(
    ("calibration", "surplus", "deficit"),
    [("literal", 0.4, 1.0), ("floor", 0.9, 1.0), ("spread", 0.9 - 5 / 600, 0.9 + 5 / 600), ("none", 0.9, 0.9)],
)
def test_calibrations_ask_differently_for_what_is_missing(calibration, surplus, deficit):
    def ask(produced):
        return instant_requirement(0.9, produced=produced, true=590, next_true=10, calibration=calibration)

    assert (pytest.approx(surplus), pytest.approx(deficit)) == (ask(536), ask(526))


def test_the_target_itself_is_required_while_nothing_is_known():
    assert 0.9 == instant_requirement(0.9, produced=0, true=0, next_true=0)


def test_the_smallest_slack_that_is_enough():
    predicted = np.array([0.5, 0.9, 0.8, 1.0])
    assert (0, 1, 3, None) == tuple(smallest_slack(predicted, need) for need in (0.0, 0.9, 0.95, 1.1))
