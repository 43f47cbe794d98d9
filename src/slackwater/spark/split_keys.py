"""Splits a bucket of a reorder with keys: a key goes to one child, with its clock and the rows that it holds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from slackwater.spark.keyed_call import KeyedSaved
from slackwater.spark.keyed_state import KEY_COLUMN, KeyedChunk, read_keyed
from slackwater.spark.known_keys import KnownKeys
from slackwater.spark.pane_chunks import read_chunk
from slackwater.spark.sealed import sealed
from slackwater.spark.split import BucketState, Where, counted
from slackwater.spark.state import TIME_COLUMN, MemoryChunks, unreadable_chunk

if TYPE_CHECKING:
    from slackwater.events import Rows

_MAP = "chunks"


def split_keys(
    state: BucketState,
    identities: tuple[str, str],
    where: Where,
    children: Sequence[int],
    by: Sequence[str],
) -> Iterator[BucketState]:
    """Return the state of each child; `identities` are what state was written for, and is to be. O(held) for each."""
    before, after = identities
    saved, store = KeyedSaved.load((state.entry,), before), state.maps[_MAP]
    if not saved.pages:  # no row came yet
        yield from (BucketState(saved.dump(after), {_MAP: MemoryChunks()}) for _ in children)
        return
    columns = read_chunk(store, saved.pages[0]).select(list(by)).slice(0, 0)
    known = KnownKeys(store, saved.pages, columns)
    bucket = np.concatenate(where([known.keys], 0) or [])
    waiting = [(chunk, _waiting(store, chunk, len(bucket))) for chunk in saved.chunks]
    held = [sum(int((bucket[_keys(rows)] == child).sum()) for _, rows in waiting) for child in children]
    for number, child in enumerate(children):
        keys, mine = np.flatnonzero(bucket == child), MemoryChunks()
        chunks = [kept for chunk, rows in waiting if (kept := _write(mine, chunk, rows, keys)) is not None]
        pages = [saved.next_chunk] if len(keys) else []
        for page in pages:
            mine.write(page, sealed(known.page_of(keys)))
        pipeline = counted(saved.pipeline, held, number)
        own = replace(saved, chunks=tuple(chunks), pages=pages, next_chunk=saved.next_chunk + 1, pipeline=pipeline)
        yield BucketState(own.dump(after), {_MAP: mine})


def _waiting(store: MemoryChunks, chunk: KeyedChunk, keys: int) -> pa.Table:
    """Return the rows of a chunk that still wait."""
    try:
        table, waits = read_keyed(store, chunk)
        rows = table.filter(pa.array(waits))
        found = _keys(rows)
    except (pa.ArrowInvalid, KeyError, TypeError, ValueError) as error:
        raise unreadable_chunk(chunk.number) from error
    if len(rows) != chunk.rows or found.min(initial=0) < 0 or found.max(initial=-1) >= keys:
        raise unreadable_chunk(chunk.number)
    return rows


def _write(store: MemoryChunks, chunk: KeyedChunk, rows: pa.Table, keys: Rows) -> KeyedChunk | None:
    """Write the rows of some keys, which are numbered anew; None where there is no row."""
    place = rows.column_names.index(KEY_COLUMN)
    rows = rows.take(np.flatnonzero(np.isin(_keys(rows), keys)))
    if not len(rows):
        return None
    rows = rows.set_column(place, KEY_COLUMN, pa.array(np.searchsorted(keys, _keys(rows))))
    store.write(chunk.number, sealed(rows))
    earliest = int(rows[TIME_COLUMN].to_numpy().min())
    return KeyedChunk(chunk.number, len(rows), len(rows), earliest)


def _keys(rows: pa.Table) -> Rows:
    numbers: Rows = rows[KEY_COLUMN].to_numpy()
    return numbers
