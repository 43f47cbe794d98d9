"""What share of the events came too late, over all and period by period: KIM's drop ratio, measured.

Events are columns in arrival order: the clock of the stream when each one came (which never goes back), and whether it
was late. A period is a stretch of that clock, so an event belongs to the periods in which it arrived.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from slackwater.errors import ParameterError
from slackwater.estimate.arrays import Floats
from slackwater.events import Rows
from slackwater.quality.recall import ResultCounts, check_sorted
from slackwater.time import Mask, Times, in_periods

_ROUNDING = 1e-9  # 0.07 * 100 is above 7 in floating point, and 7 events of 100 must be allowed


def measured_at(clock: Times, period: int, every: int) -> Times:
    """Return the clocks at which to measure: the end of the first period, and so on by `every`.

    A period in which nothing came is no measurement: a silence must not count as time in which a contract was kept.
    O(events + measurements).

    >>> measured_at(np.array([10, 12, 19, 56]), period=10, every=5).tolist()
    [20, 25]
    """
    if not len(clock):
        return np.empty(0, np.int64)
    clock = np.asarray(clock, np.int64)
    check_sorted("clock", clock)
    since = clock - clock[0]
    # An event is in the periods that end in (clock, clock + period]: those from `first` to `last`, of which the events
    # before it have taken all up to `taken`. A silence between two events costs nothing, however long it is.
    last = np.minimum(since // every, (since[-1] - period) // every)
    taken = np.concatenate(([-1], last[:-1]))
    first = np.maximum((since - period) // every, taken) + 1
    at: Times = clock[0] + period + every * _ranges(first, last)
    return at


def _ranges(first: Rows, last: Rows) -> Rows:
    """Return the integers of each `[first, last]`, one range after the other; one that ends before it starts has none.

    >>> _ranges(np.array([0, 5, 9]), np.array([2, 4, 9])).tolist()
    [0, 1, 2, 9]
    """
    lengths = np.maximum(last - first + 1, 0)
    before = np.cumsum(lengths) - lengths
    return np.repeat(first - before, lengths) + np.arange(lengths.sum())


def dropped_by_period(at: Times, clock: Times, late: Mask, period: int) -> Floats:
    """Return the share late of the events that came while the clock was in `[at - period, at)`; 0 where none came.

    >>> clock, late = np.array([1, 2, 3, 7]), np.array([False, True, True, False])
    >>> dropped_by_period(np.array([4, 8, 20]), clock, late, period=4).tolist()
    [0.6666666666666666, 0.0, 0.0]
    """
    at = np.asarray(at, np.int64)
    came = ResultCounts.of(clock, name="clock").within(at - period, at)
    too_late = ResultCounts.of(clock[late], name="clock").within(at - period, at)
    return np.divide(too_late, came, out=np.zeros(len(at)), where=came > 0)


@dataclass(frozen=True, slots=True)
class Drops:
    """How much was dropped, and how often that was too much."""

    share: float  # of all events
    measurements: int
    kept: float  # the share of the measurements that are not above the target
    worst: float  # the largest share dropped in a period


def drops(clock: Times, late: Mask, *, period: int, every: int, target: float) -> Drops:
    """Measure a drop-ratio contract; the first measurement is that of the first period.

    >>> clock = np.arange(100)
    >>> drops(clock, clock % 50 == 49, period=10, every=10, target=0.05)
    Drops(share=0.02, measurements=9, kept=0.8888888888888888, worst=0.1)
    """
    shares = dropped_by_period(measured_at(clock, period, every), clock, late, period)
    share = float(np.mean(late)) if len(late) else 0.0
    if not len(shares):
        return Drops(share, 0, 1.0, 0.0)
    return Drops(share, len(shares), float(np.mean(shares <= target + _ROUNDING)), float(shares.max()))


def smallest_slack(
    clock: Times, needed: Times, *, period: int, every: int, target: float, share: float = 1.0
) -> int | None:
    """Return the smallest constant slack that keeps a drop ratio in a share of the measurements; None without any.

    `needed` is the slack with which each event is not late (`core.event_needs.slack_needed`, or its delay, which is an
    upper bound). A period keeps the target if all but a share of its events need no more, so each has a smallest slack
    by itself, and a constant keeps as many periods as have one up to it: no search, no further run.

    >>> clock, needed = np.arange(40), np.where(np.arange(40) < 20, 0, np.arange(40) % 10)
    >>> [smallest_slack(clock, needed, period=10, every=10, target=0.1, share=each) for each in (0.5, 1.0)]
    [0, 8]
    """
    if not 0 < share <= 1:
        raise ParameterError("share", share, must="be > 0 and <= 1", remedy="1 keeps every period")
    at = measured_at(clock, period, every)
    if not len(at):
        return None
    first, last = (edge.tolist() for edge in in_periods(clock, at, period))
    each = sorted(_smallest_of(needed[a:b], target) for a, b in zip(first, last, strict=True))
    return each[max(math.ceil(share * len(each) - _ROUNDING), 1) - 1]


def _smallest_of(needed: Times, target: float) -> int:
    """Return what all but the tolerable share of these events need at most."""
    place = len(needed) - 1 - math.floor(target * len(needed) + _ROUNDING)
    return int(np.partition(needed, place)[place]) if place >= 0 else 0
