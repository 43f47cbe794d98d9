"""How long rows wait in a reorder buffer, in event time: how far the clock moves until they are released."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from slackwater.compiled import compiled
from slackwater.time import first_step_at, release_horizon, running_clock

if TYPE_CHECKING:
    from slackwater.core.arrivals import Arrivals
    from slackwater.estimate.arrays import Floats
    from slackwater.events import Rows
    from slackwater.time import Mask, Times


def without_silences(clock: Times, most: int) -> Times:
    """Return a clock that moves by at most so much at a time: a silence is no time that anybody waited for.

    >>> without_silences(np.array([10, 12, 500, 501]), 60).tolist()
    [10, 12, 72, 73]
    """
    moved = np.minimum(np.diff(clock), most)
    return np.concatenate((clock[:1], clock[:1] + np.cumsum(moved)))


def waits(arrivals: Arrivals, slack: Times | int, late: Mask, by: Times | None = None) -> Times:
    """Return the wait of each row that is not late, given the slack at each step; the end of the stream drains.

    Waits are measured by a clock with an entry for each step; that of the stream unless another is given.

    >>> from slackwater.core.arrivals import Arrivals
    >>> from slackwater.events import Events
    >>> arrivals = Arrivals.after(None, Events.of([0, 4, 3, 9]))
    >>> waits(arrivals, 2, np.zeros(4, np.bool_)).tolist()
    [4, 5, 5, 0]
    """
    if not arrivals.steps:
        return np.zeros(0, np.int64)
    horizon = running_clock(release_horizon(arrivals.clock, slack), None)
    kept = np.flatnonzero(~late)
    came = arrivals.step_of(kept)
    left = np.maximum(first_step_at(horizon, arrivals.events.time[kept]), came)
    by = arrivals.clock if by is None else by
    wait: Times = by[np.minimum(left, arrivals.steps - 1)] - by[came]
    return wait


def mean_waits(arrivals: Arrivals, needed: Times, slacks: Times, by: Times) -> Floats:
    """Return for each constant slack the mean of the `waits` of the rows that need no more, 0 where there are none.

    >>> from slackwater.core.arrivals import Arrivals
    >>> from slackwater.events import Events
    >>> arrivals = Arrivals.after(None, Events.of([0, 4, 3, 9]))
    >>> mean_waits(arrivals, np.array([0, 0, 1, 0]), np.array([0, 2]), arrivals.clock).tolist()
    [0.0, 3.5]
    """
    order = np.argsort(arrivals.events.time, kind="stable")
    came = arrivals.step_of(order)
    return _mean_waits(arrivals.events.time[order], came, needed[order], slacks, arrivals.clock, by)


@compiled
def _mean_waits(time: Times, came: Rows, needed: Times, slacks: Times, clock: Times, by: Times) -> Floats:
    """Go through rows in the order of time, in which they leave, once for each slack."""
    means = np.zeros(len(slacks))
    last = len(clock) - 1
    for place, slack in enumerate(slacks):
        left, kept, total = 0, 0, 0.0
        for row in range(len(time)):
            while left < last and clock[left] - slack < time[row]:
                left += 1
            if needed[row] <= slack:
                kept += 1
                total += by[max(left, came[row])] - by[came[row]]
        means[place] = total / max(kept, 1)
    return means


def slack_path(arrivals: Arrivals, at: Times, slack: Times) -> Times:
    """Return the slack at each step from what decisions say: each wrote down the one in force up to its step.

    The last decision is that of the end of the stream.
    """
    steps = first_step_at(arrivals.clock, at[:-1])
    path: Times = slack[np.searchsorted(steps, np.arange(arrivals.steps), side="left")]
    return path
