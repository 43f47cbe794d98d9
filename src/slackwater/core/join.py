"""The m-way sliding-window join (JI16 Alg. 2): what is a result.

An event that comes in order (not behind the join's time) completes all combinations with events in the other windows.
One that comes late completes none, but is inserted if its own window still covers it, and can be a member of later
results. As a set: with the position of each event in the order of processing, a combination is a result iff its last
member * is in order, every other was inserted before it, and `e_j.time >= *.time - W_j`.

SUN15 Alg. 1 differs in two points, both options here: windows exclude their lower bound, and a late event still
completes combinations whose time is exactly the join's ("situation 2").

SSG17 compares a late event with all that the windows still hold (Fig. 6): `late_completes`. Such results are behind
those that have left.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Literal

import numpy as np

from slackwater.core.bound import Seeds
from slackwater.core.combine import Combiner
from slackwater.core.probe import Pool
from slackwater.core.work import Work
from slackwater.events import Events, Tagged
from slackwater.lanes import ONE_LANE, Lanes
from slackwater.time import BEFORE_ALL_TIME, is_late, running_clock, window_reach, window_start

if TYPE_CHECKING:
    from slackwater.core.conditions import Condition
    from slackwater.events import Rows
    from slackwater.measurement import Numbers
    from slackwater.time import Mask, Times


@dataclass(frozen=True, slots=True)
class WindowJoin:
    """A join with one window for each stream, in us.

    `closed="both"` is JI16's [T - W, T], `"right"` SUN15's (T - W, T]; `situation2` is SUN15's and `late_completes`
    SSG17's, both for two streams. `lanes` is how many streams are worked on at the same time.
    """

    windows: tuple[int, ...]
    closed: Literal["both", "right"] = "both"
    situation2: bool = False
    late_completes: bool = False
    lanes: Lanes = field(default=ONE_LANE, compare=False)  # how it is done, not what

    def build(
        self,
        condition: Condition,
        held: Sequence[Events] | None = None,
        time: int | None = None,
        work: Work | None = None,
    ) -> WindowJoinLogic:
        """Start anew, or go on from the events in the windows and the join's time; `work` notes how it searches."""
        held = held or [Events.none()] * len(self.windows)
        return WindowJoinLogic(self, condition, list(held), time, work or Work())

    def window_starts(self, time: Times, stream: int) -> Times:
        """Return the earliest event time that the window of a stream covers at each of these times."""
        return window_start(time, self.windows[stream], closed=self.closed)


@dataclass(frozen=True, slots=True)
class Results:
    """Combinations: the time of each, the position of the event that completed it, and a row of every stream."""

    time: Times
    position: Rows
    rows: tuple[Rows, ...]

    def __len__(self) -> int:
        return len(self.time)


@dataclass(frozen=True)
class Processed:
    """What the join made of a batch, event by event in the order of processing."""

    events: Tagged
    times: Times  # the join's time when each came, and after the last
    in_order: Mask
    completed: Numbers  # how many results each completed
    cross: Numbers | None  # how many it would have completed without a condition; None unless asked for
    results: Results | None  # None unless asked for
    ready: Mask | None = None  # whether each was ready when it left the gate; None where there is no gate

    @property
    def behind(self) -> Times:
        """The join's time when each came."""
        return self.times[:-1]

    @cached_property
    def late(self) -> Rows:
        """The positions of those that were not in order."""
        return np.flatnonzero(~self.in_order)

    @cached_property
    def completed_by(self) -> Numbers:
        """How many results the first n completed, for every n."""
        total = np.zeros(len(self.completed) + 1)
        np.cumsum(self.completed, out=total[1:])
        return total


class WindowJoinLogic:
    """Joins events in the order in which they come. O((n + w) log n + results) for a batch of n with w in windows."""

    def __init__(
        self, config: WindowJoin, condition: Condition, held: list[Events], time: int | None, work: Work
    ) -> None:
        self._config = config
        self._condition = condition
        self._windows = held
        self._time = time
        self._work = work

    def on_batch(self, events: Tagged, *, listing: bool = True, cross: bool = False) -> Processed:
        """Process events; `listing` gives the results themselves, `cross` what the windows offered."""
        before = BEFORE_ALL_TIME if self._time is None else self._time
        times = np.concatenate(([before], running_clock(events.time, self._time)))
        behind = times[:-1]
        in_order = ~is_late(events.time, behind)
        inserted = self._inserted(events, behind, in_order)
        pools = self._pools(events, inserted)
        completed, results = self._complete(events, behind, in_order, inserted, pools, listing=listing)
        offered = self._offered(events, in_order, pools) if cross else None
        if len(events):
            self._time = int(times[-1])
        self._slide(events, inserted)
        return Processed(events, times, in_order, completed, offered, results)

    @property
    def time(self) -> int | None:
        """The largest event time processed: results up to here can no longer change."""
        return self._time

    def skip_to(self, time: int) -> None:
        """Complete no results before this time."""
        self._time = time if self._time is None else max(self._time, time)

    @property
    def windows(self) -> list[Events]:
        """The events that can still be members of results, for each stream by time."""
        return self._windows

    def _inserted(self, events: Tagged, behind: Times, in_order: Mask) -> Mask:
        """Return which events enter the window of their stream: those in order, and late ones that it still covers."""
        inserted = in_order.copy()
        late = np.flatnonzero(~in_order)
        for stream in range(len(self._config.windows)):
            mine = late[events.stream[late] == stream]
            inserted[mine] = events.time[mine] >= self._config.window_starts(behind[mine], stream)
        return inserted

    def _pools(self, events: Tagged, inserted: Mask) -> tuple[Pool, ...]:
        def of_stream(stream: int) -> Pool:
            window = self._windows[stream]
            position = np.flatnonzero((events.stream == stream) & inserted)
            mine = Events(events.time[position], events.arrival[position], events.row[position])
            there = np.concatenate((np.full(len(window), -1), position))
            return Pool.of(window + mine, there)

        return tuple(self._config.lanes.map(of_stream, range(len(self._windows)), events=len(events)))

    def _complete(
        self, events: Tagged, behind: Times, in_order: Mask, inserted: Mask, pools: tuple[Pool, ...], *, listing: bool
    ) -> tuple[Numbers, Results | None]:
        completed = np.zeros(len(events))
        combiner = Combiner(self._condition, pools, self._work)
        completes = inserted if self._config.situation2 else in_order | self._config.late_completes

        def of_stream(stream: int) -> Results | None:
            position = np.flatnonzero(completes & (events.stream == stream))
            seeds = self._seeds(stream, events, behind, position)
            if not listing:
                completed[position] = combiner.count(seeds)
                return None
            bound = combiner.combinations(seeds)
            rows = tuple(bound.rows[s] for s in range(len(self._windows)))
            time = seeds.high[stream][bound.seed]
            if self._config.late_completes and not in_order[position].all():
                time = np.maximum(time, _times_of(rows[1 - stream], pools[1 - stream]))
            completed[position] = np.bincount(bound.seed, minlength=len(position))
            return Results(time, position[bound.seed], rows)

        found = combiner.of_streams(of_stream, self._config.lanes, events=len(events))
        return completed, _by_position([each for each in found if each is not None]) if listing else None

    def _seeds(self, stream: int, events: Tagged, behind: Times, position: Rows) -> Seeds:
        """Return what events ask for. A late one (situation 2) asks for partners exactly at the join's time."""
        if self._config.late_completes:
            return self._late_seeds(stream, events, behind, position)
        own, now = events.time[position], behind[position]
        late = is_late(own, now)
        time = np.maximum(own, now) if late.any() else own
        low = tuple(self._config.window_starts(time, other) for other in range(len(self._windows)))
        if time is not own:
            low = tuple(np.where(late, time, start) for start in low)
        return Seeds(stream, events.row[position], low, (time,) * len(low), position)

    def _late_seeds(self, stream: int, events: Tagged, behind: Times, position: Rows) -> Seeds:
        """Return what events ask for: partners that the windows still hold, and whose own windows reach back so far."""
        own, config = events.time[position], self._config
        latest = np.where(
            is_late(own, behind[position]), window_reach(own, config.windows[stream], closed=config.closed), own
        )
        now = np.maximum(own, behind[position])
        low = tuple(config.window_starts(now, other) for other in range(len(self._windows)))
        high = tuple(own if other == stream else latest for other in range(len(self._windows)))
        return Seeds(stream, events.row[position], low, high, position)

    def _offered(self, events: Tagged, in_order: Mask, pools: tuple[Pool, ...]) -> Numbers:
        """Return the product of the numbers of events in the other windows, for each event that came in order."""
        offered = np.zeros(len(events))
        combiner = Combiner(_Anything(), pools)
        for stream in range(len(self._windows)):
            position = np.flatnonzero(in_order & (events.stream == stream))
            offered[position] = combiner.count(self._seeds(stream, events, events.time, position))
        return offered

    def _slide(self, events: Tagged, inserted: Mask) -> None:
        """Insert, and forget what no later result can have as a member."""
        if self._time is None:
            return
        for stream, window in enumerate(self._windows):
            start = int(self._config.window_starts(np.array([self._time]), stream)[0])
            new = np.flatnonzero(inserted & (events.time >= start) & (events.stream == stream))
            kept = window[window.time >= start] + Events(events.time[new], events.arrival[new], events.row[new])
            self._windows[stream] = kept[np.lexsort((kept.arrival, kept.time))]


class _Anything:
    """The condition of a cross join."""

    key_streams = ()
    predicates = ()
    bands = ()

    def codes(self, key_class: int, stream: int) -> Rows:
        return np.empty(0, np.int64)  # there is no key class to be asked for

    def code_count(self, key_class: int) -> int:
        return 1

    def passes(self, stream: int) -> Mask | None:
        return None


def _times_of(rows: Rows, pool: Pool) -> Times:
    """Return the event times of rows of a pool."""
    order = np.argsort(pool.row, kind="stable")
    return pool.time[order[np.searchsorted(pool.row[order], rows)]]


def _by_position(found: list[Results]) -> Results:
    """Put the results of all streams into the order of the events that completed them."""
    position = np.concatenate([results.position for results in found])
    time = np.concatenate([results.time for results in found])
    rows = [np.concatenate(columns) for columns in zip(*(results.rows for results in found), strict=True)]
    order = np.argsort(position, kind="stable")
    return Results(time[order], position[order], tuple(column[order] for column in rows))
