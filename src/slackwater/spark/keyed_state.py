"""Reorder buffers of many keys in Spark's state store: chunks of Arrow IPC, each a slice of event time over all keys.

Keys are released at their own pace, so any row of a chunk may leave first. A call reads the chunks that the horizon of
the furthest key has reached. A chunk of which rows left stays as it is, with *marks*: one bit for each row, whether it
still waits. Once half of it has left, or less is left of it than the call writes anyway, its rest is written anew.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from slackwater.core.keyed_buffer import KeyedBuffer
from slackwater.core.keyed_kernels import HELD
from slackwater.events import Events
from slackwater.spark.sealed import check_seal, seal_of, sealed, unsealed
from slackwater.spark.state import (
    ARRIVAL_COLUMN,
    CHUNK_ROWS,
    MANY_CHUNKS,
    TIME_COLUMN,
    ChunkStore,
    Payload,
    sliced,
    unreadable_chunk,
)
from slackwater.time import is_released

if TYPE_CHECKING:
    import numpy.typing as npt

    from slackwater.events import Rows
    from slackwater.time import Mask

KEY_COLUMN = "__slackwater_key"
_HIDDEN = [TIME_COLUMN, ARRIVAL_COLUMN, KEY_COLUMN]


@dataclass(frozen=True, slots=True)
class KeyedChunk:
    """An entry of the index: what of a chunk is still waiting."""

    number: int
    size: int  # rows as written
    rows: int  # of these, those that wait
    earliest: int
    marks: int | None = None  # where its marks are; None: all rows wait
    seal: int | None = None  # their checksum


class KeyedChunks(KeyedBuffer):
    """A buffer for many keys whose events outlive the call in a chunk store. `commit` moves all of them there.

    `numbers` are the keys of the batch, `keys` what is known of each key.
    """

    def __init__(
        self,
        store: ChunkStore,
        payload: Payload,
        chunks: Iterable[KeyedChunk],
        next_number: int,
        numbers: Rows,
        keys: npt.NDArray[np.int64],
    ) -> None:
        super().__init__(lambda rows: self._numbers[rows], keys)
        self.keys[:, HELD] = keys[:, HELD]
        self._store = store
        self._payload = payload
        self._numbers = numbers
        self._batch_rows = len(numbers)
        self._stored = {chunk.number: chunk for chunk in chunks}
        self._read: dict[int, int] = {}  # number of a chunk that was read -> number of its first row
        self._next = next_number

    def __len__(self) -> int:
        return self.in_memory + sum(chunk.rows for chunk in self._unread())

    def fetch(self, horizon: int) -> None:
        """Read every chunk with an event time <= horizon."""
        for chunk in self._unread():
            if is_released(np.int64(chunk.earliest), horizon):
                self._load(chunk)

    def commit(self) -> tuple[list[KeyedChunk], int]:
        """Write what is new, forget what is gone; return the index and the next number."""
        many = len(self._stored) >= MANY_CHUNKS
        for chunk in self._unread():
            if many and _is_small(chunk):
                self._load(chunk)
        held = _ByRow.of(self.in_memory_events(), len(self._numbers))
        moving = [held.between(0, self._batch_rows)]
        fresh = len(moving[0])
        for number, first in self._read.items():
            chunk, left = self._stored[number], held.between(first, first + self._stored[number].size)
            if (many and _is_small(chunk)) or 2 * len(left) < chunk.size or len(left) < min(fresh, chunk.rows):
                self._forget(chunk)
                moving.append(left)
            elif len(left) < chunk.rows:
                self._stored[number] = self._marked(chunk, first, left)
        self._write(Events.concat(moving))
        self._read = {}
        self.clear()
        return list(self._stored.values()), self._next

    def _unread(self) -> list[KeyedChunk]:
        return [chunk for chunk in self._stored.values() if chunk.number not in self._read]

    def _load(self, chunk: KeyedChunk) -> None:
        try:
            table, waits = read_keyed(self._store, chunk)
            time, arrival, key = (table[name].to_numpy() for name in _HIDDEN)
        except (pa.ArrowInvalid, KeyError, TypeError, ValueError) as error:
            raise unreadable_chunk(chunk.number) from error
        known = len(self.keys)
        if len(key) != chunk.size or key.dtype != np.int64 or key.min(initial=0) < 0 or key.max(initial=-1) >= known:
            raise unreadable_chunk(chunk.number)
        first = self._payload.add(table.drop_columns(_HIDDEN))
        self._read[chunk.number] = first
        self._numbers = np.concatenate((self._numbers, key))
        rows = np.arange(first, first + len(time), dtype=np.int64)
        self.keys[:, HELD] -= np.bincount(key[waits], minlength=len(self.keys))  # `put` counts them again
        self.put(Events(time[waits], arrival[waits], rows[waits]))

    def _marked(self, chunk: KeyedChunk, first: int, left: Events) -> KeyedChunk:
        waits = np.zeros(chunk.size, np.bool_)
        waits[left.row - first] = True
        number = self._next if chunk.marks is None else chunk.marks
        self._next = max(self._next, number + 1)
        marks = np.packbits(waits).tobytes()
        self._store.write(number, marks)
        return replace(chunk, rows=len(left), earliest=int(left.time.min()), marks=number, seal=seal_of(marks))

    def _forget(self, chunk: KeyedChunk) -> None:
        del self._stored[chunk.number]
        self._store.delete(chunk.number)
        if chunk.marks is not None:
            self._store.delete(chunk.marks)

    def _write(self, events: Events) -> None:
        if not len(events):
            return
        payload, events = self._payload.table, events[np.lexsort((events.arrival, events.time))]
        for part in sliced(events, payload):
            table = payload.take(part.row)
            for name, column in zip(_HIDDEN, (part.time, part.arrival, self._numbers[part.row]), strict=True):
                table = table.append_column(name, pa.array(column))
            self._store.write(self._next, sealed(table))
            self._stored[self._next] = KeyedChunk(self._next, len(part), len(part), int(part.time[0]))
            self._next += 1


def read_keyed(store: ChunkStore, chunk: KeyedChunk) -> tuple[pa.Table, Mask]:
    """Return the rows of a chunk as they are stored, and which of them still wait."""
    table = unsealed(store.read(chunk.number))
    if chunk.marks is None:
        return table, np.ones(chunk.size, np.bool_)
    bits = np.frombuffer(check_seal(store.read(chunk.marks), chunk.seal), np.uint8)
    return table, np.unpackbits(bits, count=chunk.size).astype(np.bool_)


@dataclass(frozen=True, slots=True)
class _ByRow:
    """Events that are found by the numbers of their rows, without sorting them."""

    events: Events
    place: Rows  # for each row of the call, where its event is; -1: it is gone

    @classmethod
    def of(cls, events: Events, rows: int) -> _ByRow:
        place = np.full(rows, -1, np.int64)
        place[events.row] = np.arange(len(events))
        return cls(events, place)

    def between(self, first: int, stop: int) -> Events:
        found = self.place[first:stop]
        return self.events[found[found >= 0]]


def _is_small(chunk: KeyedChunk) -> bool:
    return 2 * chunk.size <= CHUNK_ROWS
