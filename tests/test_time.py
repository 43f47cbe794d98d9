"""Durations, and every boundary rule."""

from __future__ import annotations

import datetime as dt
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from slackwater.errors import ParameterError
from slackwater.time import (
    BEFORE_ALL_TIME,
    MAX_TIME,
    MIN_TIME,
    Duration,
    advance,
    delay_of,
    intervals_passed,
    is_future,
    is_late,
    is_over_cap,
    is_released,
    release_horizon,
    running_clock,
    window_is_closed,
)


def column(*values: int) -> np.ndarray:
    return np.array(values, np.int64)


@pytest.mark.parametrize(
    ("text", "microseconds"),
    [
        ("5 seconds", 5_000_000),
        ("5s", 5_000_000),
        ("  5   S  ", 5_000_000),
        ("1 minute 30 seconds", 90_000_000),
        ("1.5 ms", 1_500),
        ("250 ms", 250_000),
        ("7 us", 7),
        ("7 µs", 7),
        ("2 h", 7_200_000_000),
        ("1 day", 86_400_000_000),
        ("1 week", 604_800_000_000),
        ("0 seconds", 0),
    ],
)
def test_duration_reads_text_with_a_unit(text, microseconds):
    assert microseconds == Duration.of(text).microseconds


@pytest.mark.parametrize("text", ["", " ", "5", "seconds", "5 parsecs", "1 s -1 s", "1.5 us", "5e3 s", "1,5 s"])
def test_text_that_is_no_duration_is_refused(text):
    with pytest.raises(ParameterError, match="write it with a unit"):
        Duration.of(text)


@pytest.mark.parametrize("value", [5, 5.0, None, True, [1], b"5 s"])
def test_values_without_a_unit_are_refused(value):
    with pytest.raises(ParameterError, match="must be a duration"):
        Duration.of(value)


def test_an_error_names_the_parameter():
    with pytest.raises(ParameterError, match=r"^cap must be a duration with a unit, got '5'"):
        Duration.of("5", parameter="cap")


@pytest.mark.parametrize(
    ("text", "meant"), [("5 secnds", "5 seconds"), ("1 minite 5 s", "1 minute 5 s"), ("2 Huors", "2 hours")]
)
def test_a_misspelled_unit_is_answered_with_the_nearest(text, meant):
    with pytest.raises(ParameterError, match=rf"did you mean {meant}\? write it with a unit"):
        Duration.of(text)


def test_timedelta_is_a_duration():
    assert Duration(1_500_000) == Duration.of(dt.timedelta(seconds=1.5))


def test_negative_timedelta_is_refused():
    with pytest.raises(ParameterError, match="must be >= 0"):
        Duration.of(dt.timedelta(microseconds=-1))


def test_a_duration_stays_itself():
    duration = Duration(7)
    assert duration is Duration.of(duration)


@pytest.mark.parametrize("microseconds", [-1, MAX_TIME - MIN_TIME + 1])
def test_durations_that_could_overflow_are_refused(microseconds):
    with pytest.raises(ParameterError, match="below 10,000 years"):
        Duration(microseconds)


def test_ten_thousand_years_of_text_are_refused():
    with pytest.raises(ParameterError, match="below 10,000 years"):
        Duration.of("4000000 days")


@given(st.integers(0, MAX_TIME - MIN_TIME).map(Duration))
def test_the_text_of_a_duration_reads_back(duration):
    assert duration == Duration.of(str(duration))


def test_durations_are_ordered_by_length():
    assert Duration.ZERO < Duration.of("999 ms") < Duration.of("1 s") < Duration.MAX


def test_only_the_zero_duration_is_false():
    assert [False, True] == [bool(Duration.ZERO), bool(Duration(1))]


def test_a_duration_pickles():
    assert Duration(7) == pickle.loads(pickle.dumps(Duration(7)))


def test_a_duration_is_a_value():
    assert {Duration(1)} == {Duration(1), Duration.of("1 us")}


def test_a_clock_never_moves_backwards():
    assert [(5, True), (5, False), (5, False), (6, True)] == [
        advance(c, t) for c, t in [(None, 5), (5, 4), (5, 5), (5, 6)]
    ]


def test_a_running_clock_is_the_largest_time_so_far():
    assert [1, 4, 4, 5] == running_clock(column(1, 4, 3, 5), None).tolist()


def test_a_running_clock_goes_on_from_the_one_before():
    assert [4, 4, 5] == running_clock(column(1, 3, 5), 4).tolist()


def test_a_running_clock_does_not_change_the_times():
    times = column(3, 1)
    running_clock(times, 2)
    assert [3, 1] == times.tolist()


def test_the_delay_of_an_event_that_moves_the_clock_is_zero():
    assert [2, 0, 0] == delay_of(column(6, 8, 9), 8).tolist()


def test_before_all_time_leaves_every_delay_at_zero_without_overflow():
    assert [0, 0] == delay_of(column(MIN_TIME, MAX_TIME), BEFORE_ALL_TIME).tolist()


def test_the_horizon_is_clock_minus_slack():
    assert [8, -1] == release_horizon(column(10, 1), column(2, 2)).tolist()


def test_the_horizon_of_the_longest_slack_does_not_overflow():
    assert MIN_TIME == release_horizon(MAX_TIME, Duration.MAX.microseconds)


def test_an_event_at_the_horizon_is_released():
    assert [True, True, False] == is_released(column(7, 8, 9), 8).tolist()


def test_an_event_at_what_was_passed_on_is_not_late():
    assert [True, False, False] == is_late(column(7, 8, 9), 8).tolist()


def test_a_delay_equal_to_the_cap_is_not_over_it():
    assert [False, False, True] == is_over_cap(column(2, 3, 4), 3).tolist()


def test_an_event_exactly_max_ahead_is_not_in_the_future():
    assert [False, False, True] == is_future(column(109, 110, 111), 100, 10).tolist()


def test_each_event_has_its_own_processing_time():
    assert [False, True] == is_future(column(110, 110), column(100, 99), 10).tolist()


def test_an_interval_begins_at_its_boundary():
    assert [-1, 0, 0, 1] == intervals_passed(column(-1, 0, 9, 10), 10).tolist()


def test_a_window_closes_when_the_horizon_reaches_its_end():
    assert [True, True, False] == window_is_closed(column(7, 8, 9), 8).tolist()
