"""How long one would have had to wait for each result: the slack that it needs.

A result is there once its last member has arrived. Then it can still be produced unless the join has gone past it: with
slack K it has, if every stream s has released an event that lies behind the result's time t (or at it, where the last
member is earlier than t and its partner at t has been processed). Let n_s be the first such event of stream s: it is
released once `n_s <= clock_s - K`. So the result needs `min over s of (clock_s - n_s) + 1`, and nothing if that is
negative. This is known as soon as the result is known to exist, whatever slack was in force and for any condition; the
share of results that need at most K is the recall at a constant slack K.

Only an event that arrives behind the slowest clock can be the last member of a result that needs anything. Those are
looked at, or a sample of them; of the others only the number of results matters.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from slackwater.core.combine import Bound, Combiner, Condition, Numbers, Seeds
from slackwater.core.compiled import compiled
from slackwater.core.probe import Pool
from slackwater.events import Events
from slackwater.time import BEFORE_ALL_TIME, window_start

if TYPE_CHECKING:
    from slackwater.core.join import WindowJoin
    from slackwater.core.merged import MergedArrivals
    from slackwater.events import Rows
    from slackwater.time import Mask, Times


@dataclass(frozen=True, slots=True)
class Needs:
    """Results, or samples of them, at the arrival of their last member."""

    step: Rows  # of that arrival
    time: Times  # of the result
    slack: Times  # that it needs
    weight: Numbers  # how many results it stands for

    def __len__(self) -> int:
        return len(self.step)

    @classmethod
    def concat(cls, parts: Sequence[Needs]) -> Needs:
        """Put needs one after the other."""
        columns = zip(*((part.step, part.time, part.slack, part.weight) for part in parts), strict=True)
        return cls(*map(np.concatenate, columns))


class NeedsProfile:
    """Finds what results need, from arrivals alone. Holds the events of the last window and the longest lag."""

    def __init__(self, config: WindowJoin, condition: Condition, seen: Sequence[Events], longest_lag: int) -> None:
        self._config = config
        self._condition = condition
        self._seen = list(seen)
        self._longest_lag = longest_lag

    def on_batch(self, arrivals: MergedArrivals, groups: Rows, *, late: int, others: int) -> Needs:
        """Take in arrivals; return what the results need that they complete.

        `groups` cuts the steps into stretches; of each stretch and stream, so many `late` arrivals and so many `others`
        are looked at, at most.
        """
        pools, ranks = self._pools(arrivals)
        combiner = Combiner(self._condition, pools)
        found = [
            self._of_stream(combiner, stream, arrivals, ranks[stream], groups, (late, others))
            for stream in range(len(self._seen))
        ]
        self._forget(arrivals)
        return Needs.concat(found)

    @property
    def seen(self) -> tuple[Events, ...]:
        """The events that a late one may still find as partners."""
        return tuple(self._seen)

    @property
    def longest_lag(self) -> int:
        """The longest that an event has come behind the slowest clock."""
        return self._longest_lag

    def _pools(self, arrivals: MergedArrivals) -> tuple[tuple[Pool, ...], list[Rows]]:
        """Return all events that have arrived, and for each new one its rank by (step, stream, position)."""
        steps = [arrivals.per_event(s, np.arange(arrivals.steps)) for s in range(len(self._seen))]
        order = np.argsort(np.concatenate(steps), kind="stable")
        rank = np.empty(len(order), np.int64)
        rank[order] = np.arange(len(order))
        ranks = np.split(rank, np.cumsum([len(own) for own in steps])[:-1])
        pools = tuple(
            Pool.of(seen + own.events, np.concatenate((np.full(len(seen), -1), place)))
            for seen, own, place in zip(self._seen, arrivals.streams, ranks, strict=True)
        )
        return pools, ranks

    def _of_stream(
        self, combiner: Combiner, stream: int, arrivals: MergedArrivals, rank: Rows, groups: Rows, most: tuple[int, int]
    ) -> Needs:
        events = arrivals.streams[stream].events
        step = arrivals.per_event(stream, np.arange(arrivals.steps))
        lag = arrivals.slowest[step] - events.time
        self._longest_lag = max(self._longest_lag, int(lag.max(initial=0)))
        chosen, weight = _sample(lag > 0, groups[step], most)
        parts = [self._as_latest(combiner, stream, events[chosen], rank[chosen])]
        parts += [
            self._behind(combiner, stream, other, events[chosen], rank[chosen])
            for other in range(len(self._seen))
            if other != stream
        ]
        event, time, ways = (np.concatenate(column) for column in zip(*parts, strict=True))
        some = ways > 0
        event, time, ways = event[some], time[some], ways[some]
        of = chosen[event]
        behind = time + (events.time[of] == time)  # the first time that makes it too late
        needed = self._needed(combiner.pools, arrivals, behind, step[of], rank[of])
        return Needs(step[of], time, needed, ways * weight[event])

    def _needed(self, pools: tuple[Pool, ...], arrivals: MergedArrivals, since: Times, step: Rows, rank: Rows) -> Times:
        """Return the smallest slack at which some stream has not yet released anything since each of these times."""
        needed = np.full(len(since), -BEFORE_ALL_TIME)
        for pool, clock in zip(pools, arrivals.clocks, strict=True):
            first = _first_since(pool.time, pool.position, since, rank)
            np.minimum(needed, clock[step] - first + 1, out=needed)
        slack: Times = np.maximum(needed, 0)
        return slack

    def _as_latest(self, combiner: Combiner, stream: int, events: Events, rank: Rows) -> tuple[Rows, Times, Numbers]:
        """Count results whose time is the event's own; of equal times the first stream's member gives it."""
        seeds = self._seeds(stream, events.row, events.time, rank, owner=stream)
        return np.arange(len(events)), events.time, combiner.count(seeds)

    def _behind(
        self, combiner: Combiner, stream: int, owner: int, events: Events, rank: Rows
    ) -> tuple[Rows, Times, Numbers]:
        """Count results whose time is that of an event of another stream, at least as late as the new event."""
        count = len(self._seen)
        low = [events.time] * count
        low[owner] = events.time if owner < stream else events.time + 1
        high = events.time + self._config.windows[stream] - (0 if self._config.closed == "both" else 1)
        seeds = Seeds(stream, events.row, tuple(low), (high,) * count, rank)
        found = [(np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0))]
        for pairs, times in combiner.pairs(seeds, owner):
            at = self._seeds(stream, pairs.rows[stream], times, rank[pairs.seed], owner=owner)
            bound = Bound(np.arange(len(pairs)), pairs.rows)
            found.append((pairs.seed, times, combiner.weigh(at, bound)))
        seed, time, ways = (np.concatenate(column) for column in zip(*found, strict=True))
        return seed, time, ways

    def _seeds(self, stream: int, row: Rows, time: Times, rank: Rows, *, owner: int) -> Seeds:
        """Ask for members of results at these times, of which stream `owner` has the first member at that time."""
        count = range(len(self._seen))
        low = tuple(window_start(time, self._config.windows[s], closed=self._config.closed) for s in count)
        high = tuple(time - 1 if s < owner else time for s in count)
        return Seeds(stream, row, low, high, rank)

    def _forget(self, arrivals: MergedArrivals) -> None:
        """Keep what an event that comes as late as the latest so far could still find."""
        if not arrivals.steps:
            return
        since = int(arrivals.slowest[-1]) - self._longest_lag
        for stream, own in enumerate(arrivals.streams):
            grown = self._seen[stream] + own.events
            start = window_start(np.array(since), self._config.windows[stream], closed=self._config.closed)
            self._seen[stream] = grown[grown.time >= start].by_time()


@compiled
def _first_since(times: Times, position: Rows, since: Times, rank: Rows) -> Times:
    """Return the first event time from each time on, among events that had arrived; the end of time if none."""
    first = np.empty(len(since), np.int64)
    for i in range(len(since)):
        j = np.searchsorted(times, since[i], side="left")
        while j < len(times) and position[j] > rank[i]:
            j += 1
        first[i] = times[j] if j < len(times) else -BEFORE_ALL_TIME
    return first


def _sample(late: Mask, group: Rows, most: tuple[int, int]) -> tuple[Rows, Numbers]:
    """Choose so many late and so many other events of each group, evenly; return them and what each stands for."""
    chosen, weights = [], []
    for kind, count in zip((late, ~late), most, strict=True):
        members = np.flatnonzero(kind)
        for start, stop in _runs(group[members]):
            stride = -(-(stop - start) // count)
            picked = members[start + (stride - 1) // 2 : stop : stride]
            chosen.append(picked)
            weights.append(np.full(len(picked), (stop - start) / len(picked)))
    if not chosen:
        return np.empty(0, np.int64), np.empty(0)
    return np.concatenate(chosen), np.concatenate(weights)


def _runs(group: Rows) -> Iterator[tuple[int, int]]:
    """Return where each run of equal values starts and stops."""
    if not len(group):
        return
    edges = np.flatnonzero(np.diff(group)) + 1
    yield from zip([0, *edges.tolist()], [*edges.tolist(), len(group)], strict=True)
