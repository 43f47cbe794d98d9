from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from slackwater.advice.waits import mean_waits, waits, without_silences
from slackwater.core.arrivals import Arrivals
from slackwater.core.event_needs import slack_needed
from slackwater.events import Events

TIMES = st.lists(st.integers(0, 40), min_size=1, max_size=30)


def held_one_by_one(times: list[int], slack: int) -> list[int]:
    """Run a buffer event by event; return how far the clock moved while each was held, late ones left out."""
    clock, passed_on, buffer, found = -1, -1, [], {}
    for number, time in enumerate(times):
        clock = max(clock, time)
        if time < passed_on:
            continue
        buffer.append((time, number, clock))
        ready = sorted(each for each in buffer if each[0] <= clock - slack)
        buffer = [each for each in buffer if each not in ready]
        for released, place, came in ready:
            passed_on = max(passed_on, released)
            found[place] = clock - came
    found |= {place: clock - came for _, place, came in buffer}
    return [found[place] for place in sorted(found)]


@settings(deadline=None)
@given(TIMES, st.integers(0, 15))
def test_waits_are_those_of_a_buffer_that_takes_one_event_at_a_time(times, slack):
    arrivals = Arrivals.after(None, Events.of(times))
    late = slack_needed(arrivals) > slack
    assert held_one_by_one(times, slack) == waits(arrivals, slack, late).tolist()


@settings(deadline=None)
@given(TIMES, st.integers(0, 15))
def test_the_means_of_constants_are_those_of_their_waits(times, slack):
    arrivals = Arrivals.after(None, Events.of(times))
    needed, clock = slack_needed(arrivals), without_silences(arrivals.clock, 5)
    slacks = np.array([0, slack])
    expected = [waits(arrivals, each, needed > each, clock).mean() for each in slacks]
    assert np.allclose(expected, mean_waits(arrivals, needed, slacks, clock))


def test_a_silence_counts_as_no_more_than_it_may():
    arrivals = Arrivals.after(None, Events.of([0, 10, 1_000]))
    clock = without_silences(arrivals.clock, 60)
    assert [10, 60, 0] == waits(arrivals, 5, np.zeros(3, np.bool_), clock).tolist()
