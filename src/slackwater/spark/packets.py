"""Rows cross the boundary between Spark and Python in packets: many rows as one binary value of Arrow IPC.

Spark's stateful Python operators handle rows one by one on their way in and out. A packet is one row to them, however
many it carries, and its columns keep their Arrow types: no timestamp, string or nested value becomes a Python object.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from pyspark.sql.types import BinaryType, ByteType, IntegerType, StructType

from slackwater.spark.arrow_batches import fillers_of_bytes
from slackwater.spark.given import made_of, saying_made_of
from slackwater.spark.ui_names import named

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd

    from slackwater.events import Rows

Mapper: TypeAlias = Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]
Parts: TypeAlias = Callable[[int, pa.Table], Iterable[tuple[int, pa.Table]]]  # of a bucket and its rows, by kind
PartsOf: TypeAlias = Callable[[], Parts]  # asked for in the task

PACKET_ROWS = 250_000  # most rows in a packet: large enough to make its cost small, small enough to hold several
PACKET_BYTES = 32 * 1024 * 1024

PACKETS_IN = (  # not as text: Spark's parser is the slower the newer its JVM is
    StructType()
    .add("bucket", IntegerType())
    .add("kind", ByteType())
    .add("stream", IntegerType())
    .add("source", IntegerType())
    .add("position", IntegerType())
    .add("body", BinaryType())
)
ROWS, CONTROL, CELLS, FILLER = 0, 1, 2, 3  # kinds of packets on the way in; the last says nothing


def to_bytes(table: pa.Table) -> bytes:
    """Return a table as an Arrow IPC stream."""
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table.combine_chunks())
    return sink.getvalue().to_pybytes()


def from_bytes(body: bytes) -> pa.Table:
    """Return the table of an Arrow IPC stream, without copying its columns."""
    return pa.ipc.open_stream(pa.py_buffer(body)).read_all()


def packer(schema: pa.Schema, bucket_column: str | None, stream: int = 0, parts: PartsOf | None = None) -> Mapper:
    """Return a function for `mapInArrow` that packs the rows of a partition by bucket; `stream` says whose they are.

    `schema` is that of the rows; its time zone is UTC whatever the session's is, so that state does not depend on it.
    `parts` may make packets of several kinds of the rows of a bucket.
    """

    def pack(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        from pyspark import TaskContext

        context = TaskContext.get()
        source = context.partitionId() if context is not None else 0
        split: Parts = _rows_alone if parts is None else parts()
        each = fillers_of_bytes()
        position = 0
        for table in _gathered(batches):
            for bucket, rows in _by_bucket(table, bucket_column):
                for kind, part in split(bucket, rows.cast(schema)):
                    body = to_bytes(part)
                    fillers = 0 if each is None else len(body) // each
                    yield _packet(bucket, kind, stream, source, position, body, fillers)
                    position += 1

    return named(pack, "pack", f"stream {stream}")


def unpacker(schema: pa.Schema) -> Mapper:
    """Return a function for `mapInArrow` that unpacks packets (a column `body`) into rows of a schema."""

    def unpack(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for body in batch.column("body"):
                table = from_bytes(body.as_buffer())
                yield from table.cast(schema).to_batches()

    return unpack


class Packet(NamedTuple):
    """A packet on the way in."""

    source: int  # the task that made it
    position: int  # among the packets of that task
    kind: int
    stream: int
    body: bytes


def packets_in(frames: Iterable[pd.DataFrame]) -> list[Packet]:
    """Return packets in the order in which they were made, task by task: few of them, so plain values will do."""
    said = (frame[frame["kind"] != FILLER] for frame in frames)
    columns = ([frame[name].tolist() for name in Packet._fields] for frame in said)
    return sorted((Packet(*row) for found in columns for row in zip(*found, strict=True)), key=lambda each: each[:2])


def tables_of(packets: Sequence[Packet], schemas: Sequence[pa.Schema]) -> list[pa.Table]:
    """Return the rows of each stream, in the order of their packets."""
    bodies: list[list[bytes]] = [[] for _ in schemas]
    for packet in packets:
        if packet.kind == ROWS:
            bodies[packet.stream].append(packet.body)
    return [
        pa.concat_tables([schema.empty_table(), *map(from_bytes, each)])
        for schema, each in zip(schemas, bodies, strict=True)
    ]


def cells_of(packets: Sequence[Packet]) -> pa.Table | None:
    """Return the cells of rows that were added up before they were packed; None: there are none."""
    tables = [from_bytes(packet.body) for packet in packets if packet.kind == CELLS]
    if not tables:
        return None
    counts, sums = zip(*map(made_of, tables), strict=True)
    return saying_made_of(pa.concat_tables(tables, promote_options="permissive"), sum(counts), sum(sums))


def split(table: pa.Table) -> Iterator[pa.Table]:
    """Cut a table into pieces of at most PACKET_ROWS rows and about PACKET_BYTES bytes."""
    if not table.num_rows:
        return
    pieces = max(-(-table.num_rows // PACKET_ROWS), -(-table.nbytes // PACKET_BYTES))
    rows = -(-table.num_rows // pieces)
    for start in range(0, table.num_rows, rows):
        yield table.slice(start, rows)


def _gathered(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.Table]:
    waiting: list[pa.RecordBatch] = []
    rows = size = 0
    for batch in batches:
        waiting.append(batch)
        rows, size = rows + batch.num_rows, size + batch.nbytes
        if rows >= PACKET_ROWS or size >= PACKET_BYTES:
            yield pa.Table.from_batches(waiting)
            waiting, rows, size = [], 0, 0
    if rows:
        yield pa.Table.from_batches(waiting)


def _by_bucket(table: pa.Table, column: str | None) -> Iterator[tuple[int, pa.Table]]:
    if column is None:
        yield 0, table
        return
    bucket = table[column].to_numpy()
    rows = table.drop_columns([column])
    order = np.argsort(_narrow(bucket), kind="stable")
    numbers, starts = np.unique(bucket[order], return_index=True)
    sorted_rows = rows.take(order)
    for number, start, stop in zip(numbers, starts, [*starts[1:], len(order)], strict=True):
        yield int(number), sorted_rows.slice(start, stop - start)


def _narrow(numbers: Rows) -> npt.NDArray[np.integer[Any]]:
    """Return small numbers in a type that NumPy sorts without comparing them."""
    return numbers.astype(np.int16) if len(numbers) and numbers.max() < 2**15 else numbers


def _rows_alone(bucket: int, rows: pa.Table) -> list[tuple[int, pa.Table]]:
    return [(ROWS, rows)]


def _packet(
    bucket: int, kind: int, stream: int, source: int, position: int, body: bytes, fillers: int
) -> pa.RecordBatch:
    """Return a packet, with as many fillers behind it (see `spark/arrow_batches.py`)."""
    rows = 1 + fillers
    columns: list[pa.Array[Any]] = [
        pa.repeat(pa.scalar(bucket, pa.int32()), rows),
        pa.array([kind, *[FILLER] * fillers], pa.int8()),
        pa.repeat(pa.scalar(stream, pa.int32()), rows),
        pa.repeat(pa.scalar(source, pa.int32()), rows),
        pa.repeat(pa.scalar(position, pa.int32()), rows),
        pa.array([body, *[None] * fillers], pa.binary()),
    ]
    return pa.RecordBatch.from_arrays(columns, names=PACKETS_IN.names)
