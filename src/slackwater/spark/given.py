"""What the buckets of a batch were given, in a few numbers that depend neither on order nor on how rows were packed."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from slackwater.pipeline.hashes import hashes_of

if TYPE_CHECKING:
    from slackwater.plan.nodes import StreamNode

_MIX = (np.uint64(0x9E3779B97F4A7C15), np.uint64(0xC2B2AE3D27D4EB4F))  # one for event times, one for arrivals
_SHIFT = np.uint64(29)
_MADE_OF = b"slackwater.made_of"


def fingerprint(streams: Sequence[StreamNode], tables: Sequence[pa.Table]) -> bytes:
    """Return what a bucket was given: for each stream how many rows, and the sum of their hashes. O(rows).

    A table beyond those of the streams has cells of rows of the first, which say what they were made of.
    """
    rows = [table.num_rows for table in tables[: len(streams)]]
    sums = [sum_of(stream, table) for stream, table in zip(streams, tables, strict=False)]
    for cells in tables[len(streams) :]:
        count, total = made_of(cells)
        rows[0], sums[0] = rows[0] + count, (sums[0] + total) % 2**64
    return json.dumps({"rows": rows, "sums": sums}).encode()


def saying_made_of(cells: pa.Table, rows: int, total: int) -> pa.Table:
    """Return cells that say of how many rows they are, and the sum of their hashes."""
    return cells.replace_schema_metadata({_MADE_OF: json.dumps([rows, total % 2**64])})


def made_of(cells: pa.Table) -> tuple[int, int]:
    """Return what cells say of the rows that they were made of."""
    rows, total = json.loads((cells.schema.metadata or {}).get(_MADE_OF, b"[0, 0]"))
    return int(rows), int(total)


def sum_of(stream: StreamNode, table: pa.Table) -> int:
    """Return the sum of the hashes of rows: of their event times and, where there are any, arrivals."""
    names = [stream.event_time, *([stream.arrival] if stream.arrival else [])]
    total = np.zeros(table.num_rows, np.uint64)
    for name, factor in zip(names, _MIX, strict=False):
        bits = hashes_of(table[name]).view(np.uint64) * factor
        total += bits ^ (bits >> _SHIFT)
    return int((total ^ (total >> _SHIFT)).sum(dtype=np.uint64))
