"""Windows without events are reported where they are asked for, however the windows are cut into ranges."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from slackwater.core.algebra import Count, Sum
from slackwater.core.cells import Cells
from slackwater.core.empty_windows import EmptyWindows

LAST = 15
PLACES = st.sets(st.tuples(st.integers(0, LAST), st.integers(0, 2)), max_size=12)


def cells_of(places: set[tuple[int, int]]) -> Cells | None:
    place, group = (np.array(column, np.int64) for column in zip(*sorted(places), strict=True)) if places else ([], [])
    return Cells(place, group, ((np.ones(len(place), np.int64),),)) if len(place) else None


def shown(cells: Cells | None) -> list[tuple[int, int, int]]:
    if cells is None:
        return []
    return list(zip(cells.place.tolist(), cells.group.tolist(), cells.states[0][0].tolist(), strict=True))


@settings(deadline=None)
@given(places=PLACES, reach=st.none() | st.integers(1, 5), cuts=st.sets(st.integers(1, LAST)))
def test_a_group_is_reported_for_its_reach_after_each_window_with_events(places, reach, cuts):
    expected = [
        (window, group, int((window, group) in places))
        for window in range(LAST + 1)
        for group in range(3)
        if (window, group) in places
        or any((before, group) in places for before in range(0 if reach is None else max(window - reach, 0), window))
    ]
    empty, found = EmptyWindows((Count(),), reach), []
    for start, stop in pairwise([0, *sorted(cuts), LAST + 1]):
        found += shown(empty.filled(cells_of({each for each in places if start <= each[0] < stop}), start, stop))
    assert expected == found


def test_groups_that_are_no_longer_reported_are_forgotten():
    empty = EmptyWindows((Count(),), 3)
    empty.filled(cells_of({(1, 0), (4, 1)}), 0, 6)
    assert [1] == empty.seen.group.tolist()


def test_values_of_windows_without_events_are_null():
    found = EmptyWindows((Sum(),), None, Cells(np.array([0]), np.array([0]), ())).filled(None, 1, 3)
    assert [False, False] == Sum().lower(found.states[0])[1].tolist()
