"""Events that were set aside, and the windows that wait for them: windows of 20, one every 10, by hand."""

from __future__ import annotations

import numpy as np
import pytest

from slackwater.core.algebra import Sum
from slackwater.core.arrivals import Arrivals
from slackwater.core.cells import Cells, Input
from slackwater.core.panes import Panes
from slackwater.core.sidelined import SidelinedLogic, Waiting
from slackwater.events import Events
from slackwater.time import BEFORE_ALL_TIME
from tests.core.sums import cells as windows

PANES = Panes(size=20, slide=10)


class Taking:
    """An aggregate that closed windows up to a time, and gives back those that cells came too late for."""

    def __init__(self, closed_to: int = BEFORE_ALL_TIME, back: Cells | None = None):
        self.closed_to, self.back, self.taken = closed_to, back, []

    def take_back(self, cells: Cells) -> Cells | None:
        self.taken.append((cells.place.tolist(), cells.states[0][0].tolist()))
        return self.back


def column(*values) -> np.ndarray:
    return np.array(values, np.int64)


def sidelined(*times: int, logic: Taking | None = None, state=None) -> SidelinedLogic:
    out = SidelinedLogic(PANES, [Sum()], logic or Taking(), state)
    time = column(*times)
    out.set_aside(np.arange(len(time)), time, np.zeros(len(time), np.int64), [Input(time * 100)])
    return out


def waiting(*times: int, valid=None) -> Waiting:
    return Waiting(column(*times), column(*times) % 10, (Input(column(*times) * 100, valid),))


def test_those_of_the_oldest_panes_come_first_and_then_those_that_came_first():
    both = waiting(25, 3, 21).joined_by(waiting(22, 5, 11), PANES)
    assert [3, 5, 11, 25, 21, 22] == both.time.tolist()
    assert [300, 500, 1100, 2500, 2100, 2200] == both.inputs[0].values.tolist()
    assert [3, 5, 1, 5, 1, 2] == both.group.tolist()


def test_one_alone_is_in_order_too():
    assert [3, 25] == waiting(25, 3).joined_by(Waiting.none(), PANES).time.tolist()
    assert [3, 25] == Waiting.none().joined_by(waiting(25, 3), PANES).time.tolist()


def test_values_are_known_where_nobody_said_that_they_are_not():
    both = waiting(1, 2, valid=np.array([True, False])).joined_by(waiting(3), PANES)
    assert [True, False, True] == both.inputs[0].valid.tolist()
    both = waiting(1).joined_by(waiting(2, 3, valid=np.array([False, True])), PANES)
    assert [True, False, True] == both.inputs[0].valid.tolist()
    assert waiting(1).joined_by(waiting(2), PANES).inputs[0].valid is None


@pytest.mark.parametrize(
    ("window", "final"), [(0, True), (1, True), (2, False), (3, False), (4, True), (5, False), (6, False), (7, True)]
)
def test_a_window_is_held_while_events_of_it_wait(window, final):
    found = sidelined(25, 59).withhold(windows((window, 0, 1)), column(0), np.array([True]))
    assert [final] == found.tolist()


def test_a_window_that_is_shown_early_is_not_held():
    assert [False] == sidelined(25).withhold(windows((2, 0, 1)), column(0), np.array([False])).tolist()


def test_where_nobody_waits_nothing_is_held():
    assert [True] == sidelined().withhold(windows((2, 0, 1)), column(0), np.array([True])).tolist()
    assert 0 == len(sidelined())


def test_a_held_window_is_final_with_the_last_of_its_events_and_has_the_next_number():
    logic = Taking(back=windows((2, 0, 2_500), (3, 0, 2_500)))
    aside = sidelined(25, 38, logic=logic)
    aside.withhold(windows((3, 0, 7), (2, 0, 5)), column(4, 6), np.array([True, True]))
    done, number = aside.work_off(1)
    assert ([([2], [2_500])], 1) == (logic.taken, len(aside))
    assert ([2], [2_505], [7]) == (done.place.tolist(), done.states[0][0].tolist(), number.tolist())
    logic.back = windows((3, 0, 3_800))
    done, number = aside.work_off(1)
    assert ([3], [7 + 2_500 + 3_800], [5]) == (done.place.tolist(), done.states[0][0].tolist(), number.tolist())
    assert aside.snapshot().held is None


def test_windows_of_groups_that_are_held_are_by_window_and_group():
    aside = sidelined(25)
    aside.withhold(windows((3, 1, 1), (3, 0, 2), (2, 5, 3)), column(0, 0, 0), np.ones(3, np.bool_))
    held = aside.snapshot().held
    assert ([2, 3, 3], [5, 0, 1]) == (held.place.tolist(), held.group.tolist())


def test_to_work_off_nothing_does_nothing():
    logic = Taking()
    assert sidelined(25, logic=logic).work_off(0) is None
    assert [] == logic.taken


def test_events_that_no_closed_window_waited_for_make_none_final():
    assert sidelined(25).work_off(1) is None


def test_a_slide_is_crowded_after_its_first_events():
    aside, slack = sidelined(), np.zeros(4, np.int64)
    came = Arrivals.after(None, Events.of([5, 6, 12, 7], arrival=[0, 1, 2, 3]))
    assert [3] == aside.crowded(came, slack + 100, limit=2).tolist()
    more = Arrivals.after(12, Events.of([8, 13, 14, 25]))
    assert [0, 2] == aside.crowded(more, slack + 100, limit=2).tolist()
    assert {0: 4, 1: 3, 2: 1} == aside.snapshot().came


def test_an_event_that_missed_one_of_its_windows_is_taken_in():
    came = Arrivals.after(None, Events.of([5, 12, 7, 13]))
    assert [0, 1, 3] == sidelined().crowded(came, np.zeros(4, np.int64), limit=0).tolist()


def test_a_slide_is_forgotten_once_its_first_window_is_closed():
    logic = Taking()
    aside = sidelined(logic=logic)
    aside.crowded(Arrivals.after(None, Events.of([5, 12, 25])), np.full(3, 100), limit=9)
    logic.closed_to = 20
    assert {2: 1} == aside.snapshot().came
