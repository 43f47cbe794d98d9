"""Which windows a prod asks for."""

from __future__ import annotations

import numpy as np

from slackwater.core.cells import Cells
from slackwater.core.prods import Ask, Prods

WINDOWS = Cells(np.array([-(2**61), 3, 4, 5, 2**61]), np.array([0, 0, 1, 2, 0]), ())


def asked(ask: Ask) -> list[int]:
    return np.flatnonzero(ask.matches(WINDOWS)).tolist()


def test_who_asks_for_nothing_in_particular_asks_for_the_windows_of_all_times():
    assert [0, 1, 2, 3, 4] == asked(Ask())


def test_the_first_and_the_last_window_are_asked_for_too():
    assert [1, 2, 3] == asked(Ask(first=3, last=5))


def test_of_some_groups_only_their_windows_are_asked_for():
    assert [2] == asked(Ask(first=3, last=4, groups=np.array([1, 2])))


def due(prods: Prods, clock, before: int) -> list[tuple[int, int, int]]:
    return [(step, ask.first, ask.last) for step, ask in prods.due(np.array(clock), before, 10)]


def test_windows_are_asked_for_once_the_clock_is_no_more_than_the_lead_before_their_end():
    assert [(1, 0, 0), (3, 1, 2)] == due(Prods(leads=(5,)), [4, 5, 14, 25], 0)
    assert [(0, 1, 1)] == due(Prods(leads=(5,)), [15, 16], 5)


def test_all_windows_are_asked_for_every_so_often():
    assert [1, 3] == [step for step, _, _ in due(Prods(every=20), [19, 20, 39, 60], 0)]
    assert [] == due(Prods(every=20), [21, 39], 20)
