"""Windows and panes by number: PROD Sec. 2.2 and 2.3, also where the slide does not divide the size."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from slackwater.core.panes import Panes
from slackwater.time import first_open_window, first_window, last_window, window_end, window_is_closed

SIZES = st.tuples(st.integers(1, 50), st.integers(0, 200)).map(lambda pair: (pair[0] + pair[1], pair[0]))
TIMES = st.integers(-1_000, 1_000)


@pytest.mark.parametrize(("time", "windows"), [(211, (10, 12)), (230, (11, 13)), (245, (12, 14))])
def test_e23_window_ids_of_an_event(time, windows):
    assert windows == (first_window(time, 20), last_window(time, 60, 20))


@pytest.mark.parametrize(("punctuation", "window"), [(240, 11), (220, 10)])
def test_e23_a_punctuation_closes_windows_up_to_its_id(punctuation, window):
    assert window == first_open_window(punctuation, 20) - 1


@given(SIZES, TIMES)
def test_an_event_is_in_exactly_the_windows_between_its_first_and_its_last(sizes, time):
    size, slide = sizes
    numbers = np.arange(-1_000 // slide - 2, (1_000 + size) // slide + 2)
    panes = Panes(size, slide)
    inside = numbers[(panes.starts(numbers) <= time) & (time < panes.ends(numbers))]
    assert list(range(first_window(time, slide), last_window(time, size, slide) + 1)) == inside.tolist()


@given(SIZES, TIMES)
def test_the_windows_of_a_pane_are_those_of_its_events(sizes, time):
    size, slide = sizes
    panes, times = Panes(size, slide), np.array([time])
    pane = panes.of(times)
    assert [first_window(time, slide)] == panes.first_window(pane).tolist()
    assert [last_window(time, size, slide)] == panes.last_window(pane).tolist()


@given(SIZES, st.integers(-20, 20))
def test_every_window_has_the_same_number_of_panes(sizes, window):
    panes = Panes(*sizes)
    times = np.arange(int(panes.starts(np.int64(window))), int(panes.ends(np.int64(window))))
    numbers = panes.of(times)
    assert (panes.per_window, numbers[-1] - numbers[0] + 1) == (len(np.unique(numbers)),) * 2


@given(SIZES)
def test_panes_are_never_smaller_than_the_common_divisor(sizes):
    size, slide = sizes
    times = np.arange(0, 4 * slide)
    _, counts = np.unique(Panes(size, slide).of(times), return_counts=True)
    assert counts.min() % np.gcd(size, slide) == 0


@given(st.integers(1, 50), TIMES)
def test_windows_before_the_first_open_one_are_those_that_are_closed(slide, horizon):
    numbers = np.arange(-1_100 // slide, 1_100 // slide)
    closed = window_is_closed(window_end(numbers, slide), horizon)
    assert (numbers < first_open_window(horizon, slide)).tolist() == closed.tolist()
