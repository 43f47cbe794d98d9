from __future__ import annotations

import numpy as np
import pytest

from slackwater.errors import ParameterError
from slackwater.sources.delays import exponential_delays, heavy_tail_delays, uniform_delays, zipf_delays, zipf_ranks
from slackwater.time import Duration


def random() -> np.random.Generator:
    return np.random.default_rng(7)


def test_zipf_frequencies_fall_as_rank_to_the_minus_skew():
    counts = np.bincount(zipf_ranks(random(), 400_000, skew=2.0, ranks=201))
    assert pytest.approx(4.0, rel=0.03) == counts[1] / counts[2]
    assert pytest.approx(9.0, rel=0.03) == counts[1] / counts[3]


def test_zipf_with_skew_zero_is_uniform():
    counts = np.bincount(zipf_ranks(random(), 100_000, skew=0.0, ranks=10))[1:]
    assert pytest.approx(10_000, rel=0.05) == counts.min()


def test_zipf_ranks_stay_between_one_and_the_last_rank():
    ranks = zipf_ranks(random(), 100_000, skew=0.1, ranks=5)
    assert (1, 5) == (ranks.min(), ranks.max())


def test_zipf_delays_are_multiples_of_the_unit_up_to_the_longest():
    delays = zipf_delays(random(), 100_000, skew=0.0, longest=Duration.of("20 s"), unit=Duration.of("100 ms"))
    assert 0 == (delays % 100_000).max()
    assert (0, 20_000_000) == (delays.min(), delays.max())


def test_negative_skew_is_refused():
    with pytest.raises(ParameterError, match="skew"):
        zipf_ranks(random(), 1, skew=-1.0, ranks=3)


def test_exponential_delays_do_not_pile_up_at_the_cut():
    delays = exponential_delays(random(), mean=np.full(100_000, 14_000.0), longest=Duration.of("40 ms"))
    assert delays.max() <= 40_000
    assert np.count_nonzero(delays >= 39_900) < 100


def test_heavy_tail_reaches_far_but_not_past_its_end():
    delays = heavy_tail_delays(random(), 100_000, shortest=Duration.of("40 ms"), longest=Duration.of("22 s"))
    assert 40_000 <= delays.min()
    assert 10_000_000 < delays.max() <= 22_000_000
    assert pytest.approx(0.5, abs=0.01) == np.mean(delays > 80_000)


def test_uniform_delays_fill_the_whole_range():
    delays = uniform_delays(random(), 10_000, longest=Duration(9))
    assert list(range(10)) == np.unique(delays).tolist()
