"""What a tuner expects of one operator, and when it learns."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from slackwater.control.operator_model import Learning, OperatorModel, TunedOperator
from slackwater.measurement import Waited
from tests.control.measurements import MS, SECOND

SLACKS = np.arange(0, 100, 10) * MS


def seen(*spreads: int, processing: int = 5, **learning) -> OperatorModel:
    """A model that has taken in an interval for each of these spreads, in ms."""
    model = OperatorModel(TunedOperator("gate"), Learning(**learning))
    for number, spread in enumerate(spreads):
        model.update(number * SECOND, 20 * MS, Waited(spread * MS, processing * MS, 3, spread * MS, 400))
    return model


def expected(model: OperatorModel) -> list[list[float]]:
    return [each.tolist() for each in model.expected(9 * SECOND, SLACKS)]


def test_it_learns_after_some_intervals_and_then_every_so_many():
    learned = [seen(*range(count), learn_after=3, relearn_every=2).snapshot()["trained_on"] for count in range(8)]
    assert [None] * 3 == learned[:3]
    assert [True, False, True, False, True] == [new != old for old, new in pairwise(learned[2:])]


def test_before_anything_was_measured_no_wait_is_expected_and_no_event_that_leaves_early():
    assert [[0.0] * len(SLACKS)] * 2 == expected(seen())


def test_a_first_spread_has_begun_to_grow_from_nothing():
    assert expected(seen(0, 20)) == expected(seen(20))


def test_a_spread_that_has_begun_to_grow_goes_on():
    assert expected(seen(50, 50)) == expected(seen(10, 30))


def test_a_spread_that_shrinks_may_stay():
    assert expected(seen(30, 30)) == expected(seen(50, 30))


def test_the_largest_processing_time_of_the_last_hour_of_minutes_counts():
    model = seen(0, processing=9)
    for number in range(59):
        model.update(number * SECOND, 0, Waited(0, MS, 0, 0, 1))
    assert 9 * MS == model.processing
    model.update(60 * SECOND, 0, Waited(0, MS, 0, 0, 1))
    assert MS == model.processing


def test_what_is_learned_never_exceeds_the_slack_and_the_processing():
    latency, _ = seen(*[40, 80] * 40).expected(9 * SECOND, SLACKS)
    assert (latency <= SLACKS + 5 * MS).all()
    assert pytest.approx(latency.tolist()) == sorted(latency.tolist())


def test_rows_of_other_features_are_forgotten():
    state = seen(10, 20, 30, learn_after=2).snapshot()
    again = OperatorModel(TunedOperator("gate"), Learning(with_spread=False), state)
    assert (None, 0) == (again.snapshot()["trained_on"], again.processing)


def test_it_goes_on_from_its_snapshot():
    model = seen(10, 20, 30, learn_after=2)
    again = OperatorModel(TunedOperator("gate"), Learning(learn_after=2), model.snapshot())
    assert expected(model) == expected(again)
    assert model.snapshot() == again.snapshot()


def test_by_itself_it_learns_after_a_minute_of_seconds_and_then_every_minute_from_the_last_ten():
    assert Learning("gaussian", with_spread=True, learn_after=60, relearn_every=60, memory=600) == Learning()
