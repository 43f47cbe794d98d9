from __future__ import annotations

import json

import numpy as np
import pytest

from slackwater.control.aggressiveness import LEAST, MOST, Aggressiveness
from slackwater.errors import ParameterError


def driven(chosen, error_of, windows=600):
    """Let each window be prodded as chosen; return the errors."""
    errors = []
    for _ in range(windows):
        errors.append(error_of(chosen.get()))
        chosen.observe(np.atleast_1d(errors[-1]))
    return np.array(errors)


def test_the_mean_error_is_the_one_allowed_though_errors_scatter():
    random = np.random.default_rng(1)
    errors = driven(Aggressiveness(accuracy=0.98, functions=1), lambda early: 0.05 * early * random.exponential(), 4000)
    assert 0.02 == pytest.approx(errors.mean(), abs=0.001)


def test_errors_that_never_reach_what_is_allowed_let_it_be_as_early_as_can_be():
    chosen = Aggressiveness(accuracy=0.9, functions=1)
    driven(chosen, lambda early: 0.01 * early)
    assert MOST == chosen.get()


def test_errors_that_are_always_too_large_make_it_as_late_as_can_be():
    chosen = Aggressiveness(accuracy=0.99, functions=1)
    driven(chosen, lambda _: 0.5)
    assert LEAST == pytest.approx(chosen.get())


def test_the_least_accurate_function_decides():
    chosen = Aggressiveness(accuracy=0.9, functions=2)
    driven(chosen, lambda early: np.array([0.4 * early, 0.01 * early]))
    assert 0.25 == pytest.approx(chosen.get(), abs=0.02)


def test_a_function_that_was_accurate_for_long_does_not_delay_what_follows():
    chosen = Aggressiveness(accuracy=0.9, functions=2)
    driven(chosen, lambda early: np.array([0.4 * early, 0.0]))
    driven(chosen, lambda early: np.array([0.0, 0.4 * early]), 100)
    assert 0.25 == pytest.approx(chosen.get(), abs=0.03)


def test_unknown_errors_change_nothing():
    chosen = Aggressiveness(accuracy=0.9, functions=1, start=0.3)
    chosen.observe(np.array([np.nan]))
    assert 0.3 == pytest.approx(chosen.get())


@pytest.mark.parametrize("accuracy", [0.0, 1.0, 98])
def test_an_accuracy_that_is_no_share_is_refused(accuracy):
    with pytest.raises(ParameterError, match=r"accuracy must be in \(0, 1\)"):
        Aggressiveness(accuracy=accuracy, functions=1)


def test_goes_on_from_a_snapshot():
    chosen = Aggressiveness(accuracy=0.9, functions=2)
    chosen.observe(np.array([0.3, 0.05]))
    again = Aggressiveness(accuracy=0.9, functions=2, state=json.loads(json.dumps(chosen.snapshot())))
    assert chosen.get() == again.get()


def test_a_function_is_at_most_half_as_much_again_ahead_of_the_one_that_holds_all_back():
    chosen = Aggressiveness(accuracy=0.9, functions=2, start=0.5)
    for _ in range(50):
        chosen.observe(np.array([0.15, 0.0]))
    slow, fast = np.exp(chosen.snapshot())
    assert 1.5 == pytest.approx(fast / slow)
