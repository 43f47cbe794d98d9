from __future__ import annotations

import json

import numpy as np
import pytest

from slackwater.estimate.early_accuracy import RunningAccuracy, accuracy_of


def test_accuracy_of_the_document():
    assert [0.97, 0.97] == pytest.approx(accuracy_of(np.array([97.0, 103.0]), np.array([100.0, 100.0])).tolist())


def test_negative_values_are_as_accurate_as_positive_ones():
    assert 0.97 == pytest.approx(float(accuracy_of(np.array([-97.0]), np.array([-100.0]))[0]))


def test_the_accuracy_of_something_against_nothing_is_unknown():
    assert np.isnan(accuracy_of(np.array([1.0]), np.array([0.0]))[0])


def test_a_window_counts_once_however_many_groups_it_has():
    running = RunningAccuracy(functions=1)
    running.update(np.array([[0.8]]), np.array([[np.nan]]))
    running.update(np.full((1, 1000), 1.0), np.full((1, 1000), np.nan))
    assert 0.9 == pytest.approx(running.get()[0], abs=0.01)


def test_old_windows_weigh_less():
    running = RunningAccuracy(functions=1)
    for accuracy in [0.5] * 100 + [1.0] * 100:
        running.update(np.array([[accuracy]]), np.array([[1.0]]))
    assert 0.9 < running.get()[0] < 1.0


def test_accuracy_is_unknown_before_the_first_final_result():
    assert np.isnan(RunningAccuracy(functions=2).get()).all()


def test_goes_on_from_a_snapshot():
    running = RunningAccuracy(functions=2)
    running.update(np.array([[0.9], [0.7]]), np.array([[1.0], [0.0]]))
    again = RunningAccuracy(2, json.loads(json.dumps(running.snapshot())))
    assert running.snapshot() == again.snapshot()
