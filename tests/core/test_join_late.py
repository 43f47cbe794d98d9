"""A late event that is compared with what the windows still hold (SSG17 Fig. 6), one event at a time and as columns."""

from __future__ import annotations

from itertools import pairwise
from math import prod

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from slackwater.core.join import WindowJoin
from slackwater.events import Tagged


def one_at_a_time(events, windows, closed):
    """Compare each event with all that the other window holds, then insert it, then forget what is too old."""
    held, now, found = ([], []), None, []
    for position, (stream, time) in enumerate(events):
        late = now is not None and time < now
        now = time if now is None else max(now, time)
        for own, window in zip(held, windows, strict=True):
            own[:] = [each for each in own if _covers(now, each[0], window, closed)]
        for other, partner in held[1 - stream]:
            if other <= time or (late and _covers(other, time, windows[stream], closed)):
                found.append((max(time, other), position, partner))
        if _covers(now, time, windows[stream], closed):
            held[stream].append((time, position))
    return sorted(found)


def _covers(now, time, window, closed):
    return time >= now - window if closed == "both" else time > now - window


def as_columns(events, windows, closed, cuts=()):
    logic = WindowJoin(windows, closed, late_completes=True).build(Everything())
    tagged, found, counted = Tagged.of(events), [], 0
    edges = [0, *sorted(min(cut, len(events)) for cut in cuts), len(events)]
    for start, stop in pairwise(edges):
        done = logic.on_batch(tagged[start:stop])
        counted += int(done.completed.sum())
        for time, position, *rows in zip(done.results.time, done.results.position, *done.results.rows, strict=True):
            mine = start + int(position)
            found.append((int(time), mine, int(rows[1 - events[mine][0]])))
    assert counted == len(found)
    return sorted(found)


class Everything:
    """No condition."""

    key_streams = ()
    predicates = ()
    bands = ()

    def codes(self, key_class, stream):
        return np.empty(0, np.int64)

    def code_count(self, key_class):
        return 1

    def passes(self, stream):
        return None


def test_e31_a_late_event_is_compared_with_what_has_not_left_the_window():
    # In tenths: 55 has moved the window past 10, so 40, the fourth to be read, meets 55 alone.
    reads = [(0, 10), (1, 20), (0, 55), (1, 40), (0, 90)]
    assert [(55, 3, 2)] == [pair for pair in as_columns(reads, (40, 40), "both") if pair[1] == 3]


def test_e31_in_order_it_is_compared_with_both():
    reads = [(0, 10), (1, 20), (1, 40), (0, 55)]
    assert [(20, 1, 0), (40, 2, 0), (55, 3, 1), (55, 3, 2)] == as_columns(reads, (40, 40), "both")


EVENTS = st.lists(st.tuples(st.integers(0, 1), st.integers(0, 30)), max_size=25)


@given(
    EVENTS,
    st.tuples(st.integers(1, 8), st.integers(1, 8)),  # no window is empty, as sw.join sees to
    st.sampled_from(["both", "right"]),
    st.lists(st.integers(0, 25), max_size=3),
)
def test_columns_find_what_one_event_at_a_time_finds(events, windows, closed, cuts):
    assert one_at_a_time(events, windows, closed) == as_columns(events, windows, closed, cuts)


@pytest.mark.parametrize("closed", ["both", "right"])
def test_in_order_nothing_differs_from_a_join_without_the_option(closed):
    events = [(number % 2, number) for number in range(20)]
    plain = WindowJoin((3, 5), closed).build(Everything()).on_batch(Tagged.of(events))
    assert len(plain.results) == len(as_columns(events, (3, 5), closed))


@given(
    st.lists(st.tuples(st.integers(0, 2), st.integers(0, 12)), max_size=15).map(
        lambda e: sorted(e, key=lambda x: x[1])
    ),
    st.tuples(*[st.integers(1, 6)] * 3),
    st.integers(0, 15),
)
def test_an_event_is_offered_all_combinations_of_what_the_other_windows_hold(events, windows, cut):
    expected = []
    for position, (stream, now) in enumerate(events):
        before = events[:position]
        held = [sum(s == other and now - windows[other] <= t for s, t in before) for other in range(3)]
        expected.append(prod(held[other] for other in range(3) if other != stream))
    logic, tagged = WindowJoin(windows).build(Everything()), Tagged.of(events)
    parts = [logic.on_batch(part, cross=True) for part in (tagged[:cut], tagged[cut:])]
    assert expected == [each for part in parts for each in part.cross.tolist()]
