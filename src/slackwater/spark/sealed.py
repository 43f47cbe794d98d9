"""What is kept in the state store carries a checksum, so that a damaged chunk is an error and not a wrong result.

Arrow IPC has none. The seal follows the end of the stream, where readers that know nothing of it stop reading. A chunk
that ends with the end of its stream was written before there were seals, and is read as it is; one that ends in any
other way has a damaged seal.
"""

from __future__ import annotations

import struct
import zlib
from typing import Any

import pyarrow as pa

from slackwater.pipeline.readable import readable
from slackwater.spark.packets import from_bytes, to_bytes

_MARK = b"\x00SLW"
_SEAL = struct.Struct("<4sI")
_END = b"\xff\xff\xff\xff\x00\x00\x00\x00"  # of a stream of Arrow IPC
_CHECKSUM = ', "checksum": '


def sealed(table: pa.Table) -> bytes:
    """Return a table as Arrow IPC with its checksum.

    >>> unsealed(sealed(pa.table({"a": [1, 2]})))["a"].to_pylist()
    [1, 2]
    """
    body = to_bytes(table)
    return body + _SEAL.pack(_MARK, zlib.crc32(body))


def unsealed(body: bytes) -> pa.Table:
    """Return the table of a chunk; `ArrowInvalid` if it is not what was sealed, or no table that can be used."""
    mark, checksum = _SEAL.unpack(body[-_SEAL.size :]) if len(body) > _SEAL.size else (b"", 0)
    content: Any = body
    if mark == _MARK:
        content = memoryview(body)[: -_SEAL.size]
        if zlib.crc32(content) != checksum:
            raise pa.ArrowInvalid("the checksum of the chunk is not that of its bytes")
    elif not body.endswith(_END):
        raise pa.ArrowInvalid("the chunk ends neither with a seal nor with its stream")
    return _usable(content)


def _usable(content: bytes) -> pa.Table:
    """Read a table and look at all of it: who forges one makes the seal fit.

    What Arrow finds wrong it says in many ways: bytes that end early are an OSError.
    """
    try:
        table = readable(from_bytes(content))
        if len(set(table.column_names)) < table.num_columns:
            raise pa.ArrowInvalid("a column is there twice")
        return table
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        raise pa.ArrowInvalid(str(error)) from error


def sealed_text(text: str) -> str:
    """Return a JSON object with its checksum as one more field.

    >>> sealed_text('{"clock": 5}')
    '{"clock": 5, "checksum": 830729920}'
    """
    return f"{text[:-1]}{_CHECKSUM}{zlib.crc32(text.encode())}}}"


def unsealed_text(text: str) -> str:
    """Return the JSON object that was sealed; `ValueError` if it is another one. What has no seal is left as it is."""
    content, seal, checksum = text.rpartition(_CHECKSUM)
    if not seal:
        return text
    content += "}"
    if f"{zlib.crc32(content.encode())}}}" != checksum:
        raise ValueError("the checksum of the entry is not that of its text")
    return content


def seal_of(marks: bytes) -> int:
    """Return the checksum of bytes that are kept as they are, for their entry in an index."""
    return zlib.crc32(marks)


def check_seal(marks: bytes, seal: int | None) -> bytes:
    """Return bytes that are those that were sealed; `ArrowInvalid` if not. None: there was no seal yet."""
    if seal is not None and zlib.crc32(marks) != seal:
        raise pa.ArrowInvalid("the checksum of the marks is not that of their bytes")
    return marks
