"""How long rows wait in a reorder buffer, in event time: how far the clock moves until they are released."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from slackwater.time import count_in_time, first_step_at, release_horizon, running_clock

if TYPE_CHECKING:
    from slackwater.core.arrivals import Arrivals
    from slackwater.estimate.arrays import Floats
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


def mean_waits(delays: Times, slacks: Times) -> Floats:
    """Return the mean wait for each constant slack of the rows that are not behind it: slack - delay.

    Rows leave when the clock has come so far; what it moves beyond, by gaps between rows, is not in it.

    >>> mean_waits(np.array([0, 4, 9]), np.array([0, 5, 9])).tolist()
    [0.0, 3.0, 4.666666666666667]
    """
    ascending = np.sort(delays)
    so_far = np.concatenate(([0], np.cumsum(ascending)))
    count = count_in_time(ascending, slacks)
    mean: Floats = np.divide(count * slacks - so_far[count], count, out=np.zeros(len(slacks)), where=count > 0)
    return mean


def slack_path(arrivals: Arrivals, at: Times, slack: Times) -> Times:
    """Return the slack at each step from what decisions say: each wrote down the one in force up to its step.

    The last decision is that of the end of the stream.
    """
    steps = first_step_at(arrivals.clock, at[:-1])
    path: Times = slack[np.searchsorted(steps, np.arange(arrivals.steps), side="left")]
    return path
