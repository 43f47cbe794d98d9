from __future__ import annotations

import numpy as np
import pytest

from slackwater.models.early_estimate import corrected, error_base, error_size, group_rows_to_come, within_sure_bounds


def column(*values):
    return np.array(values, np.float64)


def test_what_is_to_come_of_all_groups_is_that_of_the_groups_where_shares_are_as_usual():
    rows = column(60, 30, 10)
    found = group_rows_to_come(rows, 50, shares=column(0.6, 0.3, 0.1), strength=column(100, 100, 100))
    assert [30, 15, 5] == pytest.approx(found.tolist())


def test_a_group_that_varies_is_judged_by_what_came():
    found = group_rows_to_come(column(90, 10), 50, shares=column(0.5, 0.5), strength=column(1e-9, 1e-9))
    assert [45, 5] == pytest.approx(found.tolist())


def test_a_group_that_never_varies_is_judged_by_its_past():
    found = group_rows_to_come(column(90, 10), 50, shares=column(0.5, 0.5), strength=column(1e9, 1e9))
    assert [25, 25] == pytest.approx(found.tolist(), rel=1e-5)


def test_a_group_of_which_less_than_one_event_was_expected_has_a_past_all_the_same():
    found = group_rows_to_come(column(49, 1), 50, shares=column(0.99, 0.01), strength=column(1e9, 1e9))
    assert [49.5, 0.5] == pytest.approx(found.tolist(), rel=1e-5)


def test_a_single_group_gets_all():
    assert [50] == group_rows_to_come(column(7), 50, shares=column(1), strength=column(3)).tolist()


@pytest.mark.parametrize("kind", ["most", "least", "other"])
def test_only_totals_grow_with_what_is_to_come(kind):
    assert [7.0] == corrected(kind, column(7), column(10), column(10)).tolist()


def test_the_error_of_an_even_count_is_that_of_a_poisson_number():
    assert [10.0] == error_base("total", column(500), column(100), 0.0).tolist()


def test_where_nothing_is_foreseen_errors_are_as_if_one_event_came():
    for kind in ("count", "total", "other"):
        assert error_base(kind, column(500), column(1), 0.0) == error_base(kind, column(500), column(0), 0.0)


def test_a_sum_that_happens_to_be_zero_may_still_be_wrong():
    assert [2.0] == error_size("total", column(0), column(10), least=2.0).tolist()


def test_a_minimum_never_grows():
    assert [3.0, 2.0] == within_sure_bounds("least", column(3, 3), column(4, 2)).tolist()
