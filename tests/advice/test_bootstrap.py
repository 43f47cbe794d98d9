from __future__ import annotations

import numpy as np
import pytest

from slackwater.advice.bootstrap import Bootstrap
from slackwater.advice.needed import Needed


def stream(seed: int, *, alike: bool) -> Needed:
    """100 blocks of 100 events; 5 % need 10, evenly or in a few bad blocks."""
    generator = np.random.default_rng(seed)
    share = np.full(100, 0.05) if alike else np.where(generator.random(100) < 0.1, 0.5, 0.0)
    needs = generator.random((100, 100)) < share[:, np.newaxis]
    return Needed.of(np.arange(10_000), np.where(needs.ravel(), 10, 0))


def test_the_same_seed_draws_the_same():
    one, other = (Bootstrap(stream(1, alike=True), block=100).missed(5) for _ in range(2))
    assert one == other


def test_trouble_that_comes_in_blocks_is_less_sure():
    widths = []
    for alike in (True, False):
        found = Bootstrap(stream(2, alike=alike), block=100).missed(5)
        widths.append(found.high - found.low)
    assert 3 * widths[0] < widths[1]


@pytest.mark.parametrize("alike", [True, False])
def test_the_interval_holds_the_truth_about_as_often_as_it_says(alike):
    found = [Bootstrap(stream(seed, alike=alike), block=100).missed(5) for seed in range(60)]
    assert 0.85 <= np.mean([each.low <= 0.05 <= each.high for each in found]) <= 1


def test_the_band_is_the_interval_of_each_slack():
    drawn = Bootstrap(stream(3, alike=False), block=100)
    low, high = drawn.band(np.array([0, 10]))
    one = drawn.missed(0)
    assert [one.low, 0] == pytest.approx(low.tolist(), abs=2e-3)
    assert [one.high, 0] == pytest.approx(high.tolist(), abs=2e-3)


def test_the_smallest_slack_lies_between_those_of_good_and_bad_samples():
    found = Bootstrap(stream(4, alike=False), block=100).smallest(0.05)
    assert (0, 10) == (found.low, found.high)


def test_few_blocks_say_nothing():
    assert not Bootstrap(Needed.of(np.arange(9), np.zeros(9, np.int64)), block=1).says_something
    assert Bootstrap(Needed.of(np.arange(10), np.zeros(10, np.int64)), block=1).says_something


def test_blocks_grow_where_there_are_many():
    assert 200 < Bootstrap(Needed.of(np.arange(1_000), np.zeros(1_000, np.int64)), block=1).blocks <= 256
