"""From tables to the columns of the core and back; payload is gathered once, for rows that leave."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from slackwater.decisions import decisions_table, late_schema
from slackwater.errors import ColumnError, ParameterError
from slackwater.events import REASONS, Events, Late, Reason, code_of
from slackwater.pipeline.guard import Incoming
from slackwater.time import MAX_TIME, MIN_TIME, Duration

if TYPE_CHECKING:
    from slackwater.pipeline.boundaries import Decisions
    from slackwater.plan.nodes import AggregateNode, ReorderNode, StreamNode
    from slackwater.time import Mask, Times

_PER_UNIT = {"d": 86_400_000_000, "s": 1_000_000, "ms": 1_000, "us": 1}


def check_types(node: StreamNode, schema: pa.Schema) -> None:
    """Check, before anything runs, that the columns a stream names have types that can serve."""
    for column in (node.event_time, node.arrival_time):
        if column is not None:
            _unit_of(node, column, schema.field(column).type)
    if node.arrival is not None:
        _check_arrival(node, node.arrival, schema.field(node.arrival).type)


def read_times(node: StreamNode, column: str, values: pa.ChunkedArray[Any]) -> tuple[Times, Mask | None]:
    """Return event times in us, and which rows have one (None: all).

    What is too large for a time saturates: the guard turns it away. Nanoseconds are rounded down.
    """
    has_time = None if not values.null_count else pc.is_valid(values).to_numpy()
    unit = _unit_of(node, column, values.type)
    numbers = _filled(_as_int64(values))
    if unit == "ns":
        return numbers // 1_000, has_time
    if unit == "us":
        return numbers, has_time
    most = 2 * MAX_TIME // _PER_UNIT[unit]
    return np.clip(numbers, -most, most) * _PER_UNIT[unit], has_time


def _unit_of(node: StreamNode, column: str, kind: pa.DataType) -> str:
    if pa.types.is_timestamp(kind):
        return str(kind.unit)
    if pa.types.is_date(kind):
        return "d" if pa.types.is_date32(kind) else "ms"
    if not pa.types.is_integer(kind):
        raise ColumnError(
            node.name,
            column,
            problem=f"is {kind}, not a time",
            remedy='cast it to a timestamp, or to integers and say unit="ms"',
        )
    if node.unit is None:
        raise ColumnError(
            node.name,
            column,
            problem=f"is {kind} and has no unit",
            remedy='say unit="s", "ms", "us" or "ns", or cast it to a timestamp',
        )
    return node.unit


def _as_int64(values: pa.ChunkedArray[Any]) -> pa.ChunkedArray[Any]:
    if pa.types.is_uint64(values.type):
        most: Any = pa.scalar(np.iinfo(np.int64).max, pa.uint64())
        values = pc.if_else(pc.less_equal(values, most), values, most)
    if pa.types.is_date32(values.type):
        values = values.cast(pa.int32())
    return values.cast(pa.int64())


def _filled(values: pa.ChunkedArray[Any]) -> Times:
    zero: Any = 0
    return values.fill_null(zero).to_numpy() if values.null_count else values.to_numpy()


def read_arrival(node: StreamNode, column: str, table: pa.Table) -> Times:
    """Return what orders the rows by arrival."""
    values = table[column]
    if values.null_count:
        raise ColumnError(node.name, column, problem="has nulls", remedy="every row must say when it arrived")
    _check_arrival(node, column, values.type)
    return _as_int64(values).to_numpy()


def _check_arrival(node: StreamNode, column: str, kind: pa.DataType) -> None:
    if not (pa.types.is_timestamp(kind) or pa.types.is_integer(kind)):
        raise ColumnError(node.name, column, problem=f"is {kind}", remedy="arrival must be an integer or a timestamp")


def check_arrival_kinds(nodes: Sequence[StreamNode], schemas: Sequence[pa.Schema]) -> None:
    """Check that the arrival columns of several streams can be compared."""
    types = [
        schema.field(node.arrival).type for node, schema in zip(nodes, schemas, strict=True) if node.arrival is not None
    ]
    if len({kind.unit if pa.types.is_timestamp(kind) else "number" for kind in types}) > 1:
        raise ParameterError(
            "arrival",
            ", ".join(map(str, types)),
            must="be numbers in all streams, or times of one unit",
            remedy="cast the columns to one type",
        )


def read_batch(node: StreamNode, table: pa.Table, *, processing_time: int) -> Incoming:
    """Return the columns of a batch in arrival order; `row` is the position in the table."""
    times, has_time = read_times(node, node.event_time, table[node.event_time])
    arrived_at: Times | int = processing_time
    if node.arrival_time is not None:
        arrived_at, known = read_times(node, node.arrival_time, table[node.arrival_time])
        arrived_at = np.clip(arrived_at, MIN_TIME, MAX_TIME)
        arrived_at = arrived_at if known is None else np.where(known, arrived_at, processing_time)
    row = np.arange(table.num_rows, dtype=np.int64)
    arrival = row if node.arrival is None else read_arrival(node, node.arrival, table)
    incoming = Incoming(Events(times, arrival, row), has_time, arrived_at)
    return incoming if arrival is row or _is_sorted(arrival) else incoming[np.argsort(arrival, kind="stable")]


def _is_sorted(values: Times) -> bool:
    return bool((values[1:] >= values[:-1]).all())


def released_table(node: ReorderNode, payload: pa.Table, released: Events) -> pa.Table:
    """Gather the rows that left in order. Where late events were adjusted, the event time says so."""
    rows = payload.take(released.row)
    if node.late.changes_times:
        rows = _with_times(node.stream, rows, released.time)
    return rows


def _with_times(node: StreamNode, rows: pa.Table, times: Times) -> pa.Table:
    """Give adjusted rows their new time; all others keep theirs, to the last nanosecond."""
    index = rows.column_names.index(node.event_time)
    field = rows.schema.field(index)
    if pa.types.is_integer(field.type):
        factor = 1_000 if node.unit == "ns" else 1
        divisor = 1 if node.unit in (None, "ns") else _PER_UNIT[node.unit]
        values: Any = pa.array(times * factor // divisor).cast(field.type)
    else:
        values = pa.array(times).cast(pa.timestamp("us")).cast(field.type)
    raised = times != read_times(node, node.event_time, rows.column(index))[0]
    return rows.set_column(index, field, pc.if_else(pa.array(raised), values, rows.column(index)))


def late_table(node: ReorderNode | AggregateNode, payload: pa.Table, late: Late) -> pa.Table:
    """Gather the rows that could not be used in time; `late_by` is null where there was no usable time."""
    rows = payload.take(late.events.row)
    return pa.Table.from_arrays([*rows.columns, *late_columns(node.stream.name, late)], schema=late_schema(rows.schema))


def late_columns(stream: str, late: Late) -> list[Any]:
    """Return by how much the events of a stream were late, why, and its name."""
    unknown = np.isin(late.code, (code_of(Reason.FUTURE), code_of(Reason.NULL_TIME)))
    reasons = pa.array([str(reason) for reason in REASONS]).take(late.code)
    return [pa.array(late.late_by, mask=unknown), reasons, pa.repeat(stream, len(late))]


def decided_table(node: ReorderNode | AggregateNode, decisions: Decisions, *, bucket: int, took: Duration) -> pa.Table:
    """Return the decisions of a batch as a table."""
    known = {
        "operator": node.operator,
        "stream": node.stream.name,
        "bucket": bucket,
        "target": node.contract.stated,
        "took_us": took.microseconds,
    }
    return decisions_table({**known, **decisions.as_columns(node.contract)}, len(decisions))
