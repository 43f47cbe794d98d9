"""A 64-bit hash for every value of a column: the same in every process and in every batch, so that sketches combine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from slackwater.compiled import compiled
from slackwater.pipeline.key_codes import decoded, with_equal_bits
from slackwater.plan.keys import family

if TYPE_CHECKING:
    from slackwater.events import Rows


def hashes_of(column: pa.ChunkedArray[Any]) -> Rows:
    """Return a hash of each value, of nulls any; equal values have equal hashes. O(bytes).

    Numbers, times and booleans are their own hash: their bits. A sketch mixes them.

    >>> texts = hashes_of(pa.chunked_array([["a", "b"], ["a"]]))
    >>> bool(texts[0] == texts[2]), bool(texts[0] == texts[1])
    (True, False)
    """
    plain = decoded(column)
    kind = family(plain.type)
    if pa.types.is_decimal(plain.type):
        return hashes_of(plain.cast(pa.string()))
    if kind in ("text", "bytes"):
        return _of_bytes(plain.cast(pa.large_binary()))
    if pa.types.is_floating(plain.type):
        return _bits(with_equal_bits(plain.cast(pa.float64())))
    narrow = pa.types.is_date32(plain.type) or pa.types.is_time32(plain.type)
    plain = plain.cast(pa.int32()) if narrow else plain
    plain = plain.cast(pa.int8()) if kind == "bool" else plain
    return _bits(plain.cast(pa.int64(), safe=False))


def _bits(column: pa.ChunkedArray[Any]) -> Rows:
    zero: Any = 0
    filled = column.fill_null(zero) if column.null_count else column
    return np.ascontiguousarray(filled.to_numpy()).view(np.int64)


def _of_bytes(column: pa.ChunkedArray[Any]) -> Rows:
    found = [np.empty(0, np.int64)]
    for chunk in column.chunks:
        buffers: list[Any] = chunk.buffers()
        offsets, body = buffers[1:]
        if len(chunk):
            bounds = np.frombuffer(offsets, np.int64)[chunk.offset : chunk.offset + len(chunk) + 1]
            found.append(_fnv(bounds, np.frombuffer(body or b"", np.uint8)))
    return np.concatenate(found)


@compiled
def _fnv(bounds: Rows, body: Any) -> Rows:
    """FNV-1a, 64 bits."""
    out = np.empty(len(bounds) - 1, np.int64)
    for i in range(len(out)):
        value = np.uint64(0xCBF29CE484222325)
        for at in range(bounds[i], bounds[i + 1]):
            value = (value ^ np.uint64(body[at])) * np.uint64(0x100000001B3)
        out[i] = np.int64(value)
    return out
