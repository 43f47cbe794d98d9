"""Average slack and result latency, with numbers worked by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from slackwater.errors import ParameterError
from slackwater.quality.latency import average_slack, result_latency


def column(*values: int) -> np.ndarray:
    return np.array(values, dtype=np.int64)


def test_average_slack_over_time_weighs_each_slack_by_how_long_it_held():
    # (10 * 1 + 20 * 4 + 60 * 5) / 10 and (10 + 20 + 60) / 3
    assert (39.0, 30.0) == average_slack(column(100, 101, 105), column(10, 20, 60), end=110)


def test_average_slack_of_a_single_instant_is_the_mean():
    assert (15.0, 15.0) == average_slack(column(7, 7), column(10, 20), end=7)


def test_average_slack_without_adaptations_is_unknown():
    assert all(math.isnan(value) for value in average_slack(column(), column(), end=7))


def test_average_slack_that_ends_before_its_last_adaptation_is_refused():
    with pytest.raises(ParameterError, match="at must not go back"):
        average_slack(column(0, 10), column(1, 2), end=9)


def test_result_latency_is_how_far_the_clock_was_past_the_result():
    # latencies 1 .. 100 in any order
    latency = np.random.default_rng(1).permutation(np.arange(1, 101))
    assert (50.5, 50.0, 99.0) == result_latency(np.full(100, 1_000), 1_000 + latency)


def test_result_latency_weighs_by_the_number_of_results():
    # 0 three times, 8 once: mean 2
    assert (2.0, 0.0, 8.0) == result_latency(column(5, 5), column(13, 5), column(1, 3))


def test_result_latency_without_results_is_unknown():
    assert all(math.isnan(value) for value in result_latency(column(), column()))
    assert all(math.isnan(value) for value in result_latency(column(5), column(6), column(0)))
