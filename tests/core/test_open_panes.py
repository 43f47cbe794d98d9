"""The panes that windows still need: windows of 30, one every 10, so that window n has the panes n - 2, n - 1 and n."""

from __future__ import annotations

import pytest

from slackwater.core.algebra import Sum
from slackwater.core.open_panes import OpenPanes
from slackwater.core.panes import Panes
from tests.core.sums import cells, triples

FUNCTIONS = (Sum(),)


def opened(*each: tuple[int, int, int], size: int = 30, **options) -> OpenPanes:
    panes = OpenPanes(Panes(size=size, slide=10), FUNCTIONS, {}, **options)
    if each:
        panes.add(cells(*each))
    return panes


class Stored:
    """Panes that are stored elsewhere; notes which were read."""

    def __init__(self, *each: tuple[int, int, int]):
        self.cells, self.asked = cells(*each), []

    def read(self, numbers):
        self.asked.append(sorted(numbers))
        return {number: self.cells[self.cells.place == number] for number in numbers}


def test_what_comes_to_a_pane_is_added_to_what_it_has():
    panes = opened((5, 0, 1), (7, 0, 2))
    panes.add(cells((5, 0, 10), (5, 1, 20), (6, 0, 30)))
    assert [(5, 0, 11), (5, 1, 20), (6, 0, 30), (7, 0, 2)] == triples(panes.cells())
    assert ([5, 6, 7], {5, 6, 7}) == (panes.numbers().tolist(), panes.changed)


@pytest.mark.parametrize(
    ("start", "stop", "found"),
    [(0, 99, [5, 6, 7, 8, 9]), (6, 8, [6, 7]), (9, 10, [9]), (10, 20, []), (0, 5, []), (0, 6, [5]), (7, 7, [])],
)
def test_windows_are_those_that_have_panes(start, stop, found):
    panes = opened((5, 0, 1), (7, 0, 2))
    sums = {5: 1, 6: 1, 7: 3, 8: 2, 9: 2}
    assert [(window, 0, sums[window]) for window in found] == triples(panes.windows(start, stop))


def test_without_panes_there_are_no_windows():
    assert (None, None, None) == (opened().windows(0, 9), opened().closed(0, 9), opened().cells())


def test_a_pane_is_forgotten_with_the_last_window_that_needs_it():
    panes = opened((5, 0, 1), (7, 0, 2))
    panes.closed(5, 7)
    assert [5, 7] == panes.numbers().tolist()
    panes.closed(7, 8)
    assert ([7], {7}, False, True) == (panes.numbers().tolist(), panes.changed, 5 in panes, 7 in panes)


@pytest.mark.parametrize("step", [1, 2, 3])
def test_windows_of_many_panes_are_the_same_however_few_are_closed_at_once(step):
    values = [(pane, group, 1 << (pane - 20)) for pane in range(20, 40) for group in (0, 1) if (pane + group) % 3]
    panes, found = opened(*values[:20], size=120), []
    for start in range(20, 52, step):
        found += triples(panes.closed(start, min(start + step, 52)))
        if start == 20:
            panes.add(cells(*values[20:]))
    assert triples(opened(*values, size=120).windows(20, 52)) == found
    assert [] == panes.numbers().tolist()


def test_what_comes_between_closings_counts_in_the_windows_that_are_open():
    panes = opened(*((pane, 0, 1) for pane in range(12)), size=120)
    assert [(0, 0, 1)] == triples(panes.closed(0, 1))
    panes.add(cells((1, 0, 100), (3, 1, 1_000), (11, 0, 10_000)))
    assert [(1, 0, 102)] == triples(panes.closed(1, 2))
    assert [(11, 0, 10_112), (11, 1, 1_000)] == triples(panes.closed(2, 12))[-2:]


def test_a_pane_that_is_stored_is_read_when_it_is_needed_and_once():
    stored = Stored((5, 0, 1), (7, 0, 2), (9, 0, 4))
    panes = opened(unread=[5, 7, 9], source=stored)
    assert (3, [5, 7, 9]) == (len(panes), panes.numbers().tolist())
    panes.add(cells((7, 0, 10)))
    assert [[7]] == stored.asked
    assert [(8, 0, 12)] == triples(panes.windows(8, 9))
    assert [(7, 0, 13)] == triples(panes.windows(7, 8))
    assert [[7], [5]] == stored.asked
    panes.read_all()
    assert ([[7], [5], [9]], {7}) == (stored.asked, panes.changed)


def test_a_pane_that_is_put_or_taken_away_is_what_counts():
    panes = opened((5, 0, 1), (7, 0, 2), unread=[9], source=Stored((9, 0, 4)))
    panes[9] = cells((9, 0, 40))
    del panes[5]
    assert [(7, 0, 2), (9, 0, 40)] == triples(panes.cells())
    assert (2, {7, 9}, [7, 9]) == (len(panes), panes.changed, sorted(panes))


def test_a_copy_goes_its_own_way():
    panes = opened((5, 0, 1))
    same = panes.copy()
    same.add(cells((5, 0, 10), (6, 0, 1)))
    assert ([(5, 0, 1)], {5}) == (triples(panes.cells()), panes.changed)
    assert ([(5, 0, 11), (6, 0, 1)], {5, 6}) == (triples(same.cells()), same.changed)
