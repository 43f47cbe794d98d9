"""Windows without events are reported where they are asked for, however the windows are cut into ranges."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from hypothesis import example, given, settings
from hypothesis import strategies as st

from slackwater.core.aggregate import WindowAggregate
from slackwater.core.algebra import Count, Sum
from slackwater.core.cells import Cells, Input
from slackwater.core.empty_windows import EmptyWindows
from slackwater.core.panes import Panes
from slackwater.core.punctuations import Punctuation
from slackwater.events import Events

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


def test_of_each_group_only_the_last_window_with_events_is_remembered():
    empty = EmptyWindows((Count(),), None)
    empty.filled(cells_of({(window, group) for window in range(4) for group in range(3)}), 0, 5)
    assert ([3, 3, 3], [0, 1, 2]) == (empty.seen.place.tolist(), empty.seen.group.tolist())


def test_values_of_windows_without_events_are_null():
    found = EmptyWindows((Sum(),), None, Cells(np.array([0]), np.array([0]), ())).filled(None, 1, 3)
    assert [False, False] == Sum().lower(found.states[0])[1].tolist()


PROMISES = st.lists(st.tuples(st.integers(0, 60), st.none() | st.integers(0, 60), st.none() | st.integers(0, 2)))


def promised(until: int, since: int | None, group: int | None) -> Punctuation:
    if group is not None:
        return Punctuation(until, groups=np.array([group]))
    return Punctuation(until) if since is None else Punctuation(max(since, until), since=min(since, until))


@settings(deadline=None)
@example(events=[(0, 0), (10, 0), (15, 0)], windows=(5, 5), reach=None, promises=[(15, 6, None), (5, None, None)])
@given(
    events=st.lists(st.tuples(st.integers(0, 60), st.integers(0, 2)), min_size=1, max_size=12),
    windows=st.sampled_from([(5, 5), (10, 5), (9, 3)]),
    reach=st.none() | st.integers(1, 5),
    promises=PROMISES,
)
def test_punctuations_of_groups_and_ranges_close_the_same_windows_without_events(events, windows, reach, promises):
    def closed(promises: list[Punctuation]) -> list[tuple[int, int, int]]:
        logic = WindowAggregate(Panes(*windows), (Count(),), with_empty=True, reach=reach).build()
        time, group = map(list, zip(*events, strict=True))
        logic.on_batch(logic.arrive(Events.of(time)), np.array(group), [Input(np.zeros(len(time)))], slack=1_000)
        steps = [logic.on_punctuation(each) for each in promises]
        return sorted(row for step in [*steps, logic.on_end()] for row in shown(step.windows))

    last = max(time for time, _ in events)
    kept = [(until, since, group) for until, since, group in promises if max(until, since or 0) <= last]
    assert closed([]) == closed([promised(*each) for each in kept])
