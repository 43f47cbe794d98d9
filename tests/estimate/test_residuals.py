from __future__ import annotations

import json

import numpy as np
import pytest

from slackwater.estimate.residuals import ENOUGH, REMEMBERED, Residuals


def told(errors, *, confidence=0.9, age=0) -> Residuals:
    residuals = Residuals(functions=1, confidence=confidence)
    residuals.update(age, np.asarray(errors, np.float64)[None], np.array([np.nan]))
    return residuals


def test_there_is_no_interval_before_there_are_enough_errors():
    assert np.isnan(told(np.ones(ENOUGH - 1)).get(0, 0).high)


def test_an_interval_holds_the_share_of_past_errors_that_was_asked_for():
    errors = np.random.default_rng(1).normal(size=1000)
    low, _, high = told(errors).get(0, 0)
    assert pytest.approx(0.9, abs=0.005) == np.mean((errors >= low) & (errors <= high))


def test_one_sided_all_that_may_be_wrong_is_above():
    errors = np.random.default_rng(1).exponential(size=1000)
    assert pytest.approx(0.9, abs=0.005) == np.mean(errors <= told(errors).get(0, 0, one_sided=True).high)


def test_intervals_that_were_wrong_too_often_grow():
    residuals = told(np.random.default_rng(1).normal(size=500))
    before = residuals.get(0, 0).high
    for _ in range(20):
        residuals.update(0, np.empty((1, 0)), np.array([1.0]))
    assert residuals.get(0, 0).high > before + 0.2


def test_intervals_that_are_never_wrong_shrink():
    residuals = told(np.random.default_rng(1).normal(size=500))
    before = residuals.get(0, 0).high
    for _ in range(20):
        residuals.update(0, np.empty((1, 0)), np.array([0.0]))
    assert residuals.get(0, 0).high < before


def test_results_that_were_all_too_low_are_moved_up():
    assert 3.0 == told(np.full(50, 3.0)).get(0, 0).middle


def test_results_that_were_right_on_average_are_left_alone():
    assert 0.0 == told(np.random.default_rng(1).normal(size=200)).get(0, 0).middle


def test_an_age_without_errors_borrows_those_of_the_nearest():
    residuals = told(np.full(50, 3.0), age=-4)
    residuals.update(4, np.full((1, 50), 9.0), np.array([np.nan]))
    assert (3.0, 9.0) == (residuals.get(0, -2).high, residuals.get(0, 7).high)


def test_old_errors_are_forgotten():
    residuals = told(np.full(50, 100.0))
    residuals.update(0, np.zeros((1, REMEMBERED)), np.array([np.nan]))
    assert 0.0 == residuals.get(0, 0).high


def test_unknown_errors_do_not_count():
    assert 1.0 == told([1.0, np.nan] * 50).get(0, 0).high


def test_goes_on_from_a_snapshot():
    residuals = told(np.arange(100.0), age=-3)
    again = Residuals(functions=1, confidence=0.9, state=json.loads(json.dumps(residuals.snapshot())))
    for each in (residuals, again):
        each.update(-3, np.array([[7.0]]), np.array([1.0]))
    assert residuals.snapshot() == again.snapshot()
