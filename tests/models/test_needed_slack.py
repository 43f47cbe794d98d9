"""The recall that a period can be counted on to reach."""

from __future__ import annotations

from operator import mul

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from slackwater.estimate.needed_slack import BlockSums, NeededSlack
from slackwater.models.needed_slack import expected_recall, first_to_count_on, recall_to_count_on, with_prior


def sums_of(*blocks):
    memory = NeededSlack(half_life=1e12)
    for block in blocks:
        memory.update_counts(np.array(block, float))
    return memory.get()


def test_blocks_that_are_alike_leave_no_doubt():
    sums = sums_of([9, 1], [9, 1], [18, 2])
    assert expected_recall(sums).tolist() == pytest.approx(
        recall_to_count_on(sums, blocks_per_period=12, deviations=3).tolist()
    )


def test_a_number_worked_by_hand():
    # Blocks of 10 miss 0 and 4 of them at no slack: q = 0.2, V = mean(4, 4) = 4, N = 2, B = 8, mean(n) = 10.
    sums = sums_of([10, 0], [6, 4])
    expected = 1 - 0.2 - 2 * np.sqrt(4 / 8) / 10 - np.sqrt(2 * 4) / 20
    assert expected == pytest.approx(recall_to_count_on(sums, blocks_per_period=8, deviations=2)[0])


def test_what_blocks_miss_in_proportion_to_their_size_is_no_deviation():
    small, large = sums_of([8, 2], [80, 20]), sums_of([5, 5], [80, 20])
    least = [recall_to_count_on(sums, blocks_per_period=12, deviations=3)[0] for sums in (small, large)]
    assert 0.8 == pytest.approx(least[0])
    assert least[1] < least[0]


def test_more_slack_never_counts_for_less_in_expectation():
    expected = expected_recall(sums_of([5, 3, 0, 1], [2, 0, 6]))
    assert sorted(expected) == expected.tolist()
    assert 1 == expected[-1]


def test_a_prior_decides_where_nothing_is_known_and_not_where_much_is():
    prior = np.array([0.5, 0.0])
    assert [0.5, 1.0] == expected_recall(with_prior(sums_of([0, 0]), prior, 30)).tolist()
    assert 0.99 < expected_recall(with_prior(sums_of([10_000, 0]), prior, 30))[0]


def test_trouble_that_lasts_counts_for_more_than_trouble_that_alternates():
    good, bad = [10, 0], [6, 4]
    lasting, alternating = sums_of(*[good] * 6, *[bad] * 6), sums_of(*[good, bad] * 6)
    least = [
        recall_to_count_on(sums, blocks_per_period=12, deviations=2, lasting=True)[0] for sums in (lasting, alternating)
    ]
    assert least[0] < least[1]


def test_how_alike_neighbors_are_by_hand():
    # Residuals of blocks of 10: -2, -2, 2, 2. Products of neighbors 4, -4, 4: r = 4 / 16, inflation 1.25 / 0.75.
    sums = sums_of([10, 0], [10, 0], [6, 4], [6, 4])
    plain, inflated = (
        0.8 - recall_to_count_on(sums, blocks_per_period=8, deviations=2, lasting=lasting)[0]
        for lasting in (False, True)
    )
    assert np.sqrt(1.25 / 0.75) == pytest.approx(inflated / plain, rel=0.03)


def test_where_nothing_is_known_everything_can_be_counted_on():
    nothing = sums_of([0, 0])
    assert [1.0, 1.0] == recall_to_count_on(nothing, blocks_per_period=12, deviations=3).tolist()
    assert [1.0, 1.0] == expected_recall(nothing).tolist()


def test_the_first_bin_to_count_on_is_where_the_recall_of_all_bins_reaches_the_aim():
    sums = sums_of([5, 3, 0, 1], [2, 0, 6], [9, 0, 1])
    prior = np.array([0.5, 0.4, 0.1, 0.0, 0.0])
    options = {"blocks_per_period": 12, "deviations": 0.5, "lasting": True}
    recall = recall_to_count_on(with_prior(sums, prior, 30), **options)
    for aim in recall.tolist():
        expected = int(np.flatnonzero(recall >= aim - 1e-12)[0])
        assert expected == first_to_count_on(sums, prior, 30, aim, **options)


def test_where_no_bin_reaches_the_aim_the_last_one_counts():
    assert 1 == first_to_count_on(sums_of([5, 5]), np.zeros(2), 30, 2.0, blocks_per_period=12, deviations=0)


BLOCKS = st.lists(st.lists(st.integers(0, 9), min_size=1, max_size=4), min_size=1, max_size=8)


@given(BLOCKS, st.sampled_from([0.0, 1.0, 2.5]), st.sampled_from([0.5, 1.0]), st.booleans())
def test_the_recall_to_count_on_is_what_the_residuals_of_the_blocks_say(blocks, deviations, of_mean, lasting):
    found = recall_to_count_on(
        sums_of(*blocks), blocks_per_period=3, deviations=deviations, of_mean=of_mean, lasting=lasting
    )
    total = sum(map(sum, blocks))
    for slack, recall in enumerate(found):
        missed = [sum(block[slack + 1 :]) for block in blocks]
        share = sum(missed) / total if total else 0.0
        residuals = [m - share * sum(block) for m, block in zip(missed, blocks, strict=True)]
        squares = sum(each**2 for each in residuals)
        if lasting and squares > 1e-6:
            alike = min(max(sum(map(mul, residuals, residuals[1:])) / squares, 0), 0.6)
            squares *= (1 + alike) / (1 - alike)
        variance = squares / len(blocks)
        of_period = np.sqrt(variance / 3) * len(blocks) / max(total, 1)
        of_the_mean = np.sqrt(len(blocks) * variance) / max(total, 1)
        assert 1 - share - deviations * of_period - of_mean * of_the_mean == pytest.approx(recall, abs=1e-5)


def test_a_prior_of_fewer_bins_misses_nothing_in_the_others():
    sums = BlockSums(2, 8, 32, np.array([4.0, 0.0]), np.array([16.0, 0.0]), np.array([8.0, 0.0]))
    assert 1 == first_to_count_on(sums, np.array([0.5]), 30, 0.9, blocks_per_period=12, deviations=2)
