"""Windows that are shown before they close, by hand: one ends every 10, and is shown from 4 before its end on."""

from __future__ import annotations

import numpy as np
import pytest

from slackwater.core.algebra import Sum
from slackwater.core.arrivals import Arrivals
from slackwater.core.cells import Input
from slackwater.core.early_windows import Fragments, Showing, odd_cells, rolled
from slackwater.core.panes import Panes
from slackwater.events import Events
from tests.core.sums import cells, triples

FUNCTIONS = (Sum(),)


def column(*values) -> np.ndarray:
    return np.array(values, np.int64)


def showing(times, *, before=0, lead=4, earliest=-99, steps=None) -> tuple[Showing, Arrivals]:
    arrivals = Arrivals.after(before, Events.of(times))
    return Showing.of(lead, arrivals, len(times) if steps is None else steps, 10, earliest), arrivals


@pytest.mark.parametrize(
    ("before", "times", "shown"),
    [(0, [5], (0, 0)), (0, [6], (0, 1)), (6, [15], (1, 1)), (6, [16], (1, 2)), (5, [36], (0, 4)), (0, [16, 3], (0, 2))],
)
def test_a_window_is_shown_once_the_clock_is_no_more_than_the_lead_before_its_end(before, times, shown):
    found, _ = showing(times, before=before)
    assert shown == (found.start, found.stop)


def test_no_window_before_the_earliest_is_shown():
    found, _ = showing([36], earliest=2)
    assert (2, 4) == (found.start, found.stop)
    found, _ = showing([36], earliest=9)
    assert (9, 9) == (found.start, found.stop)


def test_only_what_is_due_in_the_first_steps_is_shown():
    assert [0, 1, 3] == [showing([6, 26], steps=steps)[0].stop for steps in range(3)]


def test_a_window_is_shown_after_the_first_step_that_comes_near_enough():
    found, _ = showing([5, 6, 16, 17])
    assert [1, 2, 4] == found.steps_of(column(10, 20, 30)).tolist()
    assert [True, False, True] == found.shows_at(column(10, 20, 20), column(1, 1, 2)).tolist()


def test_a_window_that_was_near_enough_before_is_not_shown_again():
    found, _ = showing([7, 8], before=6)
    assert [False] == found.shows_at(column(10), column(0)).tolist()
    found, _ = showing([7, 8], before=5)
    assert [True] == found.shows_at(column(10), column(0)).tolist()


def test_an_event_misses_the_windows_that_were_shown_before_it_came():
    # After the second event window 0 is shown, after the fourth window 1.
    found, arrivals = showing([5, 6, 7, 16, 8, 15])
    first = column(0, 0, 0, 1, 0, 1)
    assert [0, 0, 1, 0, 2, 1] == found.missed_by(arrivals, np.arange(6), first).tolist()


@pytest.mark.parametrize("times", [[5, 6, 7, 16, 8, 15], [5, 96, 7, 96, 8, 15]])
def test_a_fragment_tells_none_one_and_more_missed_windows_apart(times):
    found, arrivals = showing(times)
    first = arrivals.events.time // 10
    missed = found.missed_by(arrivals, np.arange(6), first)
    fragment, odd, more = found.missed(arrivals, first, first, first + 1)  # who missed two is in no window
    assert (first * 3 + np.minimum(missed, 2)).tolist() == fragment.tolist()
    assert ([], []) == (odd.tolist(), more.tolist())


def test_an_event_that_missed_several_windows_but_not_all_is_told_with_how_many():
    found, arrivals = showing([5, 16, 7])
    fragment, odd, more = found.missed(arrivals, column(0, 1, 0), column(0, 1, 0), column(2, 3, 2))
    assert ([0, 3, 2], [2], [2]) == (fragment.tolist(), odd.tolist(), more.tolist())
    assert [] == found.missed(arrivals, column(0, 1, 0), column(0, 1, 0), column(1, 2, 1))[1].tolist()


def test_fragments_of_a_pane_together_are_the_pane():
    values = Input(column(1, 10, 100, 1_000))
    fragments = Fragments.of(FUNCTIONS, column(6, 7, 8, 10), column(0, 0, 0, 0), [values])
    assert [[(2, 0, 1)], [(2, 0, 10), (3, 0, 1_000)], [(2, 0, 100)]] == [
        triples(fragments.missing(count)) for count in range(3)
    ]
    assert [(2, 0, 111), (3, 0, 1_000)] == triples(fragments.panes(FUNCTIONS))


def test_events_that_missed_many_are_told_apart_by_how_many():
    found = odd_cells(FUNCTIONS, column(5, 5, 6), column(2, 4, 2), column(0, 0, 1), [Input(column(1, 10, 100))])
    assert {2: [(5, 0, 1), (6, 1, 100)], 4: [(5, 0, 10)]} == {count: triples(each) for count, each in found.items()}
    assert {} == odd_cells(FUNCTIONS, column(), column(), column(), [Input(column())])


@pytest.mark.parametrize(
    ("parts", "windows"),
    [
        ({0: cells((5, 0, 1))}, [(5, 0, 1), (6, 0, 1), (7, 0, 1)]),
        ({1: cells((5, 0, 1))}, [(6, 0, 1), (7, 0, 1)]),
        ({2: cells((5, 0, 1))}, [(7, 0, 1)]),
        ({3: cells((5, 0, 1))}, []),
        ({0: cells((6, 0, 1)), 2: cells((4, 0, 10), (5, 0, 100))}, [(6, 0, 11), (7, 0, 101), (8, 0, 1)]),
        ({0: cells((6, 0, 1))[:0], 2: cells((5, 0, 100))}, [(7, 0, 100)]),
    ],
)
def test_a_pane_that_missed_windows_is_in_those_behind_them(parts, windows):
    assert windows == triples(rolled(parts, Panes(30, 10), FUNCTIONS, start=0, stop=99))


def test_only_the_windows_that_are_asked_for_are_rolled_up():
    parts = {0: cells((5, 0, 1)), 2: cells((4, 0, 10), (5, 0, 100))}
    assert [(6, 0, 11)] == triples(rolled(parts, Panes(30, 10), FUNCTIONS, start=6, stop=7))


@pytest.mark.parametrize(("missed", "windows"), [(0, [2, 3, 4]), (1, [3, 4]), (2, [4]), (3, [])])
def test_where_a_window_is_no_whole_number_of_slides_a_pane_misses_windows_likewise(missed, windows):
    # Windows of 25: a slide has two panes; the second half of the slide [20, 30) is in the windows 2, 3 and 4.
    found = rolled({missed: cells((5, 0, 1))}, Panes(25, 10), FUNCTIONS, start=0, stop=99)
    assert windows == [window for window, _, _ in triples(found)]
