"""Entries of ragged columns are moved about as those of arrays are."""

from __future__ import annotations

import numpy as np

from slackwater.core.entries import chosen, concatenated, replaced
from slackwater.core.ragged import Ragged


def ragged(*maps: dict[int, int]) -> Ragged:
    keys, values = (np.array([n for each in maps for n in column(each)], np.int64) for column in (dict, dict.values))
    return Ragged(np.cumsum([0, *map(len, maps)]), keys, values)


def maps_of(column: Ragged) -> list[dict[int, int]]:
    edges = zip(column.starts[:-1], column.starts[1:], strict=True)
    return [dict(zip(column.keys[i:j].tolist(), column.values[i:j].tolist(), strict=True)) for i, j in edges]


ONE, TWO, THREE = {1: 10}, {}, {3: 30, 4: 40}


def test_one_column_is_its_own_concatenation():
    column = np.array([1, 2])
    assert column is concatenated([column])


def test_columns_are_put_one_after_the_other():
    assert [1, 2, 3] == concatenated([np.array([1, 2]), np.array([3])]).tolist()
    assert [ONE, TWO, THREE] == maps_of(concatenated([ragged(ONE, TWO), ragged(THREE)]))


def test_maps_are_replaced_at_their_places():
    assert [THREE, TWO, ONE] == maps_of(replaced(ragged(ONE, TWO, TWO), np.array([2, 0]), ragged(ONE, THREE)))


def test_maps_are_chosen_from_either_column():
    assert [ONE, THREE] == maps_of(chosen(np.array([True, False]), ragged(ONE, TWO), ragged(TWO, THREE)))
