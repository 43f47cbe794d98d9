"""What more executors give, by hand."""

from __future__ import annotations

import pytest

from slackwater.errors import ParameterError
from slackwater.models.scale_out import Batch, ScaleOut, fit

MODEL = ScaleOut(fixed=1.0, serial=1e-6, parallel=8e-6)
ROWS = 1_000_000


def batches(model: ScaleOut, *, sizes=(10_000, 400_000), executors=(1, 2)) -> list[Batch]:
    return [Batch(n, rows, model.seconds(n, rows)) for n in executors for rows in sizes]


def test_only_the_parallel_part_is_divided():
    assert [10.0, 6.0, 4.0] == pytest.approx([MODEL.seconds(n, ROWS) for n in (1, 2, 4)])


def test_executors_beyond_the_buckets_give_nothing():
    assert MODEL.rows_per_second(2, ROWS) == MODEL.rows_per_second(64, ROWS, buckets=2)


def test_no_number_of_executors_comes_above_what_is_not_shared():
    assert 500_000 == pytest.approx(MODEL.at_most(ROWS))
    assert 0.99 * MODEL.at_most(ROWS) < MODEL.rows_per_second(10_000, ROWS) < MODEL.at_most(ROWS)


@pytest.mark.parametrize(
    ("executors", "rows", "part"), [(1, ROWS, "parallel"), (16, 100_000, "fixed"), (64, 10 * ROWS, "serial")]
)
def test_the_bottleneck_moves_with_executors_and_sizes(executors, rows, part):
    assert part == MODEL.bottleneck(executors, rows)


def test_a_model_is_found_again_from_its_batches():
    found = fit(batches(MODEL))
    assert (MODEL.fixed, MODEL.serial, MODEL.parallel) == pytest.approx((found.fixed, found.serial, found.parallel))
    assert 0 == pytest.approx(found.error(batches(MODEL)), abs=1e-9)


def test_no_part_is_negative_where_two_executors_are_slower_than_one():
    slower = [Batch(1, 10_000, 1.0), Batch(2, 10_000, 1.2), Batch(1, 100_000, 2.0), Batch(2, 100_000, 2.5)]
    found = fit(slower)
    assert 0 == found.parallel
    assert min(found.fixed, found.serial) > 0


@pytest.mark.parametrize(
    ("few", "what"), [({"executors": (1,)}, "two numbers of executors"), ({"sizes": (10_000,)}, "two numbers of rows")]
)
def test_what_cannot_be_told_apart_is_not_fitted(few, what):
    with pytest.raises(ParameterError, match=what):
        fit(batches(MODEL, **few))
