"""How many of a batch will be late, part by part, before anything leaves the buffer.

A controller that decides by what was late must know that of each interval before it can say the slack of the next. To
run the buffer over each interval costs its calls of NumPy every time. Here only the times of events are followed, in
one compiled pass, with the slack as it is decided; then the buffer takes the whole batch with all slacks at once.

By the rule of `core/reorder.py`: what is above every horizon so far cannot be late. It leaves when the horizon reaches
it, and then everything up to it has left. An event behind the horizon is late if more than its time was passed on
before the step in which it leaves.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from slackwater.compiled import compiled
from slackwater.time import count_released, is_late, is_released

if TYPE_CHECKING:
    from slackwater.core.arrivals import Arrivals
    from slackwater.events import Rows
    from slackwater.time import Mask, Times

_PASSED_ON, _REACHED, _PLACE, _WAITING, _LEAST = range(5)  # of what is known between two parts

# The rules of time for one event; they are typed for columns.
_is_late: Any = compiled(is_late)
_is_released: Any = compiled(is_released)


class LateAhead:
    """Follows a batch from part to part. O(n) besides one sort, and what waits behind a horizon that has gone back.

    >>> from slackwater.core.arrivals import Arrivals
    >>> from slackwater.events import Events
    >>> arrivals = Arrivals.after(None, Events.of([1, 4, 3, 5, 7, 8, 6, 9]))
    >>> ahead = LateAhead(arrivals, held=np.array([0]), passed_on=-1)
    >>> ahead.on_part(0, arrivals.clock[:4] - 1), ahead.on_part(4, arrivals.clock[4:] - 1)
    ((4, 0), (3, 1))
    """

    def __init__(self, arrivals: Arrivals, *, held: Times, passed_on: int) -> None:
        """Begin; `held` are the times of the events in the buffer, in order."""
        times = np.concatenate((held, arrivals.events.time))
        order = np.argsort(times, kind="stable")
        self._times, self._first = arrivals.events.time, arrivals.first_of_steps
        self._by_time, self._rank = times[order], _ranks(order)[len(held) :]
        self._came = order < len(held)  # and would be passed on when the horizon reaches it
        behind = int(count_released(held, passed_on))
        self._waiting = np.empty(len(times), np.int64)
        self._waiting[:behind] = held[:behind]
        place = int(count_released(self._by_time, passed_on))
        self._state = np.array([passed_on, passed_on, place, behind, held[0] if behind else 0])

    def on_part(self, start: int, horizon: Times) -> tuple[int, int]:
        """Return how many events leave in order in the steps from `start` on, and how many are late."""
        released, late = _follow(
            start, horizon, self._times, self._first, self._by_time, self._rank, self._came, self._waiting, self._state
        )
        return released, late


@compiled
def _ranks(order: Rows) -> Rows:
    rank = np.empty(len(order), np.int64)
    for place in range(len(order)):
        rank[order[place]] = place
    return rank


@compiled
def _left(time: int, before: int, passed_on: int, released: int, late: int) -> tuple[int, int, int]:
    """Count an event that leaves, and keep the largest time passed on."""
    if _is_late(time, before):
        return released, late + 1, passed_on
    return released + 1, late, max(passed_on, time)


@compiled
def _follow(
    start: int,
    horizon: Times,
    times: Times,
    first: Rows,
    by_time: Times,
    rank: Rows,
    came: Mask,
    waiting: Times,
    state: Times,
) -> tuple[int, int]:
    """Count what leaves in order, and what is late."""
    released, late = 0, 0
    passed_on, reached, place = state[_PASSED_ON], state[_REACHED], state[_PLACE]
    waits, least = state[_WAITING], state[_LEAST]
    for step in range(len(horizon)):
        now, before = horizon[step], passed_on
        begin = first[start + step] if len(first) else start + step
        end = first[start + step + 1] if len(first) else begin + 1
        for i in range(begin, end):
            if not _is_released(times[i], reached):
                came[rank[i]] = True
            elif not _is_released(times[i], now):
                least = times[i] if waits == 0 else min(least, times[i])
                waiting[waits] = times[i]
                waits += 1
            else:
                released, late, passed_on = _left(times[i], before, passed_on, released, late)
        if waits > 0 and _is_released(least, now):
            still = 0
            for i in range(waits):
                if not _is_released(waiting[i], now):
                    least = waiting[i] if still == 0 else min(least, waiting[i])
                    waiting[still] = waiting[i]
                    still += 1
                else:
                    released, late, passed_on = _left(waiting[i], before, passed_on, released, late)
            waits = still
        if now > reached:
            reached = now
            while place < len(by_time) and _is_released(by_time[place], reached):
                if came[place]:
                    released += 1
                    passed_on = max(passed_on, by_time[place])
                place += 1
    state[_PASSED_ON], state[_REACHED], state[_PLACE] = passed_on, reached, place
    state[_WAITING], state[_LEAST] = waits, least
    return released, late
