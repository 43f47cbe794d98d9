"""From tables to what an aggregate is asked about, and from its windows back to tables."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from slackwater.core.cells import Input
from slackwater.pipeline.estimated_columns import estimated_columns
from slackwater.pipeline.hashes import hashes_of
from slackwater.plan.validate_aggregate import COVERAGE, KIND, REVISION, WINDOW, bounds_of

if TYPE_CHECKING:
    from slackwater.pipeline.emitted import Emitted
    from slackwater.plan.nodes import AggregateNode
    from slackwater.plan.values import Value
    from slackwater.time import Times

FINAL, EARLY = "final", "early"
_MOMENT = pa.timestamp("us", tz="UTC")
_BY = b"slackwater.by"
_BOUNDS: list[pa.Field[Any]] = [pa.field("start", _MOMENT), pa.field("end", _MOMENT)]


def read_inputs(node: AggregateNode, table: pa.Table) -> list[Input]:
    """Return what each function is asked about: int64 or float64, whatever the column's type."""
    known: dict[tuple[str | None, str], Input] = {(None, "any"): Input(np.zeros(table.num_rows, np.int8))}
    asked = [(value.column, "any" if value.column is None else _read_as(value)) for _, value in node.computed]
    for column, how in asked:
        if (column, how) not in known and column is not None:
            known[column, how] = _read(table[column], how)
    return [known[each] for each in asked]


def _read_as(value: Value) -> str:
    return "number" if value.accepts == "ordered" else value.accepts


def _read(column: pa.ChunkedArray[Any], how: str) -> Input:
    valid = pc.is_valid(column).to_numpy() if column.null_count else None
    if how == "any":
        return Input(np.zeros(len(column), np.int8), valid)
    if how == "hashed":
        return Input(hashes_of(column), valid)
    values = _as_numbers(column)
    zero: Any = 0
    return Input((values.fill_null(zero) if values.null_count else values).to_numpy(), valid)


def _as_numbers(column: pa.ChunkedArray[Any]) -> pa.ChunkedArray[Any]:
    if pa.types.is_floating(column.type):
        return column.cast(pa.float64())
    if pa.types.is_date32(column.type) or pa.types.is_time32(column.type):
        column = column.cast(pa.int32())
    return column.cast(pa.int64())


def result_schema(node: AggregateNode, schema: pa.Schema) -> pa.Schema:
    """Return the columns of the results: the window, the groups, the values; `schema` is that of the stream.

    Its metadata say which columns are the groups: `groups_named` reads them.
    """
    schema = schema if node.below is None else result_schema(node.below, schema)
    fields: list[pa.Field[Any]] = [pa.field(WINDOW, pa.struct(_BOUNDS)), *(schema.field(column) for column in node.by)]
    for name, value in node.values:
        kind = None if value.column is None else schema.field(value.column).type
        fields.append(pa.field(name, value.type_of(kind)))
        if node.corrects_early and name in node.estimated:
            fields += [pa.field(bound, pa.float64()) for bound in bounds_of(name)]
    if node.corrects_early:
        fields.append(pa.field(COVERAGE, pa.float64()))
    if node.early is not None:
        fields += [pa.field(KIND, pa.string()), pa.field(REVISION, pa.int64())]
    return pa.schema(fields, metadata={_BY: json.dumps(node.by).encode()})


def groups_named(schema: pa.Schema) -> tuple[str, ...] | None:
    """Return the columns that results are grouped by, where their schema says so: as long as they are a Table.

    >>> groups_named(pa.schema([], metadata={b"slackwater.by": b'["line"]'})), groups_named(pa.schema([]))
    (('line',), None)
    """
    named = (schema.metadata or {}).get(_BY)
    return None if named is None else tuple(json.loads(named))


def results_table(node: AggregateNode, schema: pa.Schema, keys: pa.Table, emitted: Emitted | None) -> pa.Table:
    """Return results as rows; `keys` has the keys of each group, in the order of their codes."""
    wanted = result_schema(node, schema)
    if emitted is None:
        return wanted.empty_table()
    windows = emitted.cells
    panes = node.panes
    bounds = pa.StructArray.from_arrays(
        [_moments(panes.starts(windows.place)), _moments(panes.ends(windows.place))], fields=_BOUNDS
    )
    groups = keys.take(windows.group)
    columns: list[Any] = [bounds, *(groups[column] for column in node.by)]
    for (name, value), state in zip(node.values, windows.states, strict=True):
        numbers, valid = value.algebra.lower(state)
        between: list[Any] = []
        if emitted.estimates is not None and name in node.estimated:
            row = node.estimated.index(name)
            numbers, *between = estimated_columns(emitted.estimates, row, numbers, valid, wanted.field(name).type)
        columns.append(_typed(pa.array(numbers, mask=None if valid is None else ~valid), wanted.field(name).type))
        columns += between
    if emitted.estimates is not None:
        columns.append(pa.array(emitted.estimates.coverage))
    if node.early is not None:
        columns += [pc.if_else(pa.array(emitted.final), FINAL, EARLY), pa.array(emitted.number)]
    return pa.Table.from_arrays(columns, schema=wanted)


def _moments(times: Times) -> pa.Array[Any]:
    return pa.array(times).cast(_MOMENT)


def _typed(values: pa.Array[Any], kind: pa.DataType) -> pa.Array[Any]:
    if values.type == kind:
        return values
    if pa.types.is_date32(kind) or pa.types.is_time32(kind):
        values = values.cast(pa.int32())
    return values.cast(kind)
