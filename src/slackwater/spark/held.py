"""The rows that a join holds, in Spark's state store: each is written once, however long it is held.

A chunk of Arrow IPC has the payload, times and delays of rows of one stream that came in one call. Where its rows are
(in a reorder buffer, in the synchronizer, in a window: one bit each) is in its marks, one byte for each row: these are
what changes. A chunk of which no row is held any more is deleted; neighbors that have become small are put together.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from slackwater.events import Events, Tagged
from slackwater.pipeline.guard import Incoming
from slackwater.pipeline.join import Held
from slackwater.spark.packets import split
from slackwater.spark.sealed import check_seal, seal_of, sealed, unsealed
from slackwater.spark.state import ARRIVAL_COLUMN, CHUNK_ROWS, TIME_COLUMN, ChunkStore, unreadable_chunk

if TYPE_CHECKING:
    from slackwater.events import Rows
    from slackwater.time import Times

Marks: TypeAlias = npt.NDArray[np.uint8]

_DELAY_COLUMN = "__slackwater_delay"
_HIDDEN = (TIME_COLUMN, ARRIVAL_COLUMN, _DELAY_COLUMN)
_MANY_SMALL = 8  # so many neighbors are worth being put together
_FEW_HELD = 4  # a chunk of which less than one row in so many is held is sparse


@dataclass(frozen=True, slots=True)
class HeldChunk:
    """An entry of the index; those of a stream are in the order in which their rows came."""

    number: int
    stream: int
    rows: int
    seal: int | None = None  # the checksum of its marks; None: written before there were any


@dataclass(frozen=True, slots=True)
class HeldStore:
    """Where the chunks are, and their marks: under the same numbers."""

    chunks: ChunkStore
    marks: ChunkStore

    def read(self, chunk: HeldChunk) -> tuple[pa.Table, Marks]:
        """Return a chunk and its marks."""
        try:
            table = unsealed(self.chunks.read(chunk.number))
            marks = np.frombuffer(check_seal(self.marks.read(chunk.number), chunk.seal), np.uint8)
        except (pa.ArrowInvalid, KeyError, TypeError) as error:
            raise unreadable_chunk(chunk.number) from error
        if not table.num_rows == len(marks) == chunk.rows or table.column_names[-len(_HIDDEN) :] != list(_HIDDEN):
            raise unreadable_chunk(chunk.number)
        return table, marks

    def write(self, number: int, table: pa.Table, marks: Marks) -> None:
        """Keep a chunk and its marks."""
        self.chunks.write(number, sealed(table))
        self.marks.write(number, marks.tobytes())

    def delete(self, chunk: HeldChunk) -> None:
        """Forget a chunk and its marks."""
        self.chunks.delete(chunk.number)
        self.marks.delete(chunk.number)


class HeldRows:
    """The rows of a call: for each stream those that were held, then those of the batch. `commit` saves what is held.

    A call reads all rows that are held and writes those of its batch that stay. O(held + batch).
    """

    def __init__(self, store: HeldStore, index: Iterable[HeldChunk], next_number: int, batch: Sequence[pa.Table]):
        self._store = store
        self._next = next_number
        index = list(index)
        self._streams = [
            _StreamRows(store, [chunk for chunk in index if chunk.stream == stream], table)
            for stream, table in enumerate(batch)
        ]

    @property
    def tables(self) -> list[pa.Table]:
        """The payload of each stream; the position of a row is its number."""
        return [rows.table for rows in self._streams]

    @property
    def delays(self) -> list[Times]:
        """For each stream, where the delays of its rows are noted."""
        return [rows.delay for rows in self._streams]

    def place(self, incoming: Sequence[Incoming]) -> list[Incoming]:
        """Number the rows of the batch behind those that were held."""
        return [rows.place(own) for rows, own in zip(self._streams, incoming, strict=True)]

    def held(self) -> Held:
        """Return what was held before the batch, by where it was."""
        groups: list[Any] = []
        for bit, empty in enumerate(_groups(Held.none(len(self._streams)))):
            events = [rows.marked(bit) for rows in self._streams]
            together = (Tagged.from_stream(stream, own) for stream, own in enumerate(events))
            groups.append(Tagged.concat(list(together)) if isinstance(empty, Tagged) else tuple(events))
        return Held(*groups)

    def commit(self, held: Held) -> tuple[list[HeldChunk], int]:
        """Write what is new, forget what is gone; return the index and the next number."""
        index: list[HeldChunk] = []
        for stream, rows in enumerate(self._streams):
            marks = _marks(held, stream, rows.table.num_rows)
            for group in rows.regrouped(marks):
                index += self._keep(stream, rows, group, marks)
        return index, self._next

    def _keep(self, stream: int, rows: _StreamRows, group: _Group, marks: Marks) -> Iterator[HeldChunk]:
        if group.stays is not None:
            own = marks[group.pieces[0].span].tobytes()
            if own != rows.marks[group.pieces[0].span].tobytes():
                self._store.marks.write(group.stays.number, own)
            yield replace(group.stays, seal=seal_of(own))
            return
        for piece in group.pieces:
            if piece.chunk is not None:
                self._store.delete(piece.chunk)
        chosen = np.concatenate([piece.start + np.flatnonzero(marks[piece.span]) for piece in group.pieces])
        start = 0
        for part in split(rows.chosen(chosen)):
            own = marks[chosen[start : start + part.num_rows]]
            chunk = HeldChunk(self._next, stream, part.num_rows, seal_of(own.tobytes()))
            self._store.write(chunk.number, part, own)
            start, self._next = start + part.num_rows, self._next + 1
            yield chunk


@dataclass(frozen=True, slots=True)
class _Piece:
    """Consecutive rows of a call: those of a chunk, or those of the batch (`chunk` is None)."""

    chunk: HeldChunk | None
    start: int
    rows: int

    @property
    def span(self) -> slice:
        return slice(self.start, self.start + self.rows)


@dataclass(frozen=True, slots=True)
class _Group:
    """Neighboring pieces that are to be one chunk; `stays` if they are one already."""

    pieces: tuple[_Piece, ...]
    stays: HeldChunk | None = None


class _StreamRows:
    """The rows of one stream, under one numbering."""

    def __init__(self, store: HeldStore, chunks: Sequence[HeldChunk], batch: pa.Table) -> None:
        read = [store.read(chunk) for chunk in chunks]
        tables = [table for table, _ in read]
        new = np.zeros(batch.num_rows, np.int64)
        self.table = pa.concat_tables([*(each.drop_columns(list(_HIDDEN)) for each in tables), batch]).combine_chunks()
        self.time, self.arrival, self.delay = (
            np.concatenate([*(each[name].to_numpy() for each in tables), new]) for name in _HIDDEN
        )
        self.marks: Marks = np.concatenate([*(marks for _, marks in read), new.astype(np.uint8)])
        ends = np.cumsum([0, *(chunk.rows for chunk in chunks)]).tolist()
        self._pieces = [_Piece(chunk, start, chunk.rows) for chunk, start in zip(chunks, ends, strict=False)]
        self._batch = _Piece(None, ends[-1], batch.num_rows)

    def place(self, incoming: Incoming) -> Incoming:
        events = incoming.events
        row = events.row + self._batch.start
        self.time[row], self.arrival[row] = events.time, events.arrival
        return Incoming(Events(events.time, events.arrival, row), incoming.has_time, incoming.processing_time)

    def marked(self, bit: int) -> Events:
        """Return the rows with a mark, by (event time, arrival)."""
        row: Rows = np.flatnonzero(self.marks & (1 << bit))
        row = row[np.lexsort((self.arrival[row], self.time[row]))]
        return Events(self.time[row], self.arrival[row], row)

    def chosen(self, row: Rows) -> pa.Table:
        """Return rows as they are stored."""
        table = self.table.take(row)
        for name, values in zip(_HIDDEN, (self.time, self.arrival, self.delay), strict=True):
            table = table.append_column(name, pa.array(values[row]))
        return table

    def regrouped(self, marks: Marks) -> Iterator[_Group]:
        """Return what is to be kept; what has no mark any more is deleted or left out of its new chunk.

        Small neighbors are put together when none of them is half of the whole: a row is rewritten O(log) times.
        """
        pieces = [*self._pieces, self._batch]
        held = [int(np.count_nonzero(marks[piece.span])) for piece in pieces]
        mostly_gone = sum(piece.rows for piece in self._pieces) > 2 * sum(held)
        start = 0
        while start < len(pieces):
            stop = _end_of_small(held, start)
            piece = pieces[start]
            sparse = held[start] == 0 or (mostly_gone and held[start] * _FEW_HELD < piece.rows)
            stays = stop == start + 1 and not sparse
            yield _Group(tuple(pieces[start:stop]), piece.chunk if stays else None)
            start = stop


def _end_of_small(held: Sequence[int], start: int) -> int:
    """Return where the neighbors end that are to be put together with the first; just behind it if there are none."""
    stop, total = start, 0
    while stop < len(held) and total + held[stop] <= CHUNK_ROWS:
        total, stop = total + held[stop], stop + 1
    many = stop - start >= _MANY_SMALL and 2 * max(held[start:stop]) <= total
    return stop if many else start + 1


def _groups(held: Held) -> list[Any]:
    """Return what is held in each place, in the order of the bits."""
    return [getattr(held, field.name) for field in fields(held)]


WAITS = sum(
    1 << bit for bit, field in enumerate(fields(Held)) if field.name in ("waiting", "between")
)  # not joined yet


def _marks(held: Held, stream: int, rows: int) -> Marks:
    """Return where each row of a stream is now: 0 for those that are not held."""
    marks = np.zeros(rows, np.uint8)
    for bit, group in enumerate(_groups(held)):
        events = group.of_stream(stream) if isinstance(group, Tagged) else group[stream]
        marks[events.row] |= np.uint8(1 << bit)
    return marks
