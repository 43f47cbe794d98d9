"""Combinations of consecutive panes: sums counted by hand."""

from __future__ import annotations

import numpy as np
import pytest

from slackwater.core.algebra import Sum
from slackwater.core.cells import Cells
from slackwater.core.two_stacks import Stacks
from slackwater.core.two_stacks import _advanced as advanced
from tests.core.sums import cells

FUNCTIONS = (Sum(),)


def reading(*panes: tuple[int, int, int]):
    return lambda start, stop: cells(*(each for each in panes if start <= each[0] < stop))


def sums(found: Cells | None) -> dict[int, int]:
    return {} if found is None else dict(zip(found.group.tolist(), found.states[0][0].tolist(), strict=True))


PANES = ((1, 0, 1), (1, 1, 10), (2, 0, 2), (3, 1, 30), (4, 0, 4), (5, 1, 50))


def test_a_range_is_what_is_left_before_the_border_and_all_behind_it():
    read = reading(*PANES)
    stacks = Stacks.build(1, 4, read, FUNCTIONS)
    assert {0: 3, 1: 40} == sums(stacks.combined(1, 4, read))
    assert {0: 6, 1: 30} == sums(stacks.combined(2, 5, read))
    assert {0: 4, 1: 80} == sums(stacks.combined(3, 6, read))


def test_a_pane_is_added_to_the_front_once():
    read = reading(*PANES)
    stacks = Stacks.build(1, 2, read, FUNCTIONS)
    assert {0: 3, 1: 10} == sums(stacks.combined(1, 3, read))
    assert {0: 3, 1: 10} == sums(stacks.combined(1, 3, read))


def test_what_comes_for_combined_panes_counts_for_the_ranges_that_have_them():
    read = reading(*PANES)
    stacks = Stacks.build(1, 3, read, FUNCTIONS)
    stacks.combined(1, 4, read)
    stacks.add(cells((1, 0, 100), (2, 2, 200), (3, 0, 300), (4, 0, 400)))
    assert {0: 403, 1: 40, 2: 200} == sums(stacks.combined(1, 4, read))
    stacks.add(cells((2, 2, 1)))
    assert {0: 302, 1: 30, 2: 201} == sums(stacks.combined(2, 4, read))


def test_without_panes_there_is_nothing():
    stacks = Stacks.build(1, 3, lambda start, stop: None, FUNCTIONS)
    assert stacks.combined(1, 3, reading()) is None


def test_a_range_that_begins_at_the_border_is_built_anew():
    stacks = Stacks.build(1, 3, reading(*PANES), FUNCTIONS)
    assert [True, True, False] == [stacks.covers(start) for start in (1, 2, 3)]
    stacks.add(cells((1, 0, 1)))
    assert [True, True, False] == [stacks.covers(start) for start in (1, 2, 3)]


@pytest.mark.parametrize(("start", "covered"), [(0, True), (4_999, False)])
def test_more_extras_than_what_is_left_to_answer_are_built_in(start, covered):
    many = 5_000
    stacks = Stacks.build(
        0, many, reading((0, 0, 1), (1, 1, 1), *((2, group, 1) for group in range(2, 100))), FUNCTIONS
    )
    stacks.add(Cells(np.arange(many), np.zeros(many, np.int64), ((np.ones(many, np.int64), np.ones(many, np.int64)),)))
    assert covered == stacks.covers(start)  # 100 groups, 5,000 extras: 100 sqrt(5,000) = 7,071 ranges, or one


@pytest.mark.parametrize(("start", "heads"), [(0, [0, 3]), (1, [0, 3]), (2, [1, 3]), (3, [2, 4]), (4, [2]), (6, [])])
def test_heads_are_the_first_of_their_group_that_are_not_before_the_start(start, heads):
    place, group = np.array([1, 2, 5, 2, 3]), np.array([0, 0, 0, 1, 1])
    assert heads == advanced(place, group, np.array([0, 3]), start).tolist()
