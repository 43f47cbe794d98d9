"""Numbers of results that are shown more than once."""

from __future__ import annotations

import numpy as np

from slackwater.core.cells import Cells
from slackwater.core.revisions import Revisions


def shown(*windows: int) -> Cells:
    return Cells(np.array(windows), np.zeros(len(windows), np.int64), ())


def test_each_window_is_numbered_by_itself():
    revisions = Revisions()
    assert [0, 0] == revisions.count(shown(3, 4)).tolist()
    assert [1, 0] == revisions.count(shown(4, 5)).tolist()
    assert [1, 2] == revisions.count(shown(3, 4)).tolist()


def test_what_is_closed_is_forgotten_and_nothing_else():
    revisions = Revisions()
    revisions.count(shown(3, 4, 5))
    revisions.forget(np.array([True, False, False]))
    assert [4, 5] == revisions.cells.place.tolist()
    revisions.forget(np.array([False, False]))
    assert [4, 5] == revisions.cells.place.tolist()


def test_nothing_is_held_once_all_is_closed():
    revisions = Revisions()
    revisions.count(shown(3))
    revisions.forget(np.array([True]))
    assert revisions.cells is None
