"""Splits a bucket of a join or a merge: rows of streams that are spread go to one child, those of others to all."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from slackwater.spark.held import WAITS, HeldChunk, HeldStore
from slackwater.spark.join_call import JoinSaved
from slackwater.spark.sealed import seal_of
from slackwater.spark.split import BucketState, Where, counted
from slackwater.spark.state import MemoryChunks

if TYPE_CHECKING:
    import pyarrow as pa

    from slackwater.events import Rows
    from slackwater.spark.held import Marks

MAPS = ("chunks", "marks")


def split_held(
    state: BucketState, identities: tuple[str, str], where: Where, children: Sequence[int]
) -> Iterator[BucketState]:
    """Return the state of each child; `identities` are what state was written for, and is to be. O(held) for each."""
    before, after = identities
    saved = JoinSaved.load((state.entry,), before)
    read = list(_read(saved, HeldStore(*(state.maps[name] for name in MAPS)), where))
    waiting = [sum(each.waiting(child) for each in read) for child in children]
    for number, child in enumerate(children):
        maps = {name: MemoryChunks() for name in MAPS}
        store = HeldStore(*maps.values())
        chunks = [kept for each in read if (kept := each.write(child, store)) is not None]
        own = replace(saved, chunks=tuple(chunks), pipeline=counted(saved.pipeline, waiting, number))
        yield BucketState(own.dump(after), maps)


def _read(saved: JoinSaved, store: HeldStore, where: Where) -> Iterator[_Read]:
    """Read all chunks, stream by stream, each in its order."""
    for stream in sorted({chunk.stream for chunk in saved.chunks}):
        chunks = [chunk for chunk in saved.chunks if chunk.stream == stream]
        read = [store.read(chunk) for chunk in chunks]
        buckets: Sequence[Rows | None] = where([table for table, _ in read], stream) or [None] * len(chunks)
        for chunk, (table, marks), bucket in zip(chunks, read, buckets, strict=True):
            yield _Read(chunk, table, marks, bucket)


class _Read:
    """A chunk, and the bucket of each of its rows; None: every child gets all of them."""

    def __init__(self, chunk: HeldChunk, table: pa.Table, marks: Marks, bucket: Rows | None) -> None:
        self._chunk, self._table, self._marks, self._bucket = chunk, table, marks, bucket

    def waiting(self, child: int) -> int:
        """Return how many rows of a child have not come to its operator yet."""
        return int(np.count_nonzero(self._marks[self._rows(child)] & WAITS))

    def write(self, child: int, store: HeldStore) -> HeldChunk | None:
        """Write the rows of a child under the same number; None where it has none."""
        rows = self._rows(child)
        if not len(rows):
            return None
        marks = self._marks[rows]
        store.write(self._chunk.number, self._table.take(rows), marks)
        return replace(self._chunk, rows=len(rows), seal=seal_of(marks.tobytes()))

    def _rows(self, child: int) -> Rows:
        held = self._marks != 0
        return np.flatnonzero(held if self._bucket is None else held & (self._bucket == child))
