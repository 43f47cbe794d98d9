"""Events that may be partners."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from slackwater.core.probe import Index, Pool, Triggers
from slackwater.events import Events


@given(st.lists(st.tuples(st.integers(-2, 2), st.integers(0, 3)), max_size=10))
def test_partners_are_by_event_time_and_then_by_arrival(events):
    times, arrivals = (np.array([event[column] for event in events], np.int64) for column in range(2))
    pool = Pool.of(Events.of(times, arrival=arrivals), np.arange(len(events)) + 100)
    order = sorted(range(len(events)), key=lambda place: events[place])
    assert [events[place][0] for place in order] == pool.time.tolist()
    assert [place + 100 for place in order] == pool.position.tolist()


@given(
    st.lists(st.tuples(st.integers(0, 2), st.integers(0, 9), st.integers(0, 9)), max_size=12),
    st.lists(st.tuples(st.integers(-1, 2), st.integers(0, 9), st.integers(0, 9)), max_size=5),
    st.integers(1, 4),
)
def test_pairs_are_listed_with_as_many_at_a_time_as_there_is_room_for(events, asking, most):
    events = sorted(events, key=lambda event: event[1])
    code, time, position = np.array(events, np.int64).reshape(-1, 3).T
    index = Index.of(Pool(time, np.arange(len(events)), position), code, 3)
    codes, high, before = np.array(asking, np.int64).reshape(-1, 3).T
    pieces = list(index.pairs(Triggers(codes, high - 4, high, before), most))
    assert all(len(trigger) == most for trigger, _ in pieces[:-1])
    expected = [
        (asks, row)
        for asks, (key, latest, first) in enumerate(asking)
        for row, (own, at, place) in enumerate(events)
        if own == key and latest - 4 <= at <= latest and place < first
    ]
    assert expected == [pair for trigger, row in pieces for pair in zip(trigger.tolist(), row.tolist(), strict=True)]
