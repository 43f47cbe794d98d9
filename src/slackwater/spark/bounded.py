"""Plans over bounded DataFrames: one pass over each bucket in arrival order, then drain. No state store.

Without an arrival column a bounded DataFrame has no order: all its rows arrived together, which is the same as if they
came sorted by event time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

import numpy as np
import pyarrow as pa
from pyspark.sql import functions as F  # noqa: N812  (the name that every Spark program uses)
from pyspark.sql.pandas.types import from_arrow_schema

from slackwater.spark.buckets import BUCKET
from slackwater.spark.call import PACKETS_OUT, Call, Saved
from slackwater.spark.packets import PACKET_ROWS, Mapper, packets_in, tables_of
from slackwater.spark.state import MemoryChunks

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from slackwater.plan.nodes import AggregateNode, ReorderNode

RunCall: TypeAlias = Callable[..., Call]  # of a plan, a bucket, its state and its rows


class Bucket(Protocol):
    """A bucket of a plan over several streams."""

    def on_all(self, tables: Sequence[pa.Table], *, processing_time: int) -> Iterator[dict[str, Any]]:
        """Run all rows there are, then drain."""


def bounded_packets(
    node: ReorderNode | AggregateNode,
    frame: DataFrame,
    schema: pa.Schema,
    bucket: str | None,
    *,
    processing_time: int,
    run: RunCall,
    nothing: Saved,
) -> DataFrame:
    """Return the packets of a bounded run, as a streaming run would give them over all its batches.

    `run` is what a bucket does with a piece of its rows, `nothing` its state at the start.
    """
    order = node.stream.arrival or node.stream.event_time
    if bucket is None:
        placed = frame.withColumn(BUCKET, F.lit(0)).repartition(1)
    else:
        placed = frame.repartition(node.buckets, bucket)
    return placed.sortWithinPartitions(BUCKET, order).mapInArrow(
        _runner(node, schema, processing_time, run, nothing), from_arrow_schema(PACKETS_OUT)
    )


def bounded_streams(
    bucket_of: Callable[[int], Bucket], schemas: Sequence[pa.Schema], packets: DataFrame, *, processing_time: int
) -> DataFrame:
    """Return the packets of a bounded join or merge; a task has all rows of its bucket in memory."""
    return packets.groupBy("bucket").applyInArrow(
        _streams_runner(bucket_of, schemas, processing_time), from_arrow_schema(PACKETS_OUT)
    )


def _streams_runner(
    bucket_of: Callable[[int], Bucket], schemas: Sequence[pa.Schema], processing_time: int
) -> Callable[[tuple[Any, ...], pa.Table], pa.Table]:
    def run(key: tuple[Any, ...], packets: pa.Table) -> pa.Table:
        tables = tables_of(packets_in([packets.to_pandas()]), schemas)
        out = bucket_of(int(key[0].as_py())).on_all(tables, processing_time=processing_time)
        return pa.Table.from_pylist(list(out), schema=PACKETS_OUT)

    return run


def _runner(
    node: ReorderNode | AggregateNode, schema: pa.Schema, processing_time: int, run_one: RunCall, nothing: Saved
) -> Mapper:
    def run(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        store, saved = MemoryChunks(), nothing
        for bucket, table, last in _pieces(batches, node.stream.arrival):
            call = run_one(node, bucket, saved, store, table.cast(schema), processing_time=processing_time, drain=last)
            store, saved = (MemoryChunks(), nothing) if last else (store, call.saved)
            yield pa.RecordBatch.from_pylist(call.packets, schema=PACKETS_OUT)

    return run


def _pieces(batches: Iterator[pa.RecordBatch], arrival: str | None) -> Iterator[tuple[int, pa.Table, bool]]:
    """Cut sorted rows into pieces of one bucket, and say of each whether it is the bucket's last.

    Rows that arrived together stay together.
    """
    waiting: pa.Table | None = None
    for batch in batches:
        if not batch.num_rows:
            continue
        table = pa.Table.from_batches([batch])
        waiting = table if waiting is None else pa.concat_tables([waiting, table])
        numbers = waiting[BUCKET].to_numpy()
        while numbers[0] != numbers[-1]:
            end = int(np.searchsorted(numbers, numbers[0], side="right"))
            yield _piece(waiting, end, last=True)
            waiting, numbers = waiting.slice(end), numbers[end:]
        end = _last_step(waiting, arrival) if waiting.num_rows >= PACKET_ROWS else 0
        if end:
            yield _piece(waiting, end, last=False)
            waiting = waiting.slice(end)
    if waiting is not None and waiting.num_rows:
        yield _piece(waiting, waiting.num_rows, last=True)


def _piece(table: pa.Table, end: int, *, last: bool) -> tuple[int, pa.Table, bool]:
    return int(table[BUCKET][0].as_py()), table.slice(0, end).drop_columns([BUCKET]), last


def _last_step(table: pa.Table, arrival: str | None) -> int:
    """Return where the rows begin that arrived together with the last one."""
    if arrival is None:
        return table.num_rows - 1
    values = table[arrival].to_numpy()
    return int(np.searchsorted(values, values[-1], side="left"))
