"""How long each event has to be waited for, so that it does not come too late to a join: its lag.

The synchronizer passes on nothing later than `slowest clock - slack`, so an event that comes at most the slack behind
the slowest clock is in order. One that comes further behind is late only if something later has been passed on
already, so the lag is an upper bound of what the event needs: where events are dense it exceeds that by a gap between
two of them. Where nothing is joined the same holds for the delay.

In a total order an event is late as well behind one of its own time from a stream further back. Nothing of its time has
left if the slack exceeds the lag, and nothing of a stream further back if the slack covers its delay, which keeps its
own stream in order: the lesser of the two is needed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from slackwater.compiled import compiled
from slackwater.core.needed import Needs, NeedsState
from slackwater.events import Events

if TYPE_CHECKING:
    from slackwater.core.arrivals import Arrivals
    from slackwater.core.merged import MergedArrivals
    from slackwater.events import Rows
    from slackwater.time import Times


class EventNeeds:
    """Takes every event for a result; a profile as `NeedsProfile` is, but it looks at all and remembers nothing."""

    def __init__(self, streams: int, *, total_order: bool = False) -> None:
        self._streams = streams
        self._total_order = total_order

    def on_batch(self, arrivals: MergedArrivals, interval: Rows, *, intervals: int) -> Needs:
        """Return what events need: each that came behind by itself, the others of an interval as one."""
        parts = [Needs.none()]
        in_time = np.zeros(intervals)
        for stream in range(self._streams):
            time = arrivals.streams[stream].events.time
            step = arrivals.per_event(stream, np.arange(arrivals.steps))
            lag = arrivals.before[step] - time
            if self._total_order:
                lag = np.minimum(lag + 1, arrivals.streams[stream].delay)
            behind = np.flatnonzero(lag > 0)
            parts.append(Needs(step[behind], time[behind], lag[behind], np.ones(len(behind)), time[behind] + 1))
            in_time += np.bincount(interval[step[lag <= 0]], minlength=intervals)
        some = np.flatnonzero(in_time)
        last = np.searchsorted(interval, some, side="right") - 1
        clock = arrivals.clock[last]
        parts.append(Needs(last, clock, np.zeros(len(some), np.int64), in_time[some], clock + 1))
        return Needs.concat(parts)

    @property
    def seen(self) -> tuple[Events, ...]:
        """No event is kept for later."""
        return (Events.none(),) * self._streams

    def snapshot(self) -> NeedsState:
        """Return that nothing is remembered."""
        return NeedsState()


def slack_needed(arrivals: Arrivals) -> Times:
    """Return the smallest constant slack with which each event of a stream is not late: exact, from its start on.

    An event is late if a later one has been passed on before it comes. The first of those to leave is the earliest one
    that is later, at n: it has left if `n <= clock - slack`. So `clock - n + 1` is needed, and nothing where no later
    one has come. O(n log n).

    >>> from slackwater.core.arrivals import Arrivals
    >>> slack_needed(Arrivals.after(None, Events.of([1, 5, 9, 4, 8]))).tolist()
    [0, 0, 0, 5, 1]
    """
    time = arrivals.events.time
    if not len(time):
        return time
    order = np.argsort(time, kind="stable")
    place = np.empty(len(time), np.int64)
    place[order] = np.arange(len(time))
    ascending = time[order]
    later = np.searchsorted(ascending, time, side="right")
    step = arrivals.step_of(np.arange(len(time)))
    return _needed(ascending, place, later, step, arrivals.per_event(arrivals.before))


@compiled
def _needed(ascending: Times, place: Rows, later: Rows, step: Rows, clock: Times) -> Times:
    """Take events away from the last step to the first: those that are left had come before."""
    count = len(place)
    following = np.arange(count + 1)  # of each place, one from which on to look for the next that is left
    needed = np.zeros(count, np.int64)
    stop = count
    while stop > 0:
        start = stop - 1
        while start > 0 and step[start - 1] == step[stop - 1]:
            start -= 1
        for i in range(start, stop):
            following[place[i]] = place[i] + 1
        for i in range(start, stop):
            found = later[i]
            while following[found] != found:
                following[found] = following[following[found]]
                found = following[found]
            if found < count:
                needed[i] = clock[i] - ascending[found] + 1
        stop = start
    return needed
