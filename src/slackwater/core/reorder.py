"""K-slack: holds events until the stream's clock is `slack` past them, and passes them on in event-time order.

JI16 Sec. III-A and SUN15 Sec. 3.1.1, 3.1.2: release while `event_time + slack <= clock`, by (event time, arrival).
An event that is behind what was already passed on can no longer be placed in order: it is late.

The documents take one event at a time. Here a whole batch is a set computation, exact for any slack that is
constant within a step. Let `horizon[s] = clock[s] - slack[s]`. An event of step s leaves at the first step r >= s
with `horizon[r] >= event_time`. If its time is above every earlier horizon (*fresh*) it cannot be late, and r is
where the running maximum of the horizon reaches it: so one sort by time settles all fresh events at once. Only the
others (*overdue* on arrival) are looked at one by one: they are late iff something larger was passed on before r.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from slackwater.core.arrivals import Arrivals
from slackwater.core.late_ahead import LateAhead
from slackwater.core.leaving_order import leaving_order
from slackwater.core.near_search import search_near
from slackwater.core.reach import first_reaching
from slackwater.events import Events, Tagged
from slackwater.time import BEFORE_ALL_TIME, clock_grew, count_released, delay_of, is_late, is_released, release_horizon

if TYPE_CHECKING:
    from slackwater.core.buffer import Buffer
    from slackwater.events import Rows
    from slackwater.time import Mask, Times

_MOST_HELD = 2  # events for each that arrives, that are worth being sorted with these


@dataclass(frozen=True, slots=True)
class KSlackState:
    """All that a reorder buffer remembers besides the events it holds."""

    clock: int | None = None
    passed_on: int | None = None  # the largest event time that has left in order


@dataclass(frozen=True, slots=True)
class KSlack:
    """The reorder buffer of one stream.

    `release="arrival"` checks what may leave at every arrival (SUN15); `"clock"` only when the clock grows (JI16).
    """

    release: Literal["arrival", "clock"] = "arrival"

    def build(self, buffer: Buffer, state: KSlackState | None = None) -> KSlackLogic:
        """Start anew, or go on from a saved state whose events are in `buffer`."""
        return KSlackLogic(self, buffer, state or KSlackState())


@dataclass(frozen=True, slots=True)
class Departures:
    """What left the buffer in a batch, and when."""

    in_order: Events  # by (event time, arrival)
    late: Events  # by (step of release, event time, arrival)
    late_behind: Times  # for each late event, what had been passed on when it left
    late_delay: Times  # and how far the clock was ahead of it
    _fresh_times: Times  # sorted times of the events that left in order at the first horizon to reach them
    _reached: Times  # running maximum of the horizon, by step
    _overdue_steps: Rows  # sorted steps at which overdue events left in order
    _late_steps: Rows  # steps at which late events left, sorted
    _overdue: tuple[Rows, Rows, Rows] | None = None  # pool positions of `in_order`, of the overdue ones, their steps

    @classmethod
    def none(cls) -> Departures:
        """Nothing left."""
        nothing = np.empty(0, np.int64)
        return cls(Events.none(), Events.none(), nothing, nothing, nothing, nothing, nothing, nothing)

    def released_by(self, step: Rows) -> Rows:
        """How many events of the batch had left in order after each of these steps."""
        fresh = count_released(self._fresh_times, self._reached[step])
        return np.asarray(fresh + np.searchsorted(self._overdue_steps, step, side="right"), np.int64)

    def with_steps(self) -> tuple[Events, Rows]:
        """Return all that left, in order or late, by (step of release, event time, arrival), and the step of each."""
        in_order_steps = search_near(self._reached, self.in_order.time)
        if self._overdue is not None:
            positions, overdue, left_at = self._overdue
            step_of = np.full(int(positions.max(initial=-1)) + 1, -1)
            step_of[overdue] = left_at
            in_order_steps = np.where(step_of[positions] >= 0, step_of[positions], in_order_steps)
        if not len(self.late):
            return self.in_order, in_order_steps
        events, steps = self.in_order + self.late, np.concatenate((in_order_steps, self._late_steps))
        order = leaving_order(steps, Tagged.from_stream(0, events))
        return events[order], steps[order]

    def released_before_late(self) -> Rows:
        """How many events of the batch had left in order before each late one left."""
        count = np.zeros(len(self.late), np.int64)
        later = np.flatnonzero(self._late_steps)  # a late event of the first step follows none of the batch
        count[later] = self.released_by(self._late_steps[later] - 1)
        return count

    def late_by(self, step: Rows) -> Rows:
        """How many events of the batch had left as late after each of these steps."""
        return np.asarray(np.searchsorted(self._late_steps, step, side="right"), np.int64)


class KSlackLogic:
    """Releases in event-time order; holds the events of the last `slack`. O(n log n) per batch of n events.

    >>> from slackwater.core.buffer import MemoryBuffer
    >>> logic = KSlack().build(MemoryBuffer())
    >>> out = logic.on_batch(logic.arrive(Events.of([1, 4, 3, 5, 7, 8, 6, 9])), slack=1)
    >>> out.in_order.time.tolist(), out.late.time.tolist()
    ([1, 3, 4, 5, 7, 8], [6])
    """

    def __init__(self, config: KSlack, buffer: Buffer, state: KSlackState) -> None:
        self._config = config
        self._buffer = buffer
        self._state = state

    def arrive(self, events: Events) -> Arrivals:
        """Place events, in arrival order, behind those that arrived before. Changes nothing yet."""
        return Arrivals.after(self._state.clock, events)

    def on_batch(self, arrivals: Arrivals, slack: Times | int) -> Departures:
        """Take in events and release what the horizon reaches. `slack` is one number, or one for each step."""
        if not len(arrivals.events):
            return Departures.none()
        out = self._depart(arrivals, self.horizon(arrivals, slack, 0, arrivals.steps))
        self._state = KSlackState(int(arrivals.clock[-1]), self._state.passed_on)
        return self._remember(out)

    def horizon(self, arrivals: Arrivals, slack: Times | int, start: int, stop: int) -> Times:
        """Return what may be released at each of the steps `[start, stop)`."""
        clock = arrivals.clock[start:stop]
        horizon = release_horizon(clock, slack)
        if self._config.release == "clock":
            horizon = np.where(clock_grew(clock, arrivals.before[start:stop]), horizon, BEFORE_ALL_TIME)
        return horizon

    def late_ahead(self, arrivals: Arrivals) -> LateAhead | None:
        """Return what tells beforehand how many of these will be late.

        None where what is held is stored elsewhere, or is so much that to sort it would cost more than is spared.
        """
        if len(self._buffer) > _MOST_HELD * len(arrivals.events):
            return None
        held = self._buffer.held_times()
        return None if held is None else LateAhead(arrivals, held=held, passed_on=self._passed_on)

    def on_end(self) -> Departures:
        """Drain: release all that is held, in order; what is behind what was passed on is late all the same."""
        return self._remember(self._leave_all(self._buffer.take(np.iinfo(np.int64).max)))

    def snapshot(self) -> KSlackState:
        """Return all that is needed to go on, besides the events in the buffer."""
        return self._state

    @property
    def buffered(self) -> int:
        """How many events are held."""
        return len(self._buffer)

    @property
    def _passed_on(self) -> int:
        return BEFORE_ALL_TIME if self._state.passed_on is None else self._state.passed_on

    def _remember(self, out: Departures) -> Departures:
        if len(out.in_order):
            self._state = KSlackState(self._state.clock, int(out.in_order.time[-1]))
        return out

    def _leave_all(self, held: Events) -> Departures:
        late = is_late(held.time, self._passed_on)
        count, nothing = int(late.sum()), np.empty(0, np.int64)
        return Departures(
            in_order=held[~late],
            late=held[late],
            late_behind=np.full(count, self._passed_on),
            late_delay=delay_of(held.time[late], self._state.clock or 0),
            _fresh_times=nothing,
            _reached=nothing,
            _overdue_steps=nothing,
            _late_steps=np.zeros(count, np.int64),
        )

    def _depart(self, arrivals: Arrivals, horizon: Times) -> Departures:
        reached = np.maximum.accumulate(horizon)
        passed_before = np.concatenate(([self._passed_on], np.maximum(reached[:-1], self._passed_on)))
        overdue = is_released(arrivals.events.time, arrivals.per_event(passed_before))
        ripe = self._buffer.take(int(reached[-1]))
        # waited although behind what was passed on: as if they came now
        overtaken = is_late(ripe.time, self._passed_on)
        if len(ripe):
            overdue = np.concatenate((overtaken, overdue))
        pool = ripe + arrivals.events
        order = np.argsort(pool.time, kind="stable")
        leaving = int(np.searchsorted(pool.time, reached[-1], side="right", sorter=order))
        if not overdue.any():
            self._buffer.put(pool[order[leaving:]])
            in_order = pool[order[:leaving]]
            nothing = np.empty(0, np.int64)
            return Departures(in_order, Events.none(), nothing, nothing, in_order.time, reached, nothing, nothing)
        return self._depart_overdue(arrivals, pool, order, leaving, horizon, reached, overdue)

    def _depart_overdue(
        self,
        arrivals: Arrivals,
        pool: Events,
        order: Rows,
        leaving: int,
        horizon: Times,
        reached: Times,
        overdue: Mask,
    ) -> Departures:
        """Settle a batch in which some events were behind the horizon when they came."""
        at, reachable = np.flatnonzero(overdue), order[:leaving]
        suspects = pool[at]
        ripe = len(pool) - len(arrivals.events)
        left_at = _left_at(horizon, arrivals.step_of(np.maximum(at - ripe, 0)), suspects.time)
        gone = left_at < len(horizon)
        fresh = pool.time[reachable[~overdue[reachable]]]
        behind = self._passed_on_before(left_at[gone], fresh, reached, suspects.time[gone])
        late = np.zeros(len(at), np.bool_)
        late[gone] = is_late(suspects.time[gone], behind)

        elsewhere = np.zeros(len(pool), np.bool_)  # late, or waiting although an earlier horizon had reached them
        elsewhere[at[~gone]] = True
        waiting = order[leaving:] if gone.all() else np.append(reachable[elsewhere[reachable]], order[leaving:])
        self._buffer.put(pool[waiting])
        elsewhere[at[late]] = True
        in_order = reachable[~elsewhere[reachable]]
        out_late, late_step = suspects[late], left_at[late]
        by_step = np.lexsort((out_late.arrival, out_late.time, late_step)) if _has_ties(late_step) else slice(None)
        return Departures(
            in_order=pool[in_order],
            late=out_late[by_step],
            late_behind=behind[late[gone]][by_step],
            late_delay=delay_of(out_late.time, arrivals.before[late_step])[by_step],
            _fresh_times=fresh,
            _reached=reached,
            _overdue_steps=np.sort(left_at[gone & ~late]),
            _late_steps=late_step[by_step],
            _overdue=(in_order, at[gone & ~late], left_at[gone & ~late]),
        )

    def _passed_on_before(self, step: Rows, fresh: Times, reached: Times, suspects: Times) -> Times:
        """Return the largest event time that left before each step, among fresh events and the suspects themselves."""
        if _has_ties(step):
            by_step = np.argsort(step, kind="stable")
            so_far = np.concatenate(([self._passed_on], np.maximum.accumulate(suspects[by_step])))
            of_suspects = so_far[np.searchsorted(step[by_step], step, side="left")]
        else:
            of_suspects = np.concatenate(([self._passed_on], np.maximum.accumulate(suspects)))[:-1]
        reached_before = np.where(step > 0, reached[step - 1], BEFORE_ALL_TIME)
        fresh = np.concatenate(([BEFORE_ALL_TIME], fresh))
        of_fresh = fresh[count_released(fresh, reached_before) - 1]
        return np.maximum(np.maximum(of_fresh, of_suspects), self._passed_on)


def _has_ties(step: Rows) -> bool:
    """Whether events left at the same step, or not in the order in which they came."""
    return bool((step[1:] <= step[:-1]).any())


def _left_at(horizon: Times, came: Rows, time: Times) -> Rows:
    """Return the step at which each overdue event leaves: mostly the one in which it came."""
    left_at = came.copy()
    waits = np.flatnonzero(~is_released(time, horizon[came]))
    if len(waits):
        left_at[waits] = first_reaching(horizon, start=came[waits], target=time[waits])
    return left_at
