"""Placing events in windows, against the rules of `time` taken event by event."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from slackwater.core.arrivals import Arrivals
from slackwater.core.closing import Placed
from slackwater.core.panes import Panes
from slackwater.events import Events
from slackwater.time import first_open_window, first_window, last_window

TIMES = st.lists(st.integers(-40, 40), min_size=1, max_size=30)


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
