"""What a merge gives back, as tables: payload is gathered once, for rows that leave."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from slackwater.decisions import late_schema
from slackwater.pipeline.columns import late_columns
from slackwater.pipeline.merge import merged_events, merged_ready
from slackwater.pipeline.rows import EVENT_TIME, late_rows, late_rows_schema, result_schema, struct_of

if TYPE_CHECKING:
    from slackwater.events import Late, Tagged
    from slackwater.pipeline.join_outcome import JoinOutcome
    from slackwater.plan.nodes import MergeNode

STREAM = "stream"
READY = "ready"  # under a deadline: whether a row left in the order that every interleaving gives


def merged_schema(node: MergeNode, schemas: Sequence[pa.Schema]) -> pa.Schema:
    """Return the schema of results: event time and name of the stream, then columns or a struct for each stream."""
    time, *structs = result_schema(node, [_nullable(schema) for schema in schemas])
    stream: pa.Field[Any] = pa.field(STREAM, pa.string())
    ready: list[Any] = [pa.field(READY, pa.bool_())] if node.contract.deadline is not None else []
    return pa.schema([time, stream, *ready, *(structs if node.payload == "structs" else _shared(schemas[0]))])


def merged_rows(node: MergeNode, tables: Sequence[pa.Table], outcome: JoinOutcome) -> pa.Table:
    """Gather the rows that left, in order."""
    events = merged_events([outcome])
    schema = merged_schema(node, [table.schema for table in tables])
    gather = _structs if node.payload == "structs" else _columns
    names = pa.array([stream.name for stream in node.streams]).take(events.stream)
    ready = [pa.array(merged_ready([outcome]))] if node.contract.deadline is not None else []
    columns = [pa.array(events.time).cast(schema.field(0).type), names, *ready, *gather(tables, events)]
    return pa.Table.from_arrays(columns, schema=schema)


def late_merge_schema(node: MergeNode, schemas: Sequence[pa.Schema]) -> pa.Schema:
    """Return the schema of the `late` output: all input columns or a struct for each stream, and the reason."""
    return late_rows_schema(node, schemas) if node.payload == "structs" else late_schema(schemas[0])


def late_merge_rows(node: MergeNode, tables: Sequence[pa.Table], late: Sequence[Late]) -> pa.Table:
    """Gather the rows that could not be used in time, stream by stream."""
    if node.payload == "structs":
        return late_rows(node, tables, late)
    schema = late_merge_schema(node, [table.schema for table in tables])
    parts = []
    for stream, table, own in zip(node.streams, tables, late, strict=True):
        rows = table.select(tables[0].column_names).take(own.events.row)
        parts.append(pa.Table.from_arrays([*rows.columns, *late_columns(stream.name, own)], schema=schema))
    return pa.concat_tables(parts)


def _shared(schema: pa.Schema) -> list[Any]:
    """Return the columns that all streams have; an event time that is called as ours is not repeated."""
    return [field for field in _nullable(schema) if field.name != EVENT_TIME]


def _nullable(schema: pa.Schema) -> pa.Schema:
    """Let every column have nulls: those of a stream do in the rows of others."""
    return pa.schema([field.with_nullable(True) for field in schema])


def _columns(tables: Sequence[pa.Table], events: Tagged) -> list[Any]:
    """Gather shared columns: the rows of each stream, one stream behind the other, then in their order."""
    shared = pa.schema(_shared(tables[0].schema))
    parts = [table.select(shared.names).take(events.of_stream(s).row) for s, table in enumerate(tables)]
    alike = [part.cast(shared) for part in parts]
    place = np.empty(len(events), np.int64)
    place[np.argsort(events.stream, kind="stable")] = np.arange(len(events))
    return pa.concat_tables(alike).combine_chunks().take(place).columns


def _structs(tables: Sequence[pa.Table], events: Tagged) -> list[Any]:
    """Gather a struct for each stream, null in the rows of all others."""
    structs = []
    for stream, table in enumerate(tables):
        other = events.stream != stream
        own: Any = pa.array(events.row, mask=other)
        rows = table.cast(_nullable(table.schema)).take(own)
        structs.append(struct_of(rows, mask=pa.array(other)))
    return structs
