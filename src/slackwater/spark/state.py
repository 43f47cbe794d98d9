"""The reorder buffer in Spark's state store: chunks of Arrow IPC, each a slice of event time.

A batch writes what it leaves waiting as new chunks and reads only chunks that the horizon has reached. A chunk that
is released in part stays as it is; the index remembers up to which event time it is gone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
import pyarrow as pa

from slackwater.errors import StateError
from slackwater.events import Events
from slackwater.spark.packets import PACKET_BYTES
from slackwater.spark.sealed import sealed, unsealed
from slackwater.time import BEFORE_ALL_TIME, count_released, is_released

TIME_COLUMN, ARRIVAL_COLUMN = "__slackwater_time", "__slackwater_arrival"
CHUNK_ROWS = 20_000  # about as many as are worth one call of the state store
_MOST_SLICES = 8
_MOST_PARTIAL = 8  # more chunks than this that were read but not finished are rewritten as new ones
MANY_CHUNKS = 32  # from so many on, new rows are written together with the small chunks before them


class ChunkStore(Protocol):
    """Where the bytes of chunks are: one value of a state map each."""

    def read(self, number: int) -> bytes:
        """Return a chunk."""

    def write(self, number: int, body: bytes) -> None:
        """Keep a chunk."""

    def delete(self, number: int) -> None:
        """Forget a chunk."""


class MemoryChunks:
    """Chunks of a run that ends with the task, or of state that is neither read from nor written to Spark yet."""

    def __init__(self, bodies: Mapping[int, bytes] | None = None) -> None:
        self.bodies = dict(bodies or {})

    def read(self, number: int) -> bytes:
        """Return a chunk."""
        return self.bodies[number]

    def write(self, number: int, body: bytes) -> None:
        """Keep a chunk."""
        self.bodies[number] = body

    def delete(self, number: int) -> None:
        """Forget a chunk."""
        del self.bodies[number]


@dataclass(frozen=True, slots=True)
class Chunk:
    """An entry of the index: what of a chunk is still waiting."""

    number: int
    rows: int
    earliest: int
    gone_to: int  # rows with an event time up to this are gone


class Payload:
    """Rows of a call under one numbering: those of the batch first, then those that were read from chunks."""

    def __init__(self, batch: pa.Table) -> None:
        self._tables = [batch]
        self._rows = batch.num_rows

    def add(self, table: pa.Table) -> int:
        """Append rows and return the number of the first."""
        first = self._rows
        self._tables.append(table)
        self._rows += table.num_rows
        return first

    @property
    def table(self) -> pa.Table:
        """All rows so far."""
        return pa.concat_tables(self._tables)


class ChunkedBuffer:
    """A buffer whose events outlive the call in a chunk store. `commit` moves all of them there."""

    def __init__(self, store: ChunkStore, payload: Payload, chunks: Iterable[Chunk], next_number: int) -> None:
        self._store = store
        self._payload = payload
        self._stored = {chunk.number: chunk for chunk in chunks}
        self._read: dict[int, int] = {}  # number of a chunk that was read -> number of its first row
        self._next = next_number
        self._held = Events.none()  # in memory: new events, and the rest of the chunks that were read
        self._taken_to = BEFORE_ALL_TIME

    def put(self, events: Events) -> None:
        """Keep events. At equal times they come in arrival order, after all that were put before."""
        if len(events):
            self._held = (self._held + events).by_time()

    def take(self, horizon: int) -> Events:
        """Remove and return every event with event time <= horizon, by (event time, arrival)."""
        due = [chunk for chunk in self._stored.values() if self._is_due(chunk, horizon)]
        if due:
            self._held = _merged(Events.concat([self._load(chunk) for chunk in due]), self._held)
        self._taken_to = max(self._taken_to, horizon)
        count = int(count_released(self._held.time, horizon))
        taken, self._held = self._held[:count], self._held[count:]
        return taken

    def held_times(self) -> None:
        """Return nothing: most of what is held would have to be read."""

    def commit(self) -> tuple[list[Chunk], int]:
        """Write what is new, forget what is gone; return the index and the next number."""
        first_read = min(self._read.values(), default=np.iinfo(np.int64).max)
        partial = [self._remaining(number) for number in self._read]
        kept = [chunk for chunk in partial if chunk.rows]
        rewrite = len(kept) > _MOST_PARTIAL
        for chunk in partial:
            if rewrite or not chunk.rows:
                self._store.delete(chunk.number)
                del self._stored[chunk.number]
            else:
                self._stored[chunk.number] = chunk
        self._write(self._with_small_chunks(self._held if rewrite else self._held[self._held.row < first_read]))
        self._held, self._read = Events.none(), {}
        return list(self._stored.values()), self._next

    def __len__(self) -> int:
        unread = sum(chunk.rows for chunk in self._stored.values() if chunk.number not in self._read)
        return unread + len(self._held)

    def _is_due(self, chunk: Chunk, horizon: int) -> bool:
        return chunk.number not in self._read and bool(is_released(np.int64(chunk.earliest), horizon))

    def _load(self, chunk: Chunk) -> Events:
        try:
            table = unsealed(self._store.read(chunk.number))
            time, arrival = table[TIME_COLUMN].to_numpy(), table[ARRIVAL_COLUMN].to_numpy()
        except (pa.ArrowInvalid, KeyError, TypeError) as error:
            raise unreadable_chunk(chunk.number) from error
        first = self._payload.add(table.drop_columns([TIME_COLUMN, ARRIVAL_COLUMN]))
        self._read[chunk.number] = first
        events = Events(time, arrival, np.arange(first, first + table.num_rows, dtype=np.int64))
        return events[~is_released(time, chunk.gone_to)]

    def _remaining(self, number: int) -> Chunk:
        """Return the index entry of a chunk that was read, as it is now."""
        first, chunk = self._read[number], self._stored[number]
        last = min((f for f in self._read.values() if f > first), default=np.iinfo(np.int64).max)
        left = self._held.time[(self._held.row >= first) & (self._held.row < last)]
        earliest = int(left[0]) if len(left) else chunk.earliest
        return replace(chunk, rows=len(left), earliest=earliest, gone_to=max(chunk.gone_to, self._taken_to))

    def _with_small_chunks(self, events: Events) -> Events:
        """Take back small chunks at the end, so that many small batches do not leave as many chunks behind.

        A row is rewritten each time its chunk has doubled: O(log) times until the chunk has its full size.
        """
        while len(events) and len(self._stored) >= MANY_CHUNKS:
            last = self._stored[max(self._stored)]
            if last.rows > 2 * len(events) or last.rows + len(events) > CHUNK_ROWS or last.number in self._read:
                break
            events = _merged(self._load(last), events)
            self._store.delete(last.number)
            del self._stored[last.number]
        return events

    def _write(self, events: Events) -> None:
        """Write events that are sorted by time as chunks of consecutive slices of time."""
        if not len(events):
            return
        payload = self._payload.table
        for part in sliced(events, payload):
            table = payload.take(part.row)
            table = table.append_column(TIME_COLUMN, pa.array(part.time)).append_column(
                ARRIVAL_COLUMN, pa.array(part.arrival)
            )
            self._store.write(self._next, sealed(table))
            self._stored[self._next] = Chunk(self._next, len(part), int(part.time[0]), BEFORE_ALL_TIME)
            self._next += 1


def sliced(events: Events, payload: pa.Table) -> Iterator[Events]:
    """Cut events that are sorted by time into as many slices of time as are worth chunks of their own."""
    slices = min(max(len(events) // CHUNK_ROWS, 1), _MOST_SLICES)
    size_of_row = payload.nbytes / max(payload.num_rows, 1)
    slices = max(slices, int(len(events) * size_of_row / PACKET_BYTES))
    for rows in np.array_split(np.arange(len(events)), slices):
        yield events[rows]


def _merged(loaded: Events, held: Events) -> Events:
    both = loaded + held
    return both[np.lexsort((both.arrival, both.time))]


def unreadable_chunk(number: int) -> StateError:
    """Return the error that names a chunk which is lost or damaged."""
    return StateError(
        f"an unreadable chunk {number}", expected="Arrow IPC", remedy="restore the checkpoint from a copy"
    )
