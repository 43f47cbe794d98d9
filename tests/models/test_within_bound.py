"""The share of results within a bound, slack by slack."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from slackwater.estimate.needed_slack import slack_of_bin
from slackwater.measurement import RecentWindows
from slackwater.models.within_bound import Shares, shares_within, smallest_bin


def shares_one_by_one(windows: RecentWindows, half_life: float) -> list[tuple[float, float]]:
    """Of each slack: its share and by how many results it is known, from the windows twice as old as it."""
    count, bins = windows.kept.shape
    shares = []
    for number in range(bins):
        kept = known = 0.0
        for window in range(count):
            if windows.age[window] >= 2 * slack_of_bin(number):
                weight = 0.5 ** ((count - 1 - window) / half_life)
                kept += weight * windows.kept[window, number]
                known += weight * windows.results[window]
        shares.append((kept / known if known else math.nan, known))
    return shares


@given(st.lists(st.integers(0, 30), max_size=8), st.integers(1, 12), st.sampled_from([0.5, 2.0, 100.0]), st.data())
def test_every_slack_is_judged_by_the_windows_that_are_twice_as_old(ages, bins, half_life, data):
    results = np.array([data.draw(st.integers(1, 5)) for _ in ages], float)
    kept = np.array([[data.draw(st.integers(0, int(most))) for _ in range(bins)] for most in results], float)
    windows = RecentWindows(np.array(sorted(ages, reverse=True), np.int64), results, kept.reshape(-1, bins), None)
    found = shares_within(windows, half_life=half_life)
    expected = shares_one_by_one(windows, half_life)
    assert pytest.approx([share for share, _ in expected], nan_ok=True) == found.within.tolist()
    assert pytest.approx([known for _, known in expected], abs=1e-9) == found.results.tolist()


def test_where_no_share_is_enough_the_last_slack_is_taken():
    assert 2 == smallest_bin(Shares(np.array([0.1, 0.2, np.nan]), np.full(3, 9.0)), 0.9)


def test_rounding_does_not_cost_a_bin():
    assert 0 == smallest_bin(Shares(np.array([0.9 - 1e-15, 1.0]), np.full(2, 9.0)), 0.9)


def test_doubt_is_a_deviation_of_the_share_that_is_asked_for():
    deviation = math.sqrt(0.9 * 0.1 / 25)
    shares = Shares(0.9 - 2 * deviation + np.array([-1e-6, 1e-6, 1.0]), np.full(3, 25.0))
    assert 1 == smallest_bin(shares, 0.9, doubt=2)


def test_less_than_one_result_counts_as_one():
    shares = Shares(np.array([0.9 - 1.01 * 0.3, 0.9 - 0.99 * 0.3, 1.0]), np.full(3, 0.25))
    assert 1 == smallest_bin(shares, 0.9, doubt=1)
