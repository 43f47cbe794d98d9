"""Events that may be partners."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from slackwater.core.probe import Pool, chunks_of
from slackwater.events import Events


@given(st.lists(st.tuples(st.integers(-2, 2), st.integers(0, 3)), max_size=10))
def test_partners_are_by_event_time_and_then_by_arrival(events):
    times, arrivals = (np.array([event[column] for event in events], np.int64) for column in range(2))
    pool = Pool.of(Events.of(times, arrival=arrivals), np.arange(len(events)) + 100)
    order = sorted(range(len(events)), key=lambda place: events[place])
    assert [events[place][0] for place in order] == pool.time.tolist()
    assert [place + 100 for place in order] == pool.position.tolist()


@given(st.lists(st.integers(0, 9), max_size=12), st.integers(1, 20))
def test_triggers_are_cut_into_chunks_that_are_as_large_as_may_be(counts, most):
    chunks = chunks_of(np.array(counts, np.int64), most)
    assert list(range(len(counts))) == [place for chunk in chunks for place in range(len(counts))[chunk]]
    for chunk in chunks:
        own = counts[chunk]
        assert sum(own) <= most or len(own) == 1
        assert chunk.stop == len(counts) or sum(own) + counts[chunk.stop] > most
