"""Recall by period and its fulfillment, with numbers worked by hand."""

from __future__ import annotations

import numpy as np
import pytest

from slackwater.errors import ParameterError
from slackwater.quality.recall import ResultCounts, after_first_period, fulfillment, phi, reaches, recall_by_period
from tests.oracle.join import Pipeline, truth


def column(*values: int) -> np.ndarray:
    return np.array(values, dtype=np.int64)


def test_recall_counts_results_from_the_start_of_the_period_up_to_but_not_at_its_end():
    true = column(0, 10, 20)
    assert [1.0] == recall_by_period(column(20), column(10), None, column(10, 20), None, period=10).tolist()
    assert [0.0] == recall_by_period(column(20), column(0, 20), None, true, None, period=10).tolist()


def test_recall_adds_up_the_counts_of_equal_times():
    # [0, 10): 2 + 1 of 4; [5, 15): 1 + 3 of 3 + 5; [10, 20): 3 of 5
    produced_time, produced = column(1, 5, 12), column(2, 1, 3)
    true_time, true = column(1, 5, 5, 12), column(1, 1, 2, 5)
    recalls = recall_by_period(column(10, 15, 20), produced_time, produced, true_time, true, period=10)
    assert [0.75, 0.5, 0.6] == recalls.tolist()


def test_recall_is_one_where_there_is_nothing_to_find():
    nothing = column()
    assert [1.0, 1.0] == recall_by_period(column(5, 6), nothing, nothing, nothing, nothing, period=3).tolist()


def test_recall_without_instants_is_empty():
    assert [] == recall_by_period(column(), column(1), None, column(1), None, period=3).tolist()


def test_results_that_are_not_sorted_are_refused_by_name():
    with pytest.raises(ParameterError, match=r"true_time must not go back \(after 5\), got 3"):
        recall_by_period(column(5), column(1), None, column(1, 5, 3), None, period=3)


def test_counts_within_overlapping_and_empty_spans():
    counts = ResultCounts.of(column(1, 4, 7), column(2, 1, 5))
    assert [8, 3, 0, 5] == counts.within(column(0, 0, 4, 5), column(8, 5, 4, 8)).tolist()


def test_measurements_of_the_first_period_do_not_count():
    assert [False, True, True] == after_first_period(column(1_059, 1_060, 1_061), start=1_000, period=60).tolist()


def test_fulfillment_counts_a_recall_equal_to_the_target():
    assert 0.5 == fulfillment(np.array([0.9, 0.89, 0.95, 0.1]), target=0.9)


def test_fulfillment_of_no_measurement_is_one():
    assert 1.0 == fulfillment(np.empty(0), target=0.9)


@pytest.mark.parametrize("target", [0.523, 0.54, 0.9, 0.95, 0.99])
def test_the_rounding_of_99_percent_of_the_target_does_not_matter(target):
    exactly = round(99_000 * target) / 100_000
    assert [True, False] == reaches(np.array([exactly, exactly - 1e-6]), 0.99 * target).tolist()


def test_phi_reports_the_target_and_99_percent_of_it():
    # .99 * .9 = .891
    assert (0.4, 0.6) == phi(np.array([0.8, 0.89, 0.891, 0.9, 1.0]), target=0.9)


def test_recall_of_a_join_that_lost_a_late_event():
    # A4 comes after the join has reached 6: it completes nothing, and B6 came too early to find it.
    arrivals = [(0, 1, None), (1, 2, None), (0, 6, None), (1, 6, None), (0, 4, None), (1, 7, None), (0, 9, None)]
    produced = [time for time, _ in Pipeline((3, 3)).run(arrivals).results]
    true = [time for time, _ in truth(arrivals, (3, 3))]
    # A1 B2 @2, A6 B6 @6, A6 B7 @7, A4 B7 @7 and at the end A9 B6 @9, A9 B7 @9; missed: A4 B2 @4, A4 B6 @6
    assert ([2, 6, 7, 7, 9, 9], [2, 4, 6, 6, 7, 7, 9, 9]) == (produced, true)
    recalls = recall_by_period(column(5, 7, 8), column(*produced), None, column(*true), None, period=5)
    assert [1 / 2, 2 / 4, 3 / 5] == recalls.tolist()
