"""What is foreseen of a batch against what the buffer does with it, part by part."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from slackwater.core.buffer import MemoryBuffer
from slackwater.core.reorder import KSlack
from slackwater.events import Events
from slackwater.spark.state import ChunkedBuffer, MemoryChunks, Payload

EVENTS = st.lists(st.tuples(st.integers(0, 30), st.booleans()), min_size=1, max_size=40)  # time, with a new arrival


def events_of(given: list[tuple[int, bool]], first: int) -> Events:
    times, arrives = np.array(given, np.int64).reshape(-1, 2).T
    return Events.of(times.tolist(), arrival=(first + np.cumsum(arrives)).tolist())


@pytest.mark.parametrize("release", ["arrival", "clock"])
@settings(max_examples=150, deadline=None)
@given(batches=st.lists(EVENTS, min_size=1, max_size=3), data=st.data())
def test_what_is_foreseen_is_what_leaves_part_by_part(release, batches, data):
    logic = KSlack(release).build(MemoryBuffer())
    for number, batch in enumerate(batches):
        arrivals = logic.arrive(events_of(batch, 100 * number))
        slack = np.array(data.draw(st.lists(st.integers(0, 12), min_size=arrivals.steps, max_size=arrivals.steps)))
        cuts = sorted(data.draw(st.sets(st.integers(1, arrivals.steps))) | {arrivals.steps})
        ahead = logic.late_ahead(arrivals)
        for start, stop in zip([0, *cuts], cuts, strict=False):
            foreseen = ahead and ahead.on_part(start, logic.horizon(arrivals, slack[start:stop], start, stop))
            out = logic.on_batch(arrivals.part(start, stop), slack[start:stop])
            assert foreseen in (None, (len(out.in_order), len(out.late)))


def test_nothing_is_foreseen_where_more_is_held_than_comes():
    logic = KSlack().build(MemoryBuffer(Events.of(range(9))))
    assert logic.late_ahead(logic.arrive(Events.of([9]))) is None


def test_nothing_is_foreseen_where_what_is_held_would_have_to_be_read():
    logic = KSlack().build(ChunkedBuffer(MemoryChunks(), Payload(pa.table({"x": [1]})), [], 0))
    assert logic.late_ahead(logic.arrive(Events.of([9]))) is None
