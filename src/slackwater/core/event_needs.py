"""How long each event has to be waited for, so that it does not come too late to a join: its lag.

The synchronizer passes on nothing later than `slowest clock - slack`, so an event that comes at most the slack behind
the slowest clock is in order. One that comes further behind is late only if something later has been passed on
already, so the lag is an upper bound of what the event needs: where events are dense it exceeds that by a gap between
two of them. Where nothing is joined the same holds for the delay.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from slackwater.core.needs import Needs, NeedsState
from slackwater.events import Events

if TYPE_CHECKING:
    from slackwater.core.merged import MergedArrivals
    from slackwater.events import Rows


class EventNeeds:
    """Takes every event for a result; a profile as `NeedsProfile` is, but it looks at all and remembers nothing."""

    def __init__(self, streams: int) -> None:
        self._streams = streams

    def on_batch(self, arrivals: MergedArrivals, interval: Rows, *, intervals: int) -> Needs:
        """Return what events need: each that came behind by itself, the others of an interval as one."""
        parts = [Needs.none()]
        in_time = np.zeros(intervals)
        for stream in range(self._streams):
            time = arrivals.streams[stream].events.time
            step = arrivals.per_event(stream, np.arange(arrivals.steps))
            lag = arrivals.before[step] - time
            behind = np.flatnonzero(lag > 0)
            parts.append(Needs(step[behind], time[behind], lag[behind], np.ones(len(behind))))
            in_time += np.bincount(interval[step[lag <= 0]], minlength=intervals)
        some = np.flatnonzero(in_time)
        last = np.searchsorted(interval, some, side="right") - 1
        parts.append(Needs(last, arrivals.clock[last], np.zeros(len(some), np.int64), in_time[some]))
        return Needs.concat(parts)

    @property
    def seen(self) -> tuple[Events, ...]:
        """No event is kept for later."""
        return (Events.none(),) * self._streams

    def snapshot(self) -> NeedsState:
        """Return that nothing is remembered."""
        return NeedsState()
