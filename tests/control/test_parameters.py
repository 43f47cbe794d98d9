"""What controllers check and read: bounds, and what cannot be a number."""

from __future__ import annotations

import pytest

from slackwater.contracts import NO_GOAL, Goal
from slackwater.control.parameters import (
    arrivals_of,
    check_choice,
    check_count,
    check_share,
    drop_ratio_of,
    positive_duration,
    remembered,
    slack_of,
    target_of,
)
from slackwater.errors import ParameterError
from slackwater.time import Duration
from tests.control.measurements import measured


@pytest.mark.parametrize("value", [0, 1, 0.5, 0.0, 1.0])
def test_a_share_is_a_number_from_0_to_1(value):
    check_share("some", value)


@pytest.mark.parametrize("value", [-1e-9, 1 + 1e-9, True, False, "0.5", None, float("nan")])
def test_anything_else_is_no_share(value):
    with pytest.raises(ParameterError, match="some must be in"):
        check_share("some", value)


@pytest.mark.parametrize("value", [3, 4])
def test_a_count_is_a_whole_number_from_the_least_on(value):
    check_count("some", value, least=3)


@pytest.mark.parametrize("value", [2, True, 3.0, "3", None])
def test_anything_else_is_no_count(value):
    with pytest.raises(ParameterError, match="some must be a whole number >= 3"):
        check_count("some", value, least=3)


def test_true_is_no_count_of_one():
    with pytest.raises(ParameterError, match="some"):
        check_count("some", True, least=0)


def test_a_choice_that_has_no_meaning_is_refused():
    check_choice("some", "b", ("a", "b"))
    with pytest.raises(ParameterError, match="be one of a, b"):
        check_choice("some", "c", ("a", "b"))


def test_a_duration_of_nothing_is_refused():
    assert Duration(1) == positive_duration("some", "1 us")
    with pytest.raises(ParameterError, match="some"):
        positive_duration("some", "0 ms")


def test_a_slack_is_so_many_bins_and_never_longer_than_a_duration_can_be():
    longest = Duration.MAX.microseconds
    assert [30, longest, longest] == [slack_of(3, 10), slack_of(longest, 1), slack_of(longest, 2)]


@pytest.mark.parametrize(
    ("target", "ratio"),
    [(0.999, 0.001), (None, 1e-12), (1.0, 1e-12), (0.0, 1 - 1e-12), (1 - 1e-11, 1e-11)],
)
def test_what_may_be_late_is_what_need_not_be_kept_but_never_nothing_or_all(target, ratio):
    assert ratio == drop_ratio_of(Goal(target))


def test_without_a_target_nothing_may_be_lost():
    assert (1.0, 0.25) == (target_of(NO_GOAL), target_of(Goal(0.25)))


def test_without_a_join_all_events_are_one_stream():
    two = measured([3, 0], [5])
    assert [[3_000, 0, 5_000]] == [each.delays.tolist() for each in arrivals_of(two, NO_GOAL)]
    assert [[0, 0, 0]] == [each.ahead.tolist() for each in arrivals_of(two, NO_GOAL)]
    assert two.streams == arrivals_of(two, Goal(0.9, windows=(1, 1)))


def test_delays_counted_in_another_granularity_are_forgotten_but_not_the_slack():
    state = {"granularity": 10, "slack": 7, "more": 1}
    assert state == remembered(state, 10)
    assert ({"slack": 7}, {"slack": 0}) == (remembered(state, 20), remembered(None, 20))
