"""K-slack with a clock per key: every key is a stream of its own, put in order against its own clock.

A key that is behind the others loses nothing: its events are compared with what *it* passed on, and leave when *its*
horizon, its clock - slack, reaches them, which is looked at when one of its own events comes. The slack is one for all
keys. A key that falls silent keeps what it holds until it is drained, with the others or by itself (`on_quiet`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from slackwater.core.arrivals import Arrivals
from slackwater.core.keyed_kernels import (
    CLOCK,
    HELD,
    OUT_ARRIVAL,
    OUT_BEHIND,
    OUT_DELAY,
    OUT_FIELDS,
    OUT_LATE,
    OUT_ROW,
    OUT_STEP,
    OUT_TIME,
    PASSED_ON,
    delays,
    run_steps,
)
from slackwater.core.reorder import KSlackState
from slackwater.events import Events
from slackwater.time import delay_of, is_late, release_horizon

if TYPE_CHECKING:
    import numpy.typing as npt

    from slackwater.core.keyed_buffer import KeyedBuffer
    from slackwater.events import Rows
    from slackwater.time import Mask, Times


@dataclass(frozen=True, slots=True)
class KeyedDepartures:
    """What left the buffers in a batch, and when: by (step of release, event time); of a key then by arrival."""

    in_order: Events
    late: Events
    late_behind: Times  # for each late event, what its key had passed on when it left
    late_delay: Times  # and how far the key's clock was ahead of it
    _in_order_steps: Rows
    _late_steps: Rows

    @classmethod
    def of(cls, out: npt.NDArray[np.int64]) -> KeyedDepartures:
        """Put what left at the same step in order over its keys; at equal times the key that came first is first."""
        time, step = out[:, OUT_TIME], out[:, OUT_STEP]
        if ((time[1:] < time[:-1]) & (step[1:] == step[:-1])).any():
            out = out[np.lexsort((time, step))]
        late = out[:, OUT_LATE] != 0
        used, missed = (out[~late], out[late]) if late.any() else (out, out[:0])
        return cls(
            in_order=_events(used),
            late=_events(missed),
            late_behind=missed[:, OUT_BEHIND].copy(),
            late_delay=missed[:, OUT_DELAY].copy(),
            _in_order_steps=used[:, OUT_STEP].copy(),
            _late_steps=missed[:, OUT_STEP].copy(),
        )

    def released_by(self, step: Rows) -> Rows:
        """How many events of the batch had left in order after each of these steps."""
        return np.asarray(np.searchsorted(self._in_order_steps, step, side="right"), np.int64)

    def late_by(self, step: Rows) -> Rows:
        """How many events of the batch had left as late after each of these steps."""
        return np.asarray(np.searchsorted(self._late_steps, step, side="right"), np.int64)

    def released_before_late(self) -> Rows:
        """How many events of the batch had left in order before the step at which each late one left."""
        return np.asarray(np.searchsorted(self._in_order_steps, self._late_steps, side="left"), np.int64)


@dataclass(frozen=True, slots=True)
class KeyedKSlack:
    """The reorder buffers of the keys of one stream; `release` as for one buffer, by the clock of each key."""

    release: Literal["arrival", "clock"] = "arrival"

    def build(self, buffer: KeyedBuffer, state: KSlackState | None = None) -> KeyedLogic:
        """Start anew, or go on: `state` has the clock over all keys, `buffer` the events and what is known of keys."""
        return KeyedLogic(self, buffer, (state or KSlackState()).clock)


class KeyedLogic:
    """Releases each key's events in event-time order. O(n log held) per batch of n events, whatever the slack does.

    >>> from slackwater.core.keyed_buffer import KeyedBuffer
    >>> logic = KeyedKSlack().build(KeyedBuffer(key_of=lambda rows: rows % 2))
    >>> out = logic.on_batch(logic.arrive(Events.of([100, 1, 103, 3, 102, 2])), slack=1)
    >>> out.in_order.time.tolist(), out.late.time.tolist()  # the second key is far behind, and loses nothing
    ([100, 1, 102, 2], [])
    """

    def __init__(self, config: KeyedKSlack, buffer: KeyedBuffer, clock: int | None) -> None:
        self._config = config
        self._buffer = buffer
        self._clock = clock  # the largest of all keys: decisions fall due by it

    def arrive(self, events: Events) -> Arrivals:
        """Place events behind those that came before, each against the clock of its key. Changes nothing yet."""
        arrivals = Arrivals.after(self._clock, events)
        key = self._buffer.key_of(events.row)
        clocks = self._buffer.known_clocks(key)
        return replace(arrivals, delay=delays(key, events.time, events.arrival, clocks))

    def on_batch(self, arrivals: Arrivals, slack: Times | int) -> KeyedDepartures:
        """Take in events and release what the horizons of their keys reach."""
        events, buffer = arrivals.events, self._buffer
        if not len(events):
            return nothing_left()
        slacks = np.ascontiguousarray(np.broadcast_to(np.asarray(slack, np.int64), (arrivals.steps,)))
        buffer.fetch(int(release_horizon(arrivals.clock, slacks).max()))
        key = buffer.arriving(events)
        out = np.empty((buffer.in_memory + len(events), OUT_FIELDS), np.int64)
        columns = (key, events.time, events.arrival, events.row, slacks, self._config.release == "clock")
        buffer.free, count = run_steps(*columns, buffer.keys, buffer.nodes, buffer.free, out)
        buffer.count(len(events) - count)
        self._clock = int(arrivals.clock[-1])
        return KeyedDepartures.of(out[:count])

    def on_end(self) -> KeyedDepartures:
        """Drain: release all that is held, in order; what is behind what its key passed on is late all the same."""
        return self._leave_all(None)

    def on_quiet(self, keys: Mask) -> KeyedDepartures:
        """Drain some keys alone; they go on as they are when they speak again."""
        return self._leave_all(keys)

    def snapshot(self) -> KSlackState:
        """Return the clock over all keys; all else is in the buffer."""
        return KSlackState(self._clock, None)

    @property
    def buffered(self) -> int:
        """How many events are held."""
        return len(self._buffer)

    def _leave_all(self, of: Mask | None) -> KeyedDepartures:
        keys = self._buffer.keys
        holding = keys[:, HELD] > 0 if of is None else (keys[:, HELD] > 0) & of
        if not holding.any():
            return nothing_left()
        self._buffer.fetch(int(keys[holding, CLOCK].max()))
        events, key = self._buffer.take_all(of)
        behind = keys[key, PASSED_ON]
        late = is_late(events.time, behind)
        # By event time, so that of a key's events the last one stays.
        keys[key[~late], PASSED_ON] = events.time[~late]
        return KeyedDepartures(
            in_order=events[~late],
            late=events[late],
            late_behind=behind[late],
            late_delay=delay_of(events.time[late], keys[key[late], CLOCK]),
            _in_order_steps=np.zeros(len(events) - int(late.sum()), np.int64),
            _late_steps=np.zeros(int(late.sum()), np.int64),
        )


def nothing_left() -> KeyedDepartures:
    """Return what an empty batch leads to."""
    return KeyedDepartures.of(np.empty((0, OUT_FIELDS), np.int64))


def _events(out: npt.NDArray[np.int64]) -> Events:
    return Events(out[:, OUT_TIME].copy(), out[:, OUT_ARRIVAL].copy(), out[:, OUT_ROW].copy())
