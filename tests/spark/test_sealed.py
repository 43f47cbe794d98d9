"""Every byte of saved state is covered by a checksum: one that changes is an error; no Spark needed."""

from __future__ import annotations

import struct
import zlib

import pyarrow as pa
import pytest

from slackwater.errors import StateError
from slackwater.spark.call import Saved
from slackwater.spark.packets import to_bytes
from slackwater.spark.sealed import sealed, sealed_text, unsealed
from slackwater.spark.state import Chunk
from tests.simulation.calls import Bucket
from tests.simulation.case import SCHEMA, Case, Row

TABLE = pa.table({"a": [1, 2, 3]})
ROWS = tuple(Row(i % 2, i, 10 * i, "a", i) for i in range(20))
CASES = [
    Case("reorder", {"contract": 'sw.FixedSlack("1 hour")'}, ROWS[::2]),
    Case("reorder", {"contract": 'sw.FixedSlack("30 ms")', "by": "'key'"}, ROWS[::2], cuts=(5,)),
    Case("join", {"contract": 'sw.FixedSlack("30 ms")', "within": '"50 ms"', "on": "'key'"}, ROWS, 2, cuts=(9,)),
    Case(
        "aggregate",
        {"contract": "sw.RelativeError(0.1)", "size": '"50 ms"', "values": "{'n': sw.count()}", "by": "'key'"},
        ROWS[::2],
    ),
]


def flipped(body: bytes, place: int) -> bytes:
    return body[:place] + bytes([body[place] ^ 4]) + body[place + 1 :]


def test_any_bit_that_changes_is_noticed():
    body = sealed(TABLE)
    noticed = 0
    for place in range(len(body)):
        try:
            unsealed(flipped(body, place))
        except pa.ArrowInvalid:
            noticed += 1
    assert len(body) == noticed


@pytest.mark.parametrize("kept", [0, 3, 60, -1, -4, -7, -9])
def test_a_chunk_that_was_cut_off_is_noticed(kept):
    with pytest.raises(pa.ArrowInvalid):
        unsealed(sealed(TABLE)[:kept])


def test_a_chunk_of_an_older_version_is_read_as_it_is():
    assert TABLE.equals(unsealed(to_bytes(TABLE)))


def test_an_entry_of_an_older_version_is_read_as_it_is():
    text = Saved({"clock": 5}, (), 3, 4).dump("plan")
    older = text.rpartition(', "checksum"')[0] + "}"
    found = Saved.load((older,), "plan")
    assert ({"clock": 5}, 3, 4) == (found.pipeline, found.next_chunk, found.calls)


def test_an_entry_with_another_number_is_refused():
    text = Saved({"clock": 57}, (), 3, 4).dump("plan")
    with pytest.raises(StateError, match="an unreadable entry"):
        Saved.load((text.replace("57", "58"),), "plan")


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.operator} {case.options.get('by', '')}")
def test_a_chunk_or_mark_that_changes_stops_the_next_call(case):
    bucket = Bucket(case, case.plan(case.tables()).node)
    for tables in case.batches():
        bucket(tables)
    text, chunks, marks = bucket.state[:3]
    assert len(chunks) > 0
    for damaged in (chunks, marks):
        for number, body in damaged.items():
            good, damaged[number] = body, flipped(body, len(body) // 2)
            bucket.restore((text, chunks, marks))
            with pytest.raises(StateError, match="unreadable chunk"):
                bucket([SCHEMA.empty_table()] * case.streams, drain=True)
            damaged[number] = good


BODY = to_bytes(pa.table({"a": [1, 2], "s": ["x", "y"]}))
BAD_NAME = BODY.replace(b"a\x00\x00\x00", b"\xff\x00\x00\x00")
TWICE = to_bytes(pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=["a", "a"]))
FORGED = {"ends early": BODY[:-40], "a name that is no text": BAD_NAME, "twice the same": TWICE, "nothing": b""}


@pytest.mark.parametrize("body", FORGED.values(), ids=FORGED)
def test_bytes_that_are_no_table_are_invalid_even_where_the_seal_fits(body):
    for written in (body, body + struct.pack("<4sI", b"\x00SLW", zlib.crc32(body))):
        with pytest.raises(pa.ArrowInvalid):
            unsealed(written)


@pytest.mark.parametrize(
    "wrong", ['"next_chunk": null', '"next_chunk": true', '"next_chunk": ' + "[" * 9_999, '"x": 1']
)
def test_an_entry_whose_seal_fits_but_whose_types_do_not_is_refused(wrong):
    content = Saved({"clock": 5}, (), 3, 4).dump("plan").rpartition(', "checksum"')[0] + "}"
    with pytest.raises(StateError, match="an unreadable entry"):
        Saved.load((sealed_text(content.replace('"next_chunk": 3', wrong)),), "plan")


def test_an_entry_with_a_chunk_whose_number_is_none_is_refused():
    chunks = (Chunk(None, rows=4, earliest=0, gone_to=0),)
    with pytest.raises(StateError, match="an unreadable entry"):
        Saved.load((Saved({"clock": 5}, chunks, 3, 4).dump("plan"),), "plan")
