from __future__ import annotations

import math

import numpy as np

from slackwater.models.latency import WITH_SPREAD, Situation, normalized_error, passed_on_unready, waited

SECOND = 1_000_000


def test_eq_6_the_features_are_slack_time_of_day_parallelism_and_window():
    at = ((24 + 13) * 3_600 + 5 * 60 + 7) * SECOND
    found = Situation(at=at, slack=2 * SECOND, parallelism=4, window=5 * SECOND).features()
    assert [[2, 13, 5, 7, 4, 5]] == found.tolist()


def test_single_values_hold_for_all_rows():
    found = Situation(at=0, slack=np.array([0, SECOND]), spread=3 * SECOND).features(WITH_SPREAD)
    assert [[0, 3], [1, 3]] == found[:, [0, 6]].tolist()


def test_nobody_waits_longer_than_the_slack_or_than_the_slowest_stream_is_behind():
    assert [1, 3] == waited(np.array([1.0, 9.0]), spread=3).tolist()


def test_a_slack_equal_to_the_spread_waits_for_the_slowest_stream():
    assert [4, 0, 0] == passed_on_unready(np.array([1.0, 2.0, 3.0]), spread=2, events=8).tolist()


def test_where_streams_are_together_nothing_is_passed_on_unready():
    assert [0] == passed_on_unready(np.array([0.0]), spread=0, events=8).tolist()


def test_the_error_is_a_share_of_the_range():
    assert 0.25 == normalized_error(np.array([1.0, 1.0]), np.array([0.0, 2.0])) / 2


def test_the_error_of_values_that_never_change_is_nothing_or_infinite():
    same = np.array([3.0, 3.0])
    assert (0, math.inf) == (normalized_error(same, same), normalized_error(same + 1, same))
