"""Ragged columns behave as lists of dictionaries do."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from slackwater.core.entries import chosen, concatenated, replaced
from slackwater.core.ragged import Ragged

MAPS = st.lists(st.dictionaries(st.integers(-3, 3), st.integers(1, 9), max_size=4), max_size=6)


def ragged(maps: list[dict[int, int]]) -> Ragged:
    triples = [(i, key, value) for i, row in enumerate(maps) for key, value in row.items()]
    entry, keys, values = (np.array([each[n] for each in triples], np.int64) for n in range(3))
    return Ragged.of(entry, keys, values, len(maps), "add")


def together(left: dict[int, int], right: dict[int, int], how: str) -> dict[int, int]:
    if how == "add":
        return dict(sorted((Counter(left) + Counter(right)).items()))
    return {key: max(left.get(key, 0), right.get(key, 0)) for key in sorted({*left, *right})}


@given(MAPS)
def test_entries_come_back(maps):
    assert [dict(sorted(row.items())) for row in maps] == ragged(maps).rows()


@pytest.mark.parametrize("how", ["add", "most"])
@settings(deadline=None)
@given(left=MAPS, right=MAPS)
def test_entries_are_merged_pairwise(how, left, right):
    count = min(len(left), len(right))
    found = ragged(left[:count]).merged(ragged(right[:count]), how).rows()
    assert [together(a, b, how) for a, b in zip(left[:count], right[:count], strict=True)] == found


@pytest.mark.parametrize("how", ["add", "most"])
@settings(deadline=None)
@given(maps=MAPS, seed=st.integers(0, 63))
def test_running_merges_begin_anew(how, maps, seed):
    begins = np.array([i == 0 or bool(seed >> i & 1) for i in range(len(maps))], np.bool_)
    expected: list[dict[int, int]] = []
    for row, anew in zip(maps, begins, strict=True):
        expected.append(together({} if anew else expected[-1], row, how))
    assert expected == ragged(maps).running(begins, how).rows()


@settings(deadline=None)
@given(MAPS, MAPS)
def test_entries_move_as_those_of_arrays_do(left, right):
    index, many = np.arange(len(left)), len(left)
    both = ragged(left + right)
    a, b = both[:many], both[many:]
    assert b.rows() + a.rows() == concatenated([b, a]).rows()
    some = min(len(left), len(right))
    assert b.rows()[:some] + a.rows()[some:] == replaced(a, index[:some], b[:some]).rows()
    flags = np.arange(some) % 2 == 0
    expected = [x if flag else y for flag, x, y in zip(flags, a.rows()[:some], b.rows()[:some], strict=True)]
    assert expected == chosen(flags, a[:some], b[:some]).rows()
