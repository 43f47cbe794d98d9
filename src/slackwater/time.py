"""Times and every boundary rule, on scalars and columns alike; durations come with them.

Event times are int64 microseconds since 1970-01-01 UTC. The *clock* of a stream is the largest event time seen,
the *horizon* is clock - slack. What is released, late, future or closed is decided by a
function here and nowhere else.
"""

from __future__ import annotations

import datetime as dt
from typing import Literal, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from slackwater.duration import MAX_TIME as MAX_TIME
from slackwater.duration import MIN_TIME as MIN_TIME
from slackwater.duration import Duration as Duration
from slackwater.duration import DurationLike as DurationLike

Times: TypeAlias = npt.NDArray[np.int64]
Mask: TypeAlias = npt.NDArray[np.bool_]

BEFORE_ALL_TIME = -(2**62)  # what an empty running maximum starts from; far enough from the ends not to overflow
AFTER_ALL_TIME = 2**62  # and an empty running minimum

_T = TypeVar("_T", int, Times)


def microseconds_of(moment: dt.datetime | int) -> int:
    """Return a time in us since 1970; a datetime without a zone is in UTC.

    >>> microseconds_of(dt.datetime(1970, 1, 1, 0, 0, 5)), microseconds_of(7)
    (5000000, 7)
    """
    if isinstance(moment, int):
        return moment
    moment = moment if moment.tzinfo is not None else moment.replace(tzinfo=dt.UTC)
    return (moment - dt.datetime(1970, 1, 1, tzinfo=dt.UTC)) // dt.timedelta(microseconds=1)


# Boundary rules


def advance(current: int | None, candidate: int) -> tuple[int, bool]:
    """Move a clock, never backwards; also say whether it moved.

    >>> advance(None, 5), advance(5, 3), advance(5, 7)
    ((5, True), (5, False), (7, True))
    """
    if current is None or candidate > current:
        return candidate, True
    return current, False


def running_clock(times: Times, before: int | None) -> Times:
    """Return the clock after each event: the largest event time seen so far."""
    clock: Times = np.maximum.accumulate(times)
    if before is not None:
        np.maximum(clock, before, out=clock)
    return clock


def delay_of(event_time: _T, clock: _T | int) -> _T:
    """How far an event lies behind the clock at its arrival; an event that moves the clock has delay 0.

    >>> delay_of(6, 8), delay_of(9, 8)
    (2, 0)
    """
    if isinstance(event_time, int):
        return max(0, int(clock) - event_time)
    behind: Times = np.subtract(clock, event_time)
    return np.maximum(behind, 0, out=behind)


def release_horizon(clock: _T, slack: _T | int) -> _T:
    """Clock - slack: events up to and including this time may be released.

    >>> release_horizon(10, 2)
    8
    """
    return clock - slack


def is_released(event_time: Times | np.int64, horizon: Times | int) -> Mask:
    """Whether the horizon has reached an event; a delay *equal* to the slack is in time.

    >>> is_released(np.array([7, 8, 9]), 8).tolist()
    [True, True, False]
    """
    return np.less_equal(event_time, horizon)


def count_released(sorted_times: Times, horizon: Times | int) -> npt.NDArray[np.intp]:
    """Return how many of some sorted event times the horizon has reached: the same rule, for a prefix.

    >>> int(count_released(np.array([7, 8, 9]), 8))
    2
    """
    return np.searchsorted(sorted_times, horizon, side="right")


def is_late(event_time: Times, passed_on: Times | int) -> Mask:
    """Whether an event is behind what was already passed on; an equal time can still be placed in order.

    >>> is_late(np.array([7, 8, 9]), 8).tolist()
    [True, False, False]
    """
    return event_time < passed_on


def slack_ready_horizon(fastest: _T, slack: _T | int) -> _T:
    """Return up to which time events are slack-ready: more than the slack behind the fastest stream (SSG17 Def. 3.1).

    A span *equal* to the slack still waits, so this is one microsecond less than `release_horizon`.

    >>> slack_ready_horizon(9, 3)
    5
    """
    return fastest - slack - 1


def is_behind(needed: Times, slack: int) -> Mask:
    """Whether a slack is too short for a delay, or for what a result needs; one that is *equal* is in time.

    What is behind a slack of 0 is out of order.

    >>> is_behind(np.array([7, 8, 9]), 8).tolist()
    [False, False, True]
    """
    return needed > slack


def first_step_at(running: Times, time: Times) -> npt.NDArray[np.intp]:
    """Return the first step at which a running clock or horizon has reached a time: the rule of `is_released`.

    >>> first_step_at(np.array([3, 8, 8, 9]), np.array([8, 9, 10])).tolist()
    [1, 3, 4]
    """
    return np.searchsorted(running, time, side="left")


def is_over_cap(delay: Times, cap: int) -> Mask:
    """Whether even the longest wait that the contract allows would have been too short for this delay."""
    return delay > cap


def has_no_place(event_time: Times) -> Mask:
    """Whether a time is before the year 1: neither Spark nor Arrow can show it, so it counts as none."""
    return event_time < MIN_TIME


def is_future(event_time: Times, processing_time: Times | int, max_ahead: int | None) -> Mask:
    """Whether an event claims a time more than `max_ahead` past the processing time of its arrival.

    A time past the year 9999 always does; without a `max_ahead` nothing else does.

    >>> is_future(np.array([110, 111]), 100, 10).tolist()
    [False, True]
    """
    beyond = event_time > MAX_TIME
    return beyond if max_ahead is None else beyond | (event_time > processing_time + max_ahead)


def clock_grew(clock: Times, before: Times) -> Mask:
    """Whether a step moved the clock."""
    return clock > before


def intervals_passed(clock: Times | int, interval: int) -> Times | int:
    """Return the number of the adaptation interval that a clock is in; it grows by one at each boundary.

    >>> intervals_passed(np.array([0, 9, 10, -1]), 10).tolist()
    [0, 0, 1, -1]
    """
    return clock // interval


def is_within_period(clock: int, since: int, period: int) -> bool:
    """Whether a clock is still in the period `[since, since + period)`.

    >>> is_within_period(159, 100, 60), is_within_period(160, 100, 60)
    (True, False)
    """
    return clock < since + period


def in_periods(sorted_times: Times, ends: Times, period: int) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """Return where each period `[end - period, end)` begins and ends among sorted times.

    >>> [edge.tolist() for edge in in_periods(np.array([0, 10, 20]), np.array([20, 30]), 20)]
    [[0, 1], [2, 3]]
    """
    return np.searchsorted(sorted_times, ends - period, side="left"), np.searchsorted(sorted_times, ends, side="left")


def is_dropped_by_spark(event_time: Times, watermark: Times | int) -> Mask:
    """Whether Spark's own filter drops a row: it does so *at* the watermark too, which we do not.

    >>> is_dropped_by_spark(np.array([7, 8, 9]), 8).tolist()
    [True, True, False]
    """
    return event_time <= watermark


def window_start(time: Times, size: int, *, closed: Literal["both", "right"]) -> Times:
    """Return the earliest event time in the window of a join that reaches back `size` from `time`.

    >>> int(window_start(np.array(10), 2, closed="both")), int(window_start(np.array(10), 2, closed="right"))
    (8, 9)
    """
    return time - size if closed == "both" else time - size + 1


def window_reach(time: Times, size: int, *, closed: Literal["both", "right"]) -> Times:
    """Return the latest time whose window, of a join and reaching back `size`, still has `time` in it.

    >>> int(window_reach(np.array(8), 2, closed="both")), int(window_reach(np.array(9), 2, closed="right"))
    (10, 10)
    """
    return time + size if closed == "both" else time + size - 1


def window_is_closed(end: Times, horizon: int) -> Mask:
    """Whether a window `[start, end)` can receive no more events in time.

    >>> window_is_closed(np.array([8, 9]), 8).tolist()
    [True, False]
    """
    return end <= horizon


# Windows of an aggregate: number w is [(w + 1) * slide - size, (w + 1) * slide): ends are multiples of the slide


def first_window(event_time: _T, slide: int) -> _T:
    """Return the number of the first window that an event is in (PROD Sec. 2.2: wid_from = ts / SLIDE).

    >>> first_window(211, 20), first_window(220, 20), first_window(-1, 20)
    (10, 11, -1)
    """
    return event_time // slide


def last_window(event_time: _T, size: int, slide: int) -> _T:
    """Return the number of the last window that an event is in (PROD Sec. 2.2: wid_to = (ts + RANGE) / SLIDE - 1).

    >>> last_window(211, 60, 20), last_window(219, 50, 20), last_window(-1, 60, 20)
    (12, 12, 1)
    """
    return (event_time + size) // slide - 1


def window_end(window: _T, slide: int) -> _T:
    """Return the end of a window: the first time after it.

    >>> window_end(10, 20)
    220
    """
    return (window + 1) * slide


def last_instant(end: _T) -> _T:
    """Return the last time in a window: when its result happened, as Spark's `window_time` has it.

    >>> last_instant(220)
    219
    """
    return end - 1


def first_open_window(horizon: _T, slide: int) -> _T:
    """Return the first window that a horizon has not closed: the rule of `window_is_closed`, for all windows at once.

    >>> first_open_window(219, 20), first_open_window(220, 20)
    (10, 11)
    """
    return horizon // slide


def last_closed_end(horizon: _T, slide: int) -> _T:
    """Return the end of the last window that a horizon has closed.

    >>> last_closed_end(219, 20), last_closed_end(220, 20)
    (200, 220)
    """
    return first_open_window(horizon, slide) * slide


def first_unshown_window(clock: _T, lead: int, slide: int) -> _T:
    """Return the first window that is not yet due to be shown early: due is what ends up to `lead` after the clock.

    >>> first_unshown_window(14, 5, 10), first_unshown_window(15, 5, 10)
    (1, 2)
    """
    return first_open_window(clock + lead, slide)


def last_window_until(time: int, slide: int) -> int:
    """Return the last window that a prod or a punctuation `<= time` is about (PROD Sec. 2.2: ts / SLIDE - 1).

    >>> last_window_until(240, 20), last_window_until(239, 20)
    (11, 10)
    """
    return first_open_window(time, slide) - 1


def first_window_since(time: int, size: int, slide: int) -> int:
    """Return the first window that starts at this time or later.

    >>> first_window_since(180, 60, 20), first_window_since(181, 60, 20)
    (11, 12)
    """
    return -(-(time + size) // slide) - 1


def is_behind_punctuation(event_time: Times, until: Times | int) -> Mask:
    """Whether an event breaks the promise of a punctuation; the bound itself belongs to the next window.

    >>> is_behind_punctuation(np.array([239, 240]), 240).tolist()
    [True, False]
    """
    return event_time < until


def slack_to_stay_open(end: Times, clock: Times) -> Times:
    """Return the smallest slack with which windows that end at `end` are still open at a clock.

    >>> slack_to_stay_open(np.array([10, 11, 12]), np.array([11, 11, 11])).tolist()
    [2, 1, 0]
    """
    needed: Times = np.maximum(clock - end + 1, 0)
    return needed
