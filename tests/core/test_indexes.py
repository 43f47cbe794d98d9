"""Indexes by key and by nearby cells, by hand."""

from __future__ import annotations

import numpy as np
import pytest

from slackwater.core.conditions import NO_CELL
from slackwater.core.indexes import Indexes
from slackwater.core.indexes import _limits as limits
from slackwater.core.indexes import _sort_within as sort_within
from slackwater.core.probe import Pool, Triggers


class Near:
    """A band whose cells are given."""

    def __init__(self, *cells: int):
        self._cells = np.array(cells, np.int64)

    def cells(self, stream: int) -> np.ndarray:
        return self._cells


class Given:
    """A condition with bands alone; `passes` says which rows may be partners at all."""

    def __init__(self, *bands: Near, passes=None):
        self.bands = bands
        self._passes = None if passes is None else np.array(passes)

    def passes(self, stream: int):
        return self._passes


def pool(count: int) -> Pool:
    return Pool(np.arange(count), np.arange(count), np.full(count, -1))


def found_near(cells: Indexes, bands: tuple[int, ...], *own: int) -> list[int]:
    """The rows in the cells around one trigger, by time."""
    index = cells.by_cell(0, (), bands)
    plain = Triggers(*(np.array([each]) for each in (0, 0, 99, 9)))
    asked = index.triggers([], [np.array([each]) for each in own], plain)
    trigger, place = zip(
        *[pair for pairs in index.index.pairs(asked) for pair in zip(*pairs, strict=True)], strict=True
    )
    rows = np.array(place)  # in this pool a row is its rank
    places = np.array([int(np.flatnonzero(index.index.row == row)[0]) for row in rows])
    return index.in_order(np.array(trigger), places)[1].tolist()


@pytest.mark.parametrize(("own", "rows"), [(-4, [0, 1, 2]), (-3, [1, 2, 3]), (-5, [0, 1]), (-1, [3]), (-6, [0])])
def test_partners_are_in_the_cell_of_a_trigger_and_in_those_beside_it(own, rows):
    cells = Indexes(Given(Near(-5, -4, -3, -2)), (pool(4),))
    assert rows == found_near(cells, (0,), own)


def test_an_event_without_a_cell_is_nobodys_partner():
    assert [0, 2] == found_near(Indexes(Given(Near(7, NO_CELL, 8)), (pool(3),)), (0,), 7)


def test_an_event_that_does_not_pass_is_nobodys_partner():
    condition = Given(Near(7, 7, 8), passes=[True, False, True])
    assert [0, 2] == found_near(Indexes(condition, (pool(3),)), (0,), 7)


def test_of_two_bands_partners_are_near_in_both():
    condition = Given(Near(1, 1, 1, 5), Near(-9, -8, 3, -9))
    assert [0, 1] == found_near(Indexes(condition, (pool(4),)), (0, 1), 2, -9)


def test_an_index_is_made_once():
    cells = Indexes(Given(Near(1, 2)), (pool(2),))
    assert not cells.has_cells(0, (), (0,))
    assert cells.by_cell(0, (), (0,)) is cells.by_cell(0, (), (0,))
    assert cells.by_key(0, ()) is cells.by_key(0, ())
    assert cells.has_cells(0, (), (0,))


def test_the_limits_are_the_first_and_the_last_cell_that_there_is():
    assert (-3, 8) == limits(np.array([5, NO_CELL, -3, 8]))
    assert (0, 0) == limits(np.array([NO_CELL]))


def test_the_ranks_of_each_trigger_are_sorted_by_themselves():
    trigger, rank = np.array([0, 0, 2, 2, 2, 5]), np.array([4, 1, 9, 7, 8, 0])
    sort_within(trigger, rank)
    assert [1, 4, 7, 8, 9, 0] == rank.tolist()
