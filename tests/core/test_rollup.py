"""From panes to windows, against windows that add up their events one by one."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from slackwater.core.algebra import Sum
from slackwater.core.cells import Cells
from slackwater.core.panes import Panes
from slackwater.core.rollup import _covered as covered
from slackwater.core.rollup import rolled_around, windows_of
from tests.core.sums import triples

EVENTS = st.lists(st.tuples(st.integers(-40, 40), st.integers(0, 2)), max_size=30)
SHAPES = st.sampled_from([(10, 10), (30, 10), (25, 10), (40, 10), (17, 5)])


def cells_of(events, panes: Panes) -> Cells | None:
    """The sums of events that count 1, 2, 4, ... so that a sum says which they are."""
    sums = defaultdict(int)
    for number, (time, group) in enumerate(events):
        sums[int(panes.of(np.array([time]))[0]), group] += 1 << number
    if not sums:
        return None
    place, group = np.array(sorted(sums), np.int64).T
    values = np.array([sums[each] for each in sorted(sums)])
    return Cells(place, group, ((values, np.ones(len(values), np.int64)),))


def expected_of(events, panes: Panes, start: int, stop: int):
    sums = defaultdict(int)
    for window in range(start, stop):
        end = (window + 1) * panes.slide
        for number, (time, group) in enumerate(events):
            if end - panes.size <= time < end:
                sums[window, group] += 1 << number
    return sorted((window, group, total) for (window, group), total in sums.items())


@settings(deadline=None)
@given(EVENTS, SHAPES, st.integers(-8, 8), st.integers(0, 12))
def test_a_window_has_the_events_between_its_start_and_its_end(events, shape, start, count):
    panes = Panes(*shape)
    cells = cells_of(events, panes)
    if cells is not None:
        found = windows_of(cells, panes, [Sum()], start=start, stop=start + count)
        assert expected_of(events, panes, start, start + count) == triples(found)


@settings(deadline=None)
@given(EVENTS, st.sampled_from([(30, 10), (25, 10), (40, 10), (17, 5)]), st.integers(-8, 8), st.integers(1, 3))
def test_a_piece_that_all_windows_share_is_combined_beforehand(events, shape, start, count):
    panes, stop = Panes(*shape), start + count
    low, high = panes.first_pane(stop - 1), panes.end_pane(start)  # all have these
    if low >= high:
        return
    place = [int(panes.of(np.array([time]))[0]) for time, _ in events]
    parts = []
    for first, last in ((panes.first_pane(start), low), (low, high), (high, panes.end_pane(stop - 1))):
        mine = [each if first <= at < last else (10**6, 9) for each, at in zip(events, place, strict=True)]
        cells = cells_of(mine, panes)
        parts.append(None if cells is None else cells[cells.group < 9])
    before, shared, after = parts
    shared = None if shared is None or not len(shared) else shared.by_group([Sum()])
    found = rolled_around(before, shared, after, panes, [Sum()], start=start, stop=stop)
    assert expected_of(events, panes, start, stop) == triples(found)


@pytest.mark.parametrize(
    ("start", "stop", "windows"),
    [
        (0, 9, [(1, 0, 0), (2, 0, 1), (3, 0, 1), (4, 1, 1), (6, 2, 2), (2, 3, 3)]),
        (2, 4, [(2, 0, 1), (3, 0, 1), (2, 3, 3)]),
        (4, 6, [(4, 1, 1)]),
        (5, 6, []),
    ],
)
def test_a_window_has_the_cells_from_the_first_to_the_last_that_are_in_it(start, stop, windows):
    group, first, last = np.array([0, 0, 0, 1]), np.array([1, 2, 6, 2]), np.array([3, 4, 6, 2])
    found = covered(group, first, last, start, stop)
    assert windows == list(zip(*(column.tolist() for column in found), strict=True))
