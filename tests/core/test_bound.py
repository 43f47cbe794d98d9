"""Combinations under way."""

from __future__ import annotations

import numpy as np

from slackwater.core.bound import Bound


def bound(*seeds: int) -> Bound:
    return Bound(np.array(seeds), {1: np.array(seeds) * 10})


def test_parts_are_put_one_after_the_other():
    whole = Bound.concat([bound(3, 1), bound(), bound(2)])
    assert ([3, 1, 2], [30, 10, 20]) == (whole.seed.tolist(), whole.rows[1].tolist())


def test_a_combination_goes_on_with_each_of_its_partners():
    longer = bound(3, 1).extended(0, np.array([1, 1, 0]), np.array([7, 8, 9]))
    assert ([1, 1, 3], [10, 10, 30], [7, 8, 9]) == (
        longer.seed.tolist(),
        longer.rows[1].tolist(),
        longer.rows[0].tolist(),
    )


def test_a_sample_is_spread_evenly():
    assert [0, 3, 6, 9] == bound(*range(10)).sample(3).seed.tolist()


def test_a_sample_of_few_is_all():
    assert [0, 1, 2] == bound(*range(3)).sample(10).seed.tolist()
