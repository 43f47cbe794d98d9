"""Which windows events come in time for: by hand (windows of 20, one every 10, that end at 10 (n + 1)), and by rule."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from slackwater.core.arrivals import Arrivals
from slackwater.core.cells import Cells
from slackwater.core.closing import Closed, Placed, in_order
from slackwater.core.panes import Panes
from slackwater.events import Events
from slackwater.time import BEFORE_ALL_TIME, first_open_window, first_window, last_window

PANES = Panes(size=20, slide=10)
TIMES = st.lists(st.integers(-40, 40), min_size=1, max_size=30)


def placed(times, *, slack=0, closed_to=BEFORE_ALL_TIME, **promised) -> Placed:
    return Placed.of(PANES, Arrivals.after(None, Events.of(times)), slack, closed_to, **promised)


def shown(windows, *, step, final, number=None) -> Closed:
    place = np.array(windows, np.int64)
    some = Cells(place, np.zeros(len(place), np.int64), ((place * 100, place),))
    none = np.empty(0, np.int64)
    return Closed(some, np.array(step), None if number is None else np.array(number), np.array(final), none, none, none)


def test_an_event_is_in_the_windows_that_were_open_before_it_came():
    found = placed([5, 19, 5, 20, 9])
    assert ([5, 19, 19, 20, 20], [0, 1, 0, 2, 0]) == (found.reached.tolist(), found.first.tolist())
    assert ([2, 4], [1, 2], [1, 1]) == (found.behind.tolist(), found.entry.tolist(), found.last.tolist())


def test_an_event_is_late_where_all_its_windows_were_closed():
    assert [4] == placed([5, 19, 5, 20, 9]).late.tolist()
    assert [] == placed([5, 19, 5, 20, 9], slack=1).late.tolist()


def test_an_event_straggles_where_it_missed_some_of_the_windows_open_before():
    assert [2] == placed([5, 19, 5, 20, 9]).straggling(-9).position.tolist()
    assert [] == placed([5, 19, 5, 20, 9]).straggling(1).position.tolist()


def test_a_horizon_that_was_reached_stays():
    assert [5, 5] == placed([5, 19], slack=np.array([0, 100]), closed_to=3).reached.tolist()


def test_what_the_input_promises_closes_windows_before_the_step():
    found = placed([5, 6], promised=np.array([BEFORE_ALL_TIME, 20]))
    assert ([5, 20], [1], [20]) == (found.reached.tolist(), found.late.tolist(), found.late_closed.tolist())


def test_after_a_step_closed_windows_come_before_early_ones():
    closed, early = shown([1, 2], step=[3, 5], final=[True] * 2), shown([4, 5, 6], step=[2, 3, 5], final=[False] * 3)
    found = in_order(closed, [early])
    assert ([4, 1, 5, 2, 6], [2, 3, 3, 5, 5]) == (found.windows.place.tolist(), found.step.tolist())
    assert [False, True, False, True, False] == found.final.tolist()
    assert found.number is None


def test_numbers_go_with_their_windows():
    closed = shown([1], step=[3], final=[True], number=[7])
    found = in_order(closed, [shown([4, 5], step=[2, 3], final=[False] * 2, number=[8, 9])])
    assert ([4, 1, 5], [8, 7, 9]) == (found.windows.place.tolist(), found.number.tolist())


def test_windows_that_two_leads_show_after_one_step_are_by_window():
    leads = [shown([4, 9], step=[2, 2], final=[False] * 2), shown([3], step=[2], final=[False])]
    assert [3, 4, 9] == in_order(shown([], step=[], final=[]), leads).windows.place.tolist()
    assert [5, 3, 4, 9] == in_order(shown([5], step=[2], final=[True]), leads).windows.place.tolist()


def test_what_is_shown_early_alone_is_in_order():
    found = in_order(shown([], step=[], final=[]), [shown([4, 3], step=[1, 2], final=[False] * 2)])
    assert ([4, 3], [1, 2]) == (found.windows.place.tolist(), found.step.tolist())


def test_where_nothing_is_early_what_closed_is_all():
    closed = shown([1], step=[3], final=[True])
    assert closed is in_order(closed, []) is in_order(closed, [shown([], step=[], final=[])])


@settings(max_examples=150, deadline=None)
@given(times=TIMES, together=st.booleans(), size=st.sampled_from([10, 25, 30]), data=st.data())
def test_events_are_placed_as_the_rules_say(times, together, size, data):
    arrival = [number // 3 for number in range(len(times))] if together else None
    arrivals = Arrivals.after(None, Events.of(times, arrival=arrival))
    slack = np.array(data.draw(st.lists(st.integers(0, 20), min_size=arrivals.steps, max_size=arrivals.steps)))
    placed, closed_to = Placed.of(Panes(size, 10), arrivals, slack, -50), -50
    late, straggling, missed_none = [], [], []
    for step in range(arrivals.steps):
        opened = first_open_window(closed_to, 10)
        for i in np.flatnonzero(arrivals.step_of(np.arange(len(times))) == step).tolist():
            first, last = first_window(times[i], 10), last_window(times[i], size, 10)
            (missed_none if opened <= first else straggling if opened <= last else late).append(i)
        closed_to = max(closed_to, int(arrivals.clock[step] - slack[step]))
        assert closed_to == placed.reached[step]
    assert [time // 10 for time in times] == placed.first.tolist()
    assert min(time // 10 for time in times) == placed.earliest
    assert late == placed.late.tolist()
    assert straggling == placed.straggling(-5).position.tolist()
    assert sorted({*range(len(times))} - {*placed.behind.tolist()}) == missed_none
