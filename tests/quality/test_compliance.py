"""Compliance rate and average buffer of SUN15, with numbers worked by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from slackwater.errors import ParameterError
from slackwater.quality.compliance import (
    average_buffer,
    compliance_per_ms,
    compliance_rate,
    quality_by_duration,
    waits,
)


def column(*values: int) -> np.ndarray:
    return np.array(values, dtype=np.int64)


def test_a_duration_counts_the_results_of_the_event_time_that_the_windows_passed():
    # [100, 110): 3 of 4; [110, 125): 0 of 2; [125, 130): nothing to find
    produced_time, produced = column(101, 125, 130), column(3, 2, 9)
    true_time, true = column(101, 109, 110, 130), column(3, 1, 2, 9)
    qualities = quality_by_duration(column(100, 110, 125, 130), produced_time, produced, true_time, true)
    assert [0.75, 0.0, 1.0] == qualities.tolist()


def test_durations_in_which_the_windows_did_not_move_are_left_out():
    qualities = quality_by_duration(column(0, 5, 5, 5, 9), column(1), None, column(1, 6), None)
    assert [1.0, 0.0] == qualities.tolist()


def test_no_duration_has_no_quality():
    assert [] == quality_by_duration(column(), column(1), None, column(1), None).tolist()


def test_windows_that_move_back_are_refused():
    with pytest.raises(ParameterError, match="window_end must not go back"):
        quality_by_duration(column(5, 4), column(1), None, column(1), None)


def test_compliance_rate_counts_durations_that_reach_the_expectation():
    assert 0.5 == compliance_rate(np.array([0.75, 0.0, 1.0, 0.95]), expected=0.95)


def test_e17_wait_in_both_buffers():
    assert [17, 30] == waits(np.array([[100, 90], [100, 90]]), np.array([[5, 7], [30, 7]])).tolist()


def test_one_slack_for_all_streams_waits_for_the_skew_as_well():
    # 5 + (100 - 90), 7 + (40 - 10)
    assert [15, 37] == waits(np.array([[90, 100, 95], [10, 20, 40]]), column(5, 7)).tolist()


def test_average_buffer_is_the_mean_over_durations():
    assert 26.0 == average_buffer(np.array([[90, 100], [10, 40]]), column(5, 7))
    assert math.isnan(average_buffer(np.empty((0, 2), np.int64), column()))


def test_compliance_per_ms_is_in_percent():
    assert 3.5 == compliance_per_ms(0.945, 27_000)
    assert math.inf == compliance_per_ms(0.8, 0)
