from __future__ import annotations

import numpy as np

from slackwater.advice.enough import enough_of
from slackwater.advice.needed import Needed


def sample(events: int, gap: int) -> Needed:
    return Needed.of(np.arange(events) * gap, np.zeros(events, np.int64))


def test_ten_rows_that_may_be_missed_in_ten_periods_are_enough():
    assert enough_of(sample(2_000, 1_000), 0.005, 200_000).is_enough
    assert not enough_of(sample(1_999, 1_000), 0.005, 199_000).is_enough
    assert not enough_of(sample(2_000, 1_000), 0.005, 250_000).is_enough


def test_the_length_that_would_do_has_both():
    few_rows = enough_of(sample(1_000, 1_000), 0.005, 10_000)
    few_periods = enough_of(sample(10_000, 1_000), 0.005, 5_000_000)
    assert (2_000_000 * 0.99 < few_rows.length_needed <= 2_000_000, 50_000_000) == (True, few_periods.length_needed)


def test_a_sample_that_is_too_short_is_said_to_be():
    said = enough_of(sample(100, 1_000_000), 0.01, 20_000_000).warnings("rows", 0.01, 20_000_000)
    assert "too short for this target: 100 rows in 5 periods of 20 seconds" in said[0]
    assert "Some 20 minutes of event time" in said[0]


def test_a_period_too_thin_for_the_target_is_told_how_long_it_should_be():
    said = enough_of(sample(10_000, 1_000_000), 0.005, 60_000_000).warnings("rows", 0.005, 60_000_000)
    assert ["A period has 60 rows"] == [each[: len("A period has 60 rows")] for each in said]
    assert 'over="5 minutes"' in said[0]


def test_enough_needs_no_warning():
    assert [] == enough_of(sample(100_000, 1_000), 0.01, 1_000_000).warnings("rows", 0.01, 1_000_000)
