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

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from slackwater.compiled import compiled
from slackwater.core.bound import Bound, Seeds
from slackwater.core.combine import Combiner
from slackwater.core.needed import Needs, NeedsState
from slackwater.core.probe import Pool
from slackwater.core.sample import Sampler, SampleState
from slackwater.core.work import Work
from slackwater.events import Events
from slackwater.time import BEFORE_ALL_TIME, window_start

if TYPE_CHECKING:
    from slackwater.core.conditions import Condition
    from slackwater.core.join import WindowJoin
    from slackwater.core.merged import MergedArrivals
    from slackwater.events import Rows
    from slackwater.measurement import Numbers
    from slackwater.time import Mask, Times

_MOST_LOST = 256  # events that came behind the join, of each stream and interval, that are asked what is missing


@dataclass(frozen=True, slots=True)
class _Batch:
    """A batch that was taken in, until it is known what the join made of it."""

    arrivals: MergedArrivals
    seen: tuple[Events, ...]  # before it
    interval: Rows  # of each step
    floor: Times  # in each interval, the time from which on events are remembered
    intervals: int


class NeedsProfile:
    """Finds what results need, from arrivals alone. Holds the events of the last window and the longest lag.

    Of each interval and stream, about so many `late` arrivals and so many `others` are looked at. An event that comes
    further behind than `most_lag` may not find its partners any more. Where no event is late, others are looked at only
    if they are `always`.
    """

    def __init__(
        self,
        config: WindowJoin,
        condition: Condition,
        seen: Sequence[Events],
        state: NeedsState | None = None,
        *,
        late: int,
        others: int,
        most_lag: int,
        always: bool = False,
    ) -> None:
        self._config = config
        self._condition = condition
        self._work = Work()
        self._most_lag = most_lag
        self._always = always
        self._seen = list(seen)
        state = state or NeedsState()
        samples = state.samples or ((SampleState(), SampleState()),) * len(self._seen)
        self._samplers = [(Sampler(late, one), Sampler(others, other)) for one, other in samples]
        self._lost = [Sampler(_MOST_LOST, each) for each in state.lost or (SampleState(),) * len(self._seen)]
        self._state = state
        self._batch: _Batch | None = None
        self._combining: tuple[Combiner, list[Rows]] | None = None  # of that batch, once it is needed

    def on_batch(self, arrivals: MergedArrivals, interval: Rows, *, intervals: int) -> Needs:
        """Take in arrivals; return what the results need that they complete.

        `interval` numbers that of each step, from 0 for the one that was under way; the last of the `intervals` is the
        one that is under way now.
        """
        if not arrivals.steps:
            return Needs.none()
        late = np.bincount(interval[np.concatenate([each.step for each in arrivals.behind])], minlength=intervals)
        floor = self._remembered_from(arrivals, interval, intervals)
        self._combining = None
        self._batch = _Batch(arrivals, tuple(self._seen), interval, floor, intervals)
        looking = self._look_ahead(arrivals, late)
        chosen = [self._chosen(stream, arrivals, interval, looking) for stream in range(len(self._seen))]
        found = Needs.none()
        if any(len(events) for events, _ in chosen):
            found = self._looked_at(self._batch, chosen)
        unseen = self._not_looked_at(arrivals, late, interval, looking, found)
        self._forget(arrivals, int(floor[-1]))
        return Needs.concat([found, unseen])

    @property
    def seen(self) -> tuple[Events, ...]:
        """The events that a late one may still find as partners."""
        return tuple(self._seen)

    def snapshot(self) -> NeedsState:
        """Return all that is needed to go on, besides the events that were seen."""
        samples = tuple((late.snapshot(), others.snapshot()) for late, others in self._samplers)
        return replace(self._state, samples=samples, lost=tuple(each.snapshot() for each in self._lost))

    def missed(self, passed_on: Callable[[Rows], Times]) -> Needs:
        """Return the results of the last batch that were not produced, given the join's time before steps of it.

        Their last members came when the join was past these themselves, so nothing else has to be looked at: all of
        them, or about `_MOST_LOST` of each stream and interval. Can be asked once.
        """
        if self._batch is None:
            return Needs.none()
        batch, chosen = self._batch, []
        for stream, (own, late) in enumerate(zip(batch.arrivals.streams, batch.arrivals.behind, strict=True)):
            lost = own.events.time[late.position] < passed_on(late.step)
            picked, weight = self._lost[stream].choose(batch.interval[late.step[lost]], intervals=batch.intervals)
            chosen.append((late.position[lost][picked], weight))
        found = Needs.none()
        if any(len(events) for events, _ in chosen):
            found = self._looked_at(batch, chosen, needed=False).by_step()
        self._batch = self._combining = None
        return found[np.flatnonzero(found.gone <= passed_on(found.step))]

    def _remembered_from(self, arrivals: MergedArrivals, interval: Rows, intervals: int) -> Times:
        """Return for each interval the time from which on events are remembered, but for their windows.

        At a boundary everything is forgotten that an event that comes as late as the latest so far could not find. So
        it does not depend on where batches end, although all events of a batch are at hand.
        """
        longest = np.zeros(intervals, np.int64)
        for late in arrivals.behind:
            np.maximum.at(longest, interval[late.step], late.lag)
        longest[0] = max(int(longest[0]), self._state.longest_lag)
        longest = np.minimum(np.maximum.accumulate(longest), max(self._most_lag, self._state.longest_lag))
        ends = np.searchsorted(interval, np.arange(intervals - 1), side="right") - 1
        floor = np.concatenate(([self._state.remembered_from], arrivals.slowest[ends] - longest[:-1]))
        return np.maximum.accumulate(floor)

    def _look_ahead(self, arrivals: MergedArrivals, late: Rows) -> Mask:
        """Say for each interval whether events that are not late are looked at: if the one before had late ones."""
        late = np.concatenate((late[:1] + self._state.late, late[1:]))
        longest = min(max((int(each.lag.max(initial=0)) for each in arrivals.behind), default=0), self._most_lag)
        looking = np.concatenate(([self._state.looking], late[:-1] > 0)) | self._always
        self._state = replace(
            self._state,
            longest_lag=max(self._state.longest_lag, longest),
            looking=bool(looking[-1]),
            late=int(late[-1]),
        )
        return looking

    def _looked_at(self, batch: _Batch, chosen: list[tuple[Rows, Numbers]], *, needed: bool = True) -> Needs:
        """Find the results that chosen events complete, and unless they are lost anyway, what slack they need."""
        if self._combining is None:
            pools, ranks = self._pools(batch)
            self._combining = Combiner(self._condition, pools, self._work), ranks
        combiner, ranks = self._combining

        def of_stream(stream: int) -> Needs:
            return self._of_stream(combiner, stream, batch, ranks[stream], *chosen[stream], needed=needed)

        events = sum(map(len, ranks))  # those chosen are few, but their partners are searched among all
        return Needs.concat(combiner.of_streams(of_stream, self._config.lanes, events=events))

    def _not_looked_at(
        self, arrivals: MergedArrivals, late: Rows, interval: Rows, looking: Mask, found: Needs
    ) -> Needs:
        """Return the results of events that were not looked at: as many as before, and they need nothing."""
        ends = np.searchsorted(interval, np.arange(len(looking)), side="right") - 1
        others = np.diff(_arrived_by(arrivals, ends), prepend=0) - late
        results = np.zeros(len(looking))
        before = self._state.others
        others[0], results[0] = others[0] + before, self._state.results
        results += np.bincount(interval[found.step], weights=found.weight * (found.slack == 0), minlength=len(others))
        steps = np.maximum(ends, 0)
        weight, per_event = _not_seen(others, results, looking, before, self._state.results_per_event)
        self._state = replace(
            self._state,
            others=int(others[-1]),
            results=float(results[-1]),
            results_per_event=max(per_event, 1e-9),
        )
        some = np.flatnonzero(weight)
        none = np.zeros(len(some), np.int64)
        clock = arrivals.clock[steps[some]]
        return Needs(steps[some], clock, none, weight[some], clock + 1)

    def _pools(self, batch: _Batch) -> tuple[tuple[Pool, ...], list[Rows]]:
        """Return all events that have arrived, and for each new one its rank by (step, stream, position)."""
        arrivals = batch.arrivals
        steps = [arrivals.steps_of(s) for s in range(len(batch.seen))]
        order = np.argsort(np.concatenate(steps), kind="stable")
        rank = np.empty(len(order), np.int64)
        rank[order] = np.arange(len(order))
        ranks = np.split(rank, np.cumsum([len(own) for own in steps])[:-1])

        def of_stream(stream: int) -> Pool:
            seen = batch.seen[stream]
            there = np.concatenate((np.full(len(seen), -1), ranks[stream]))
            return Pool.of(seen + arrivals.streams[stream].events, there)

        return tuple(self._config.lanes.map(of_stream, range(len(ranks)), events=len(order))), ranks

    def _of_stream(
        self,
        combiner: Combiner,
        stream: int,
        batch: _Batch,
        rank: Rows,
        chosen: Rows,
        weight: Numbers,
        *,
        needed: bool,
    ) -> Needs:
        arrivals = batch.arrivals
        events = arrivals.streams[stream].events
        step = arrivals.step_of(stream, chosen)
        floors = self._floors(batch.floor[batch.interval[step]])
        parts = [self._as_latest(combiner, stream, events[chosen], rank[chosen], floors)]
        parts += [
            self._behind(combiner, stream, other, events[chosen], rank[chosen], floors)
            for other in range(len(self._seen))
            if other != stream
        ]
        event, time, ways = (np.concatenate(column) for column in zip(*parts, strict=True))
        some = ways > 0
        event, time, ways = event[some], time[some], ways[some]
        step, behind = step[event], time + (events.time[chosen[event]] == time)  # the first time that is too late
        slack = np.zeros(len(step), np.int64)
        if needed:
            rank_before = arrivals.arrived_by(step - 1)  # of those that came together
            low = [each[event] for each in floors]
            slack = self._needed(combiner.pools, arrivals, behind, step, rank_before, low)
        return Needs(step, time, slack, ways * weight[event], behind)

    def _chosen(self, stream: int, arrivals: MergedArrivals, interval: Rows, looking: Mask) -> tuple[Rows, Numbers]:
        """Choose events that are looked at, and what each stands for."""
        steps, late, chosen, weights = arrivals.steps_of(stream), arrivals.behind[stream], [], []
        others = _others(steps, interval, looking, late.position) if looking.any() else late.position[:0]
        for sampler, members in zip(self._samplers[stream], (late.position, others), strict=True):
            picked, weight = sampler.choose(interval[steps[members]], intervals=len(looking))
            chosen.append(members[picked])
            weights.append(weight)
        return np.concatenate(chosen), np.concatenate(weights)

    def _floors(self, floor: Times) -> list[Times]:
        """Return the earliest time at which partners are remembered, stream by stream."""
        return [window_start(floor, window, closed=self._config.closed) for window in self._config.windows]

    def _needed(
        self,
        pools: tuple[Pool, ...],
        arrivals: MergedArrivals,
        since: Times,
        step: Rows,
        rank: Rows,
        floors: list[Times],
    ) -> Times:
        """Return the smallest slack at which some stream has not yet released anything since each of these times."""
        needed = np.full(len(since), -BEFORE_ALL_TIME)
        for pool, clock, floor in zip(pools, arrivals.clocks_before, floors, strict=True):
            first = _first_since(pool.time, pool.position, np.maximum(since, floor), rank, clock[step])
            np.minimum(needed, clock[step] - first + 1, out=needed)
        slack: Times = np.maximum(needed, 0)
        return slack

    def _as_latest(
        self, combiner: Combiner, stream: int, events: Events, rank: Rows, floors: list[Times]
    ) -> tuple[Rows, Times, Numbers]:
        """Count results whose time is the event's own; of equal times the first stream's member gives it."""
        seeds = self._seeds(stream, events.row, events.time, rank, floors, owner=stream)
        return np.arange(len(events)), events.time, combiner.count(seeds)

    def _behind(
        self, combiner: Combiner, stream: int, owner: int, events: Events, rank: Rows, floors: list[Times]
    ) -> tuple[Rows, Times, Numbers]:
        """Count results whose time is that of an event of another stream, at least as late as the new event."""
        count = len(self._seen)
        low = [np.maximum(events.time, floor) for floor in floors]
        low[owner] = np.maximum(low[owner], events.time if owner < stream else events.time + 1)
        high = events.time + self._config.windows[stream] - (0 if self._config.closed == "both" else 1)
        seeds = Seeds(stream, events.row, tuple(low), (high,) * count, rank)
        found = [(np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0))]
        for pairs, times in combiner.pairs(seeds, owner):
            of_seed = [floor[pairs.seed] for floor in floors]
            at = self._seeds(stream, pairs.rows[stream], times, rank[pairs.seed], of_seed, owner=owner)
            bound = Bound(np.arange(len(pairs)), pairs.rows)
            found.append((pairs.seed, times, combiner.weigh(at, bound)))
        seed, time, ways = (np.concatenate(column) for column in zip(*found, strict=True))
        return seed, time, ways

    def _seeds(self, stream: int, row: Rows, time: Times, rank: Rows, floors: list[Times], *, owner: int) -> Seeds:
        """Ask for members of results at these times, of which stream `owner` has the first member at that time."""
        count = range(len(self._seen))
        low = tuple(np.maximum(start, floor) for start, floor in zip(self._floors(time), floors, strict=True))
        high = tuple(time - 1 if s < owner else time for s in count)
        return Seeds(stream, row, low, high, rank)

    def _forget(self, arrivals: MergedArrivals, remembered_from: int) -> None:
        """Keep what events of the interval under way may find."""
        self._state = replace(self._state, remembered_from=remembered_from)
        for stream, (own, start) in enumerate(
            zip(arrivals.streams, self._floors(np.array(remembered_from)), strict=True)
        ):
            seen = self._seen[stream]
            recent = seen[seen.time >= start] + own.events[own.events.time >= start]
            self._seen[stream] = recent.by_time()


@compiled
def _first_since(times: Times, position: Rows, since: Times, rank: Rows, clock: Times) -> Times:
    """Return the first event time from each time on, among events that had arrived; behind the clock if none had."""
    first = np.empty(len(since), np.int64)
    for i in range(len(since)):
        j = np.searchsorted(times, since[i], side="left")
        while j < len(times) and times[j] <= clock[i] and position[j] >= rank[i]:
            j += 1
        first[i] = min(times[j], clock[i] + 1) if j < len(times) else clock[i] + 1
    return first


@compiled
def _others(step: Rows, interval: Rows, looking: Mask, late: Rows) -> Rows:
    """Return the positions of events that are not late, in intervals in which these are looked at."""
    others, count, at_late = np.empty(len(step), np.int64), 0, 0
    for at in range(len(step)):
        if at_late < len(late) and late[at_late] == at:
            at_late += 1
        elif looking[interval[step[at]]]:
            others[count] = at
            count += 1
    return others[:count]


def _not_seen(others: Rows, results: Numbers, looking: Mask, before: int, per_event: float) -> tuple[Numbers, float]:
    """Return how many results events have that were not looked at, in each interval, and how many each has by now."""
    weight = [0.0] * len(others)
    columns = zip(others.tolist(), results.tolist(), looking.tolist(), strict=True)
    for number, (count, completed, seen) in enumerate(columns):
        if count and not seen:
            weight[number] = (count - (before if number == 0 else 0)) * per_event
        elif count and number < len(others) - 1:
            per_event += (completed / count - per_event) / 10
    return np.array(weight), per_event


def _arrived_by(arrivals: MergedArrivals, step: Rows) -> Rows:
    """How many events had arrived after each of these steps; none before the first."""
    return np.where(step < 0, 0, arrivals.arrived_by(np.maximum(step, 0)))
