"""The smallest constant slack, and the smallest per interval."""

from __future__ import annotations

import numpy as np
import pytest

from slackwater.errors import ParameterError
from slackwater.quality.hindsight import best_per_interval, smallest_constant


def step_at(edge: int):
    """A run that reaches the share from a slack on, and counts its calls."""
    calls = []

    def run(slack: int) -> float:
        calls.append(slack)
        return 1.0 if slack >= edge else 0.5

    return run, calls


@pytest.mark.parametrize("edge", range(0, 101, 7))
def test_bisection_finds_the_smallest_slack_of_the_grid(edge):
    run, calls = step_at(edge)
    found = smallest_constant(run, 0.95, low=0, high=100, granularity=10)
    assert -(-edge // 10) * 10 == found.slack
    assert found.monotone
    assert len(calls) == len(set(calls)) <= 7


def test_the_grid_starts_at_low_and_ends_at_high():
    run, calls = step_at(23)
    assert 25 == smallest_constant(run, 0.95, low=5, high=25, granularity=8).slack
    assert set(calls) <= {5, 13, 21, 25}


def test_low_itself_may_do():
    run, calls = step_at(0)
    assert 0 == smallest_constant(run, 0.95, low=0, high=100, granularity=10).slack
    assert [0, 10, 100] == sorted(calls)


def test_no_slack_is_found_where_the_largest_is_too_small():
    run, calls = step_at(101)
    found = smallest_constant(run, 0.95, low=0, high=100, granularity=10)
    assert (None, [100], {100: 0.5}) == (found.slack, calls, found.evaluations)


def test_a_range_of_one_slack_is_tried_once():
    run, calls = step_at(5)
    assert 5 == smallest_constant(run, 0.95, low=5, high=5, granularity=10).slack
    assert [5] == calls


def test_a_neighbor_above_that_fails_is_reported():
    shares = {0: 0.0, 10: 0.0, 20: 0.0, 30: 1.0, 40: 0.5, 50: 1.0, 60: 1.0}
    found = smallest_constant(shares.__getitem__, 0.95, low=0, high=60, granularity=10)
    assert (30, False) == (found.slack, found.monotone)


@pytest.mark.parametrize(("low", "high", "granularity"), [(0, 10, 0), (20, 10, 1), (-1, 10, 1)])
def test_a_search_that_cannot_work_is_refused(low, high, granularity):
    with pytest.raises(ParameterError):
        smallest_constant(lambda slack: 1.0, 0.95, low, high, granularity)


def test_each_interval_has_a_smallest_slack_of_its_own():
    surface = np.array([[1.0, 0.8, 0.1, 0.9], [1.0, 0.9, 0.2, 0.8], [1.0, 1.0, 0.3, 1.0]])
    best = best_per_interval(surface, np.array([0, 10, 30]), target=0.9)
    assert ([0, 10, 30, 0], [True, True, False, True]) == (best.slack.tolist(), best.reached.tolist())
    assert 10.0 == best.average


def test_a_surface_needs_a_row_for_each_ascending_slack():
    with pytest.raises(ParameterError, match="recall_surface"):
        best_per_interval(np.ones((2, 3)), np.array([0, 10, 20]), target=0.9)
    with pytest.raises(ParameterError, match="slacks"):
        best_per_interval(np.ones((2, 3)), np.array([10, 0]), target=0.9)
