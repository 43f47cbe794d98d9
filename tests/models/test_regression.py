from __future__ import annotations

import sys
import warnings

import numpy as np
import pytest

from slackwater.errors import ParameterError
from slackwater.models.latency import normalized_error
from slackwater.models.regression import METHODS, predictor
from slackwater.models.regression import _evenly as evenly


def waits(seed: int, count: int = 300):
    """Rows of slack and spread, and how long events waited: the smaller of both, with a little noise."""
    rng = np.random.default_rng(seed)
    rows = rng.uniform(0, 8, (count, 2))
    return rows, rows.min(axis=1) + rng.normal(0, 0.1, count)


@pytest.mark.parametrize(("method", "most"), [("gaussian", 0.05), ("svm", 0.08), ("linear", 0.2), ("isotonic", 0.3)])
def test_what_was_not_seen_is_predicted(method, most):
    learned = predictor(method)
    learned.fit(*waits(1))
    rows, values = waits(2)
    assert normalized_error(learned.predict(rows), values) < most


@pytest.mark.parametrize("method", METHODS)
def test_the_same_rows_give_the_same_predictions(method):
    first, second = predictor(method), predictor(method)
    first.fit(*waits(1))
    second.fit(*waits(1))
    assert first.predict(waits(2)[0]).tolist() == second.predict(waits(2)[0]).tolist()


@pytest.mark.parametrize("method", METHODS)
def test_values_that_never_change_are_expected_to_go_on(method):
    rows = np.array([[1.0, 2.0], [1.0, 3.0], [1.0, 4.0]])
    learned = predictor(method)
    learned.fit(rows, np.full(3, 7.0))
    assert np.allclose(7, learned.predict(np.array([[1.0, 9.0]])), atol=0.2)


def test_far_from_all_rows_a_gaussian_process_expects_the_mean():
    rows, values = waits(1, count=40)
    learned = predictor("gaussian")
    learned.fit(rows, values + 100)
    assert 100 + values.mean() == pytest.approx(learned.predict(np.array([[1e9, -1e9]]))[0])


@pytest.mark.parametrize("scale", [1e-6, 1e6])
def test_units_do_not_matter_to_a_gaussian_process(scale):
    (rows, values), seen = waits(1, count=40), waits(2, count=40)[0]
    usual, scaled = predictor("gaussian"), predictor("gaussian")
    usual.fit(rows, values)
    scaled.fit(rows / scale, values * scale)
    assert (usual.predict(seen) * scale).tolist() == pytest.approx(scaled.predict(seen / scale).tolist(), rel=1e-3)


@pytest.mark.parametrize("method", METHODS)
def test_a_feature_that_explains_nothing_is_no_reason_to_warn(method):
    noise = np.random.default_rng(1).normal(size=(60, 3))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        predictor(method).fit(noise, np.arange(60) % 7.0)


def test_rows_for_the_kernel_are_spread_evenly():
    assert ([0, 3, 6, 9], [0, 1, 2], [0]) == tuple(evenly(*each).tolist() for each in ((10, 4), (3, 10), (1, 10)))


def test_one_row_is_enough_to_predict():
    learned = predictor("gaussian")
    learned.fit(np.array([[1.0]]), np.array([5.0]))
    assert [5] == learned.predict(np.array([[2.0]])).tolist()


def test_isotonic_regression_takes_the_feature_that_explains_most():
    rng = np.random.default_rng(1)
    rows = np.stack((rng.normal(size=100), np.arange(100.0)), axis=1)
    learned = predictor("isotonic")
    learned.fit(rows, -rows[:, 1])
    assert [-50] == learned.predict(np.array([[99.0, 50.0]])).tolist()


def test_an_unknown_method_is_refused():
    with pytest.raises(ParameterError, match="use one of gaussian, linear, isotonic, svm"):
        predictor("forest")


def test_without_scikit_learn_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "sklearn.linear_model", None)
    with pytest.raises(ParameterError, match=r"pip install 'slackwater\[tuner\]'"):
        predictor("linear")
