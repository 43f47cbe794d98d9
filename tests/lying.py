"""A Parquet file that does not have the rows that it claims."""

from __future__ import annotations

import struct

import pyarrow as pa
import pyarrow.parquet as pq

ROWS = 3
_COUNT = b"\x16\x06"  # a count of three rows, or values, as the file's end has it: the mark of a long number, and it
_END = struct.Struct("<I4s")  # how long what is told of the rows is, and the mark of the format


def lying_file(claimed: int, *, only: int | None = None) -> bytes:
    """Return a file of ROWS rows that claims others: everywhere, or only in one of the places where it counts.

    Places are the whole file, each column (`ts`, then `x`), and the group of rows.
    """
    sink = pa.BufferOutputStream()
    pq.write_table(pa.table({"ts": [5, 3, 9], "x": [1.5, 2.5, None]}), sink, compression="none")
    body = sink.getvalue().to_pybytes()
    length, mark = _END.unpack(body[-_END.size :])
    rows, told = body[: -_END.size - length], body[-_END.size - length : -_END.size]
    pieces = told.split(_COUNT)
    assert len(pieces) == 5, "Parquet is written in another way now: look for the counts elsewhere"
    counts = [_long(claimed) if only in (None, place) else _COUNT for place in range(4)]
    told = pieces[0] + b"".join(count + piece for count, piece in zip(counts, pieces[1:], strict=True))
    return rows + told + _END.pack(len(told), mark)


def _long(number: int) -> bytes:
    """Return a number as Thrift writes it: seven bits a byte, the lowest first, twice as large for its sign."""
    twice, found = 2 * number, bytearray(_COUNT[:1])
    while twice > 0x7F:
        found.append(twice & 0x7F | 0x80)
        twice >>= 7
    return bytes([*found, twice])
