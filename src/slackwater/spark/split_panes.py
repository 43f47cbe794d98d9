"""Splits a bucket of an aggregate, or of a tower of them: a group goes to one child, with its part of every pane.

Estimates of early results are learned anew: they speak of all groups of a bucket together.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from slackwater.spark.notes import NUMBERS as NOTES
from slackwater.spark.pane_chunks import PaneChunk, read_chunk
from slackwater.spark.sealed import sealed
from slackwater.spark.sideline_chunks import NUMBERS as SIDELINED
from slackwater.spark.sideline_chunks import WAITING
from slackwater.spark.split import BucketState, Where, counted
from slackwater.spark.state import MemoryChunks, unreadable_chunk
from slackwater.spark.stored_aggregate import AggregateSaved
from slackwater.spark.watched import FIRST

if TYPE_CHECKING:
    import pyarrow as pa

    from slackwater.events import Rows

_LEARNED, _COMPARED = "early", "compared"  # what estimates have learned, and the groups that it speaks of


def split_panes(
    state: BucketState, identities: tuple[str, str], where: Where, children: Sequence[int]
) -> Iterator[BucketState]:
    """Return the state of each child; `identities` are what state was written for, and is to be. O(cells) for each."""
    before, after = identities
    saved = AggregateSaved.load((state.entry,), before)
    names = ["chunks", *(f"level{number}" for number in range(1, len(saved.above) + 1))]
    levels = [_Level.of(state.maps[name], where) for name in names]
    aside = [_rows_aside(levels[0], saved, child) for child in children]
    for number, child in enumerate(children):
        stores = [MemoryChunks() for _ in levels]
        pipeline = counted(saved.pipeline, aside, number, as_released=True)
        if pipeline is not None:
            pipeline.pop(_LEARNED, None)
        own = _first(replace(saved, pipeline=pipeline), levels[0], child, stores[0])
        above = zip(saved.above, levels[1:], stores[1:], strict=True)
        own = replace(own, above=tuple(_upper(kept, level, child, store) for kept, level, store in above))
        yield BucketState(own.dump(after), dict(zip(names, stores, strict=True)))


@dataclass(frozen=True, slots=True)
class _Level:
    """The chunks of one level, and the bucket of each of their rows."""

    chunks: Mapping[int, tuple[pa.Table, Rows]]

    @classmethod
    def of(cls, store: MemoryChunks, where: Where) -> _Level:
        tables = {number: read_chunk(store, number) for number in store.bodies}
        buckets = where(list(tables.values()), 0) or ()  # groups are spread by their keys
        return cls(dict(zip(tables, zip(tables.values(), buckets, strict=True), strict=True)))

    def rows(self, number: int, child: int) -> int:
        """Return how many rows of a chunk a child gets."""
        return int(np.count_nonzero(self._chunk(number)[1] == child))

    def write(self, number: int, child: int, store: MemoryChunks) -> None:
        table, bucket = self._chunk(number)
        store.write(number, sealed(table.take(np.flatnonzero(bucket == child))))

    def write_those(self, numbers: Sequence[int], child: int, store: MemoryChunks) -> list[tuple[int, int]]:
        """Write the chunks of which a child gets rows; return which, each with how many rows."""
        found = [(number, rows) for number in numbers if (rows := self.rows(number, child))]
        for number, _ in found:
            self.write(number, child, store)
        return found

    def write_notes(self, names: Sequence[str], child: int, store: MemoryChunks) -> tuple[str, ...]:
        """Write notes, also those that say nothing of the groups of a child: that is known, then."""
        kept = tuple(name for name in names if name != _COMPARED)
        for name in kept:
            self.write(NOTES[name], child, store)
        return kept

    def _chunk(self, number: int) -> tuple[pa.Table, Rows]:
        if number not in self.chunks:
            raise unreadable_chunk(number)
        return self.chunks[number]


def _first(saved: AggregateSaved, level: _Level, child: int, store: MemoryChunks) -> AggregateSaved:
    panes = level.write_those([chunk.number for chunk in saved.chunks], child, store)
    watched = level.write_those([FIRST + window for window in saved.watched], child, store)
    aside = level.write_those([SIDELINED[name] for name in saved.sidelined], child, store)
    there = {number for number, _ in aside}
    return replace(
        saved,
        chunks=tuple(PaneChunk(*pane) for pane in panes),
        notes=level.write_notes(saved.notes, child, store),
        watched=tuple(number - FIRST for number, _ in watched),
        sidelined=tuple(name for name in saved.sidelined if SIDELINED[name] in there),
    )


def _upper(kept: Mapping[str, Any], level: _Level, child: int, store: MemoryChunks) -> dict[str, Any]:
    panes = level.write_those([number for number, _ in kept["chunks"]], child, store)
    return {**kept, "chunks": panes, "notes": level.write_notes(kept["notes"], child, store)}


def _rows_aside(level: _Level, saved: AggregateSaved, child: int) -> int:
    """Return how many rows of a child were set aside."""
    return level.rows(SIDELINED[WAITING], child) if WAITING in saved.sidelined else 0
