"""What a join gives back, as tables: payload is gathered once, for rows that leave."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from slackwater.decisions import decisions_table
from slackwater.events import LATE_COLUMNS, Late
from slackwater.pipeline.columns import late_columns

if TYPE_CHECKING:
    from slackwater.core.join import Results
    from slackwater.pipeline.boundaries import Decisions
    from slackwater.plan.nodes import StreamsNode
    from slackwater.time import Duration

EVENT_TIME = "event_time"
_WORTH_THREADS = 50_000  # results


def result_schema(node: StreamsNode, schemas: Sequence[pa.Schema]) -> pa.Schema:
    """Return the schema of results: the largest event time of the members, then a struct for each stream."""
    time: pa.Field[Any] = pa.field(EVENT_TIME, pa.timestamp("us", tz="UTC"))
    members = [pa.field(stream.name, pa.struct(list(s))) for stream, s in zip(node.streams, schemas, strict=True)]
    return pa.schema([time, *members])


def result_rows(node: StreamsNode, tables: Sequence[pa.Table], results: Results | None) -> pa.Table:
    """Gather the members of results, in the order in which they were completed."""
    schema = result_schema(node, [table.schema for table in tables])
    if results is None:
        return schema.empty_table()
    time: Any = pa.array(results.time).cast(schema.field(0).type)
    return pa.Table.from_arrays([time, *_gathered(tables, results.rows)], schema=schema)


def _gathered(tables: Sequence[pa.Table], rows: Sequence[Any]) -> list[pa.Array[Any]]:
    """Gather the rows of each table; many of them at the same time, which Arrow does without the interpreter."""
    if len(rows[0]) < _WORTH_THREADS:
        return [struct_of(table.take(each)) for table, each in zip(tables, rows, strict=True)]
    with ThreadPoolExecutor(len(tables)) as threads:
        return list(threads.map(lambda table, each: struct_of(table.take(each)), tables, rows))


def struct_of(table: pa.Table, *, mask: pa.Array[Any] | None = None) -> pa.Array[Any]:
    """Return the columns of a table as one; where `mask` is true it is null."""
    fields: list[Any] = [_whole(column) for column in table.columns]
    if not fields:
        return pa.array([{}] * table.num_rows, pa.struct([]))
    return pa.StructArray.from_arrays(fields, fields=list(table.schema), mask=mask)


def _whole(column: pa.ChunkedArray[Any]) -> pa.Array[Any]:
    whole = column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()
    return whole if isinstance(whole, pa.Array) else pa.concat_arrays(whole.chunks)


def late_rows_schema(node: StreamsNode, schemas: Sequence[pa.Schema]) -> pa.Schema:
    """Return the schema of the `late` output: a struct for each stream, of which one is not null, and the reason."""
    members: list[Any] = list(result_schema(node, schemas))[1:]
    added = zip(LATE_COLUMNS, (pa.int64(), pa.string(), pa.string()), strict=True)
    return pa.schema([*members, *(pa.field(name, kind) for name, kind in added)])


def late_rows(node: StreamsNode, tables: Sequence[pa.Table], late: Sequence[Late]) -> pa.Table:
    """Gather the rows that could not be used in time, stream by stream."""
    schema = late_rows_schema(node, [table.schema for table in tables])
    parts = [_late_of(node, schema, stream, table, late[stream]) for stream, table in enumerate(tables)]
    return pa.concat_tables(parts)


def _late_of(node: StreamsNode, schema: pa.Schema, stream: int, table: pa.Table, late: Late) -> pa.Table:
    columns: list[Any] = [pa.nulls(len(late), field.type) for field in list(schema)[: len(node.streams)]]
    columns[stream] = struct_of(table.take(late.events.row))
    columns += late_columns(node.streams[stream].name, late)
    return pa.Table.from_arrays(columns, schema=schema)


def decided_join(
    node: StreamsNode, decisions: Decisions, *, bucket: int, took: Duration, follows: bool = False
) -> pa.Table:
    """Return the decisions of a batch as a table; a bucket that follows another's decisions has no target."""
    known = {
        "operator": node.operator,
        "stream": "all",
        "bucket": bucket,
        "target": None if follows else node.contract.stated,
        "took_us": took.microseconds,
    }
    return decisions_table({**known, **decisions.as_columns(node.contract)}, len(decisions))
