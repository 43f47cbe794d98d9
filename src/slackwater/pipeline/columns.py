"""From tables to the columns of the core and back; payload is gathered once, for rows that leave."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from slackwater.decisions import decisions_table
from slackwater.errors import ColumnError
from slackwater.events import REASONS, Events, Late, Reason, code_of
from slackwater.pipeline.guard import Incoming
from slackwater.time import MAX_TIME, Duration

if TYPE_CHECKING:
    from slackwater.pipeline.boundaries import Decisions
    from slackwater.plan.nodes import ReorderNode, StreamNode
    from slackwater.time import Mask, Times

_PER_UNIT = {"s": 1_000_000, "ms": 1_000, "us": 1}
LATE_COLUMNS = ("late_by", "reason", "stream")


def read_times(node: StreamNode, column: str, values: pa.ChunkedArray[Any]) -> tuple[Times, Mask | None]:
    """Return event times in us, and which rows have one (None: all).

    Integers that are too large for a time saturate: the guard turns them away.
    """
    has_time = None if not values.null_count else pc.is_valid(values).to_numpy()
    if pa.types.is_integer(values.type):
        return _from_integers(node, column, values), has_time
    if not (pa.types.is_timestamp(values.type) or pa.types.is_date(values.type)):
        raise ColumnError(
            node.name,
            column,
            problem=f"is {values.type}, not a time",
            remedy='cast it to a timestamp, or to integers and say unit="ms"',
        )
    micros = values.cast(pa.timestamp("us"), safe=False).cast(pa.int64())
    return _filled(micros), has_time


def _from_integers(node: StreamNode, column: str, values: pa.ChunkedArray[Any]) -> Times:
    if node.unit is None:
        raise ColumnError(
            node.name,
            column,
            problem=f"is {values.type} and has no unit",
            remedy='say unit="s", "ms", "us" or "ns", or cast it to a timestamp',
        )
    numbers = _filled(values.cast(pa.int64(), safe=False))
    if node.unit == "ns":
        return numbers // 1_000
    factor = _PER_UNIT[node.unit]
    most = 2 * MAX_TIME // factor
    return np.clip(numbers, -most, most) * factor


def _filled(values: pa.ChunkedArray[Any]) -> Times:
    zero: Any = 0
    return values.fill_null(zero).to_numpy() if values.null_count else values.to_numpy()


def read_arrival(node: StreamNode, column: str, table: pa.Table) -> Times:
    """Return what orders the rows by arrival."""
    values = table[column]
    if values.null_count:
        raise ColumnError(node.name, column, problem="has nulls", remedy="every row must say when it arrived")
    if pa.types.is_timestamp(values.type):
        values = values.cast(pa.timestamp("us"), safe=False)
    elif not pa.types.is_integer(values.type):
        raise ColumnError(
            node.name, column, problem=f"is {values.type}", remedy="arrival must be an integer or a timestamp"
        )
    return values.cast(pa.int64()).to_numpy()


def read_batch(node: StreamNode, table: pa.Table, *, processing_time: int) -> Incoming:
    """Return the columns of a batch in arrival order; `row` is the position in the table."""
    times, has_time = read_times(node, node.event_time, table[node.event_time])
    arrived_at: Times | int = processing_time
    if node.arrival_time is not None:
        arrived_at, known = read_times(node, node.arrival_time, table[node.arrival_time])
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
    index = rows.column_names.index(node.event_time)
    field = rows.schema.field(index)
    if pa.types.is_integer(field.type):
        factor = 1_000 if node.unit == "ns" else 1
        divisor = 1 if node.unit in (None, "ns") else _PER_UNIT[node.unit]
        values: Any = pa.array(times * factor // divisor).cast(field.type)
    else:
        values = pa.array(times).cast(pa.timestamp("us")).cast(field.type)
    return rows.set_column(index, field, values)


def late_schema(schema: pa.Schema) -> pa.Schema:
    """Return the schema of the `late` output: all input columns, late_by in us, reason, stream."""
    fields = [pa.field("late_by", pa.int64()), pa.field("reason", pa.string()), pa.field("stream", pa.string())]
    return pa.schema([*schema, *fields])


def late_table(node: ReorderNode, payload: pa.Table, late: Late) -> pa.Table:
    """Gather the rows that could not be used in time; `late_by` is null where there was no usable time."""
    rows = payload.take(late.events.row)
    unknown = np.isin(late.code, (code_of(Reason.FUTURE), code_of(Reason.NULL_TIME)))
    columns = (
        pa.array(late.late_by, mask=unknown),
        pa.array([str(reason) for reason in REASONS]).take(late.code),
        pa.repeat(node.stream.name, len(late)),
    )
    return pa.Table.from_arrays([*rows.columns, *columns], schema=late_schema(rows.schema))


def decided_table(node: ReorderNode, decisions: Decisions, *, bucket: int, took: Duration) -> pa.Table:
    """Return the decisions of a batch as a table."""
    known = {
        "operator": node.operator,
        "stream": node.stream.name,
        "bucket": bucket,
        "target": node.contract.target,
        "took_us": took.microseconds,
    }
    return decisions_table({**known, **decisions.as_columns()}, len(decisions))
