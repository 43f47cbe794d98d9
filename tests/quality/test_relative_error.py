"""Errors of emitted values, and the constant slack that would have kept a bound."""

from __future__ import annotations

import numpy as np
import pytest

from slackwater.errors import ParameterError
from slackwater.models.relative_error import is_within, relative_error
from slackwater.quality.relative_error import Values, errors, errors_of, smallest_slack

INF = float("inf")
NAN = float("nan")


@pytest.mark.parametrize(
    ("emitted", "true", "error"),
    [
        (97.0, 100.0, 0.03),
        (103.0, 100.0, 0.03),
        (-97.0, -100.0, 0.03),
        (-1.0, 1.0, 2.0),
        (0.0, 5.0, 1.0),
        (5.0, 0.0, INF),
        (0.0, 0.0, 0.0),
        (NAN, NAN, 0.0),
        (1.0, NAN, INF),
        (NAN, 1.0, INF),
        (INF, INF, 0.0),
        (INF, -INF, INF),
        (1.0, INF, INF),
    ],
)
def test_the_error_of_a_value(emitted, true, error):
    assert pytest.approx(error) == relative_error(np.array([emitted]), np.array([true]))[0]


def test_nulls_are_the_same_as_each_other_and_unlike_any_value():
    valid, due = np.array([True, False, True, False]), np.array([True, False, False, True])
    numbers = np.array([1, 1, 1, 1])
    assert [0, 0, INF, INF] == relative_error(numbers, numbers, emitted_valid=valid, true_valid=due).tolist()


def test_an_error_equal_to_the_bound_is_within_it():
    assert is_within(relative_error(np.array([0.97]), np.array([1.0])), 0.03).all()


def test_the_error_of_a_result_is_the_largest_of_its_values():
    true = [Values(np.array([10.0])), Values(np.array([10.0]))]
    emitted = [Values(np.array([9.0])), Values(np.array([5.0]))]
    assert [0.5] == errors_of(emitted, true, np.array([0])).tolist()


def test_a_result_that_was_never_emitted_is_missing():
    found = errors(errors_of([Values(np.array([1]))], [Values(np.array([1, 1]))], np.array([0, -1])), 0.03)
    assert (0.5, 1) == (found.within, found.missing)


def test_without_results_every_bound_is_kept():
    assert 1.0 == errors(np.empty(0), 0.03).within


def test_more_slack_that_does_not_help_is_not_taken_for_enough():
    # of two results one is within the bound from 0 on, the other from 2 to 5 only, and again from 9 on
    slack, change = np.array([0, 2, 5, 9]), np.array([1, 1, -1, 1])
    assert 2 == smallest_slack(slack, change, 2, 1.0)


def test_changes_at_the_same_slack_count_together():
    slack, change = np.array([3, 3, 7]), np.array([1, -1, 1])
    assert 7 == smallest_slack(slack, change, 1, 1.0)


@pytest.mark.parametrize("share", [0, 1.1])
def test_a_share_that_is_none_is_refused(share):
    with pytest.raises(ParameterError, match="share must be > 0 and <= 1"):
        smallest_slack(np.array([0]), np.array([1]), 1, share)
