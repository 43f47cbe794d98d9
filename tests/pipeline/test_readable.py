"""A name that is no text is found wherever it is in a type."""

from __future__ import annotations

import pyarrow as pa
import pytest

from slackwater.pipeline.readable import readable

INNER = pa.struct([("name", pa.int8())])
TYPES = [
    INNER,
    pa.list_(INNER),
    pa.large_list(INNER),
    pa.map_(pa.string(), INNER),
    pa.dictionary(pa.int8(), INNER),
    pa.struct([("outer", pa.list_(INNER))]),
]


def with_other_name(kind: pa.DataType) -> pa.Table:
    """Return an empty table, read from bytes in which a name within a column is no UTF-8."""
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, pa.schema([("a", kind)])):
        pass
    body = sink.getvalue().to_pybytes()
    assert 1 == body.count(b"name")
    return pa.ipc.open_stream(body.replace(b"name", b"\xa5ame")).read_all()


@pytest.mark.parametrize("kind", TYPES, ids=str)
def test_a_name_within_a_column_that_is_no_text_is_refused(kind):
    with pytest.raises(UnicodeDecodeError):
        readable(with_other_name(kind))


def test_a_text_that_is_no_utf_8_is_refused():
    wrong = pa.Array.from_buffers(pa.string(), 1, pa.array([b"\xff"]).buffers())
    with pytest.raises(pa.ArrowInvalid):
        readable(pa.table({"a": wrong}))
