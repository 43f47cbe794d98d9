"""A gate that several readers read at their own pace: SSG17's insert / get / set_slack, on columns.

Every event is kept once, in one order, until all readers have read it; a reader is a position in that order. An event
that comes behind what a reader has read goes to a queue of that reader alone, which it reads first (SSG17 Alg. 2, 3):
another that has not come so far finds it in its place.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from slackwater.core.gate import Place, is_behind, is_up_to
from slackwater.errors import GateFullError, ParameterError
from slackwater.events import Tagged
from slackwater.time import AFTER_ALL_TIME, BEFORE_ALL_TIME, count_released, slack_ready_horizon

if TYPE_CHECKING:
    from slackwater.time import Mask, Times

MOST_UNREAD = 10_000_000


@dataclass(frozen=True, slots=True)
class Read:
    """What a reader got, in the order in which it is to be processed."""

    events: Tagged
    ready: Mask  # false: slack-ready only
    late: Mask  # behind what the reader had read before

    def __len__(self) -> int:
        return len(self.events)


@dataclass(frozen=True, slots=True)
class ReaderState:
    """Where a reader is: how much of the kept order it has read, what the last of that was, and what came behind."""

    position: int = 0
    last: Place | None = None
    queue: Tagged = field(default_factory=Tagged.none)
    is_open: bool = True

    def unread(self, kept: int) -> int:
        """How many events it has still to read."""
        return kept - self.position + len(self.queue) if self.is_open else 0


@dataclass(frozen=True, slots=True)
class ReadersState:
    """All that a gate with readers remembers."""

    kept: Tagged  # in order
    newest: tuple[int, ...]  # the largest time of each writer
    readers: tuple[ReaderState, ...]
    inserted: int = 0


@dataclass(frozen=True, slots=True)
class SharedGate:
    """A gate with `writers`, each a stream, and `readers`. `limit` is SSG17's SLT, in us; None: ready events only.

    `most_unread` bounds what is kept for a reader that does not read: an insert that would exceed it is an error.
    """

    writers: int
    readers: int
    limit: int | None = None
    most_unread: int = MOST_UNREAD

    def __post_init__(self) -> None:
        """Check that there is somebody to write and to read."""
        for name, value in (("writers", self.writers), ("readers", self.readers), ("most_unread", self.most_unread)):
            if value < 1:
                raise ParameterError(name, value, must="be >= 1", remedy="a gate has a writer for each stream")

    def build(self, state: ReadersState | None = None) -> SharedGateLogic:
        """Start anew, or go on from a snapshot."""
        nobody = ReadersState(Tagged.none(), (BEFORE_ALL_TIME,) * self.writers, (ReaderState(),) * self.readers)
        return SharedGateLogic(self, state or nobody)


class SharedGateLogic:
    """Logic of `SharedGate`. A get after n new events costs O((kept + n) log n), else what it returns.

    >>> gate = SharedGate(writers=2, readers=2, limit=10).build()  # the example E32, times in tenths
    >>> gate.insert(0, np.array([10, 20, 50]))
    >>> gate.get(0).events.time.tolist()
    [10, 20]
    >>> gate.insert(1, np.array([15]))
    >>> gate.get(0).events.time.tolist(), gate.get(1).events.time.tolist()
    ([15], [10, 15, 20])
    """

    def __init__(self, config: SharedGate, state: ReadersState) -> None:
        self._config = config
        self._limit = config.limit
        self._kept = state.kept
        self._newest = list(state.newest)
        self._readers = list(state.readers)
        self._inserted = state.inserted
        self._new: list[Tagged] = []

    def insert(self, writer: int, time: Times, row: Times | None = None) -> None:
        """Take in events of one writer, in the order in which it wrote them; `row` is where their payload is."""
        self._check("writer", writer, self._config.writers)
        if not len(time):
            return
        self._make_room(len(time))
        number = np.arange(self._inserted, self._inserted + len(time), dtype=np.int64)
        stream = np.full(len(time), writer, np.int8)
        self._new.append(Tagged(stream, time, number, number if row is None else row))
        self._inserted += len(time)
        self._newest[writer] = max(self._newest[writer], int(time.max()))

    def get(self, reader: int, most: int | None = None) -> Read:
        """Return what a reader may read now and has not read, at most `most` events: first what came behind."""
        self._check("reader", reader, self._config.readers)
        self._put_in_order()
        own = self._readers[reader]
        if not own.is_open:
            raise ParameterError("reader", reader, must="be open", remedy="it was closed")
        most = AFTER_ALL_TIME if most is None else most
        late = own.queue[:most]
        ready, may_leave = self._counts()
        stop = max(min(may_leave, own.position + most - len(late)), own.position)
        found = self._kept[own.position : stop]
        flags = np.arange(own.position, stop) < ready
        last = Place(int(found.time[-1]), int(found.stream[-1])) if len(found) else own.last
        self._readers[reader] = ReaderState(stop, last, own.queue[len(late) :])
        self._forget()
        return Read(
            Tagged.concat([late, found]),
            np.concatenate((is_up_to(late, self._merge_place()), flags)),
            np.arange(len(late) + len(found)) < len(late),
        )

    def set_slack(self, limit: int | None) -> None:
        """Change how far an event may be behind the fastest writer before it is slack-ready, in us (setSLT)."""
        if limit is not None and limit < 0:
            raise ParameterError("limit", limit, must="be >= 0", remedy="0 lets everything leave but the newest")
        self._limit = limit

    def close_reader(self, reader: int) -> None:
        """Keep nothing for a reader any more."""
        self._check("reader", reader, self._config.readers)
        self._readers[reader] = replace(self._readers[reader], queue=Tagged.none(), is_open=False)

    def snapshot(self) -> ReadersState:
        """Return all that `build` needs to go on, but the limit."""
        self._put_in_order()
        return ReadersState(self._kept, tuple(self._newest), tuple(self._readers), self._inserted)

    def unread(self, reader: int) -> int:
        """How many events a reader has still to read."""
        self._put_in_order()
        return self._readers[reader].unread(len(self._kept))

    def _merge_place(self) -> Place:
        """Up to where everything is ready (mergeTs)."""
        return min(Place(time, writer) for writer, time in enumerate(self._newest))

    def _counts(self) -> tuple[int, int]:
        """How many of the kept events are ready, and how many are at least slack-ready."""
        place = self._merge_place()
        surely, perhaps = (int(count_released(self._kept.time, place.time - less)) for less in (1, 0))
        ready = surely + int(np.count_nonzero(is_up_to(self._kept[surely:perhaps], place)))
        if self._limit is None:
            return ready, ready
        overdue = slack_ready_horizon(max(self._newest), self._limit)
        return ready, max(ready, int(count_released(self._kept.time, overdue)))

    def _put_in_order(self) -> None:
        """Give new events their place, and those that a reader has passed to its queue as well."""
        if not self._new:
            return
        new, self._new = Tagged.concat(self._new), []
        for number, reader in enumerate(self._readers):
            if reader.last is not None and reader.is_open:
                self._readers[number] = _with_queue(reader, new[is_behind(new, reader.last)])
        pool = self._kept + new
        self._kept = pool[pool.sorted_by(pool.time)]

    def _forget(self) -> None:
        """Forget what all have read, once that is half of what is kept: so each event is moved once on average."""
        done = min((reader.position for reader in self._readers if reader.is_open), default=len(self._kept))
        if done * 2 >= len(self._kept):
            self._kept = self._kept[done:]
            self._readers = [replace(each, position=max(each.position - done, 0)) for each in self._readers]

    def _make_room(self, coming: int) -> None:
        waiting = coming + sum(map(len, self._new)) + len(self._kept)
        if waiting <= self._config.most_unread:
            return
        for number, reader in enumerate(self._readers):
            unread = reader.unread(waiting)
            if unread > self._config.most_unread:
                raise GateFullError(reader=number, unread=unread, most=self._config.most_unread)

    def _check(self, name: str, number: int, count: int) -> None:
        if not 0 <= number < count:
            raise ParameterError(name, number, must=f"be a number from 0 to {count - 1}", remedy=f"there are {count}")


def _with_queue(reader: ReaderState, behind: Tagged) -> ReaderState:
    """Let a reader find events in its queue: their place in the order is where it has been already."""
    if not len(behind):
        return reader
    queue = reader.queue + behind
    return replace(reader, position=reader.position + len(behind), queue=queue[queue.sorted_by(queue.time)])
