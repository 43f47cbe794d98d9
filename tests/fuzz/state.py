"""State as it comes back from a store or a disk: it is what was written, or a `StateError`; nothing else happens.

The first byte says which kind of entry the rest is.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import pyarrow as pa

import slackwater as sw
from slackwater.errors import StateError
from slackwater.plan.nodes import ReorderNode, StreamNode
from slackwater.spark.aggregate_call import run_aggregate_call
from slackwater.spark.call import Saved, identity_of, run_call
from slackwater.spark.chain_call import ChainSaved
from slackwater.spark.held import HeldChunk, HeldStore
from slackwater.spark.join_call import JoinSaved
from slackwater.spark.keyed_call import KeyedSaved, run_keyed_call
from slackwater.spark.keyed_state import KeyedChunk, KeyedChunks
from slackwater.spark.known_keys import KnownKeys
from slackwater.spark.notes import NUMBERS, read_notes, restored_notes
from slackwater.spark.pane_chunks import read_chunk, states_of
from slackwater.spark.plan_file import read_begun
from slackwater.spark.sealed import seal_of, sealed, sealed_text, unsealed
from slackwater.spark.state import Chunk, ChunkedBuffer, MemoryChunks, Payload
from slackwater.spark.stored_aggregate import AggregateSaved
from slackwater.time import BEFORE_ALL_TIME, MAX_TIME
from tests.fuzz.memory import folder

SCHEMA = pa.schema([("ts", pa.int64()), ("seq", pa.int64()), ("text", pa.string())])
TABLE = pa.table({"ts": [5, 3, 9, 7], "seq": [0, 1, 2, 3], "text": ["a", "b", None, "a"]}, SCHEMA)
STREAM = StreamNode(name="s", event_time="ts", unit="ms", arrival="seq")
SLACK = sw.FixedSlack("1 second")
MARK = sealed(TABLE)[-8:-4]  # what a seal of bytes begins with


@dataclass(frozen=True)
class Kind:
    """An entry as it was written, and what reads it."""

    written: bytes
    read: Callable[[bytes], object]

    @property
    def seal(self) -> str:
        """How it is sealed: as bytes, or as text, if at all."""
        return "bytes" if MARK in self.written[-8:] else "text"


def state(data: bytes) -> None:
    """Read an entry; the seal of one in four is made to fit, as who forges state would do it."""
    kinds = _kinds()
    if not data:
        return
    kind, body = kinds[data[0] % len(kinds)], data[1:]
    if data[0] >= 192:
        body = _resealed(kind, body)
    with suppress(StateError):
        kind.read(body)
    if data[0] >= 192 and kind.seal == "bytes":
        with suppress(pa.ArrowInvalid):
            unsealed(body).to_pylist()


def _resealed(kind: Kind, body: bytes) -> bytes:
    if kind.seal == "bytes":
        return body[:-8] + MARK + seal_of(body[:-8]).to_bytes(4, "little")
    content, seal, _ = body.decode(errors="replace").rpartition(', "checksum": ')
    return sealed_text(content + "}").encode() if seal else body


def seeds() -> list[bytes]:
    """Return every entry as it was written."""
    return [bytes([number + 192]) + kind.written for number, kind in enumerate(recorded().values())] + [
        bytes([number]) + kind.written for number, kind in enumerate(recorded().values())
    ]


@cache
def _kinds() -> list[Kind]:
    return list(recorded().values())


@cache
def recorded() -> dict[str, Kind]:
    return {**_reordered(), **_keyed(), **_held(), **_aggregated(), **_entries(), **_files()}


class One(MemoryChunks):
    """A store of which one entry is as the fuzzer says."""

    def __init__(self, number: int, body: bytes, others: MemoryChunks | None = None) -> None:
        super().__init__({**(others.bodies if others else {}), number: body})


def _reordered() -> dict[str, Kind]:
    node, store = ReorderNode(stream=STREAM, contract=SLACK), MemoryChunks()
    call = run_call(node, 0, Saved(), store, TABLE, processing_time=0, drain=False)
    chunk, identity = call.saved.chunks[0], identity_of(node, SCHEMA)

    def read(body: bytes) -> object:
        payload = Payload(SCHEMA.empty_table())
        return ChunkedBuffer(One(chunk.number, body), payload, [Chunk(chunk.number, 4, 0, BEFORE_ALL_TIME)], 9).take(
            MAX_TIME
        )

    return {"reorder chunk": Kind(store.read(chunk.number), read), "reorder entry": _entry(call.saved, identity)}


def _keyed() -> dict[str, Kind]:
    node, store = ReorderNode(stream=STREAM, contract=SLACK, by=("text",)), MemoryChunks()
    call = run_keyed_call(node, 0, KeyedSaved(), store, TABLE, processing_time=0, drain=False)
    assert isinstance(call.saved, KeyedSaved)
    chunk, page = call.saved.chunks[0], call.saved.pages[0]
    keys = SCHEMA.empty_table().select(["text"])
    values = KnownKeys(store, [page], keys).values

    def read(body: bytes) -> object:
        found = KeyedChunks(
            One(chunk.number, body),
            Payload(SCHEMA.empty_table()),
            [KeyedChunk(chunk.number, 4, 4, 0)],
            9,
            np.zeros(0, np.int64),
            values.copy(),
        )
        return found.fetch(MAX_TIME)

    return {
        "keyed chunk": Kind(store.read(chunk.number), read),
        "keyed page": Kind(store.read(page), lambda body: KnownKeys(One(page, body), [page], keys)),
        "keyed entry": _entry(call.saved, identity_of(node, SCHEMA)),
    }


def _held() -> dict[str, Kind]:
    store = HeldStore(MemoryChunks(), MemoryChunks())
    numbers = pa.array([1, 2, 3, 4], pa.int64())
    table = TABLE
    for name in ("__slackwater_time", "__slackwater_arrival", "__slackwater_delay"):
        table = table.append_column(name, numbers)
    marks = np.array([1, 2, 4, 3], np.uint8)
    store.write(7, table, marks)
    entry = HeldChunk(7, 0, 4, seal_of(marks.tobytes()))
    chunk, written = store.chunks.read(7), store.marks.read(7)
    return {
        "join chunk": Kind(chunk, lambda body: HeldStore(One(7, body), One(7, written)).read(entry)),
        "join marks": Kind(written, lambda body: HeldStore(One(7, chunk), One(7, body)).read(entry)),
    }


def _aggregated() -> dict[str, Kind]:
    stream = sw.stream(TABLE, name="s", event_time="ts", unit="ms", arrival="seq")
    values = {"n": sw.count(), "kinds": sw.distinct("text"), "last": sw.max("ts")}
    plan = sw.aggregate(stream, by="text", size="10 ms", values=values, contract=SLACK, early=sw.Early(every="2 ms"))
    store: Any = MemoryChunks()
    call = run_aggregate_call(plan.node, 0, AggregateSaved(), store, TABLE, processing_time=0, drain=False)
    assert isinstance(call.saved, AggregateSaved)
    pane, note = call.saved.chunks[0].number, call.saved.notes[0]

    def read(body: bytes) -> object:
        table = read_chunk(One(pane, body), pane)
        return states_of(table, 3, np.arange(table.num_rows))

    def read_note(body: bytes) -> object:
        tables = read_notes(One(NUMBERS[note], body), [note])
        return restored_notes([note], tables, np.zeros(tables[0].num_rows, np.int64))

    return {
        "pane": Kind(store.read(pane), read),
        "note": Kind(store.read(NUMBERS[note]), read_note),
        "aggregate entry": _entry(call.saved, "plan"),
    }


def _entries() -> dict[str, Kind]:
    join = JoinSaved({"slack": 5}, (HeldChunk(1, 0, 5, 3),), spoke=(1, None), told=(4, 5))
    chain = ChainSaved({"slack": 5}, (HeldChunk(1, 0, 5, 3),), spoke=(1, None), then="{}")
    return {"join entry": _entry(join, "plan"), "chain entry": _entry(chain, "plan")}


def _entry(saved: Saved, identity: str) -> Kind:
    """Return the small part of a bucket's state; what is read has the types that it is used with."""

    def read(body: bytes) -> None:
        found = type(saved).load((body.decode(errors="replace"),), identity)
        assert found.pipeline is None or isinstance(found.pipeline, dict)
        assert all(type(each) is int for each in (found.calls, found.next_chunk))
        assert found.timer is None or type(found.timer) is int
        assert all(type(chunk.number) is int and type(chunk.rows) is int for chunk in found.chunks)

    return Kind(saved.dump(identity).encode(), read)


def _files() -> dict[str, Kind]:
    file = folder() / "plan.json"

    def read(body: bytes) -> None:
        file.write_bytes(body)
        found = read_begun(file)
        assert (str, bool, bool) == (type(found.plan), type(found.timers), type(found.control))

    begun = json.dumps({"plan": "reorder", "timers": True, "control": False})
    return {"plan file": Kind(begun.encode(), read)}
