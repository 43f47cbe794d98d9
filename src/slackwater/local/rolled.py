"""Windows that move with every row, over a table in event-time order: DuckDB evaluates them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import duckdb
import numpy as np
import pyarrow as pa

from slackwater.errors import ConditionError
from slackwater.plan.duck import complaint, evaluated

if TYPE_CHECKING:
    from slackwater.plan.values import Value
    from slackwater.time import Duration, Times

_TIME, _ROW = "__slackwater_time", "__slackwater_row"
_FUNCTIONS: Mapping[str, str] = {
    "count": "count({})",
    "sum": "sum({})",
    "mean": "avg({})",
    "min": "min({})",
    "max": "max({})",
    "variance": "var_samp({})",
    "quantile": "quantile_disc({}, {q})",
    "distinct": "count(DISTINCT {})",
}
_TYPES = {pa.int64(): "BIGINT", pa.float64(): "DOUBLE"}


def rolled(
    table: pa.Table, times: Times, values: Mapping[str, Value], *, by: Sequence[str], size: Duration
) -> dict[str, Any]:
    """Return for each row the values over `(time - size, time]` of its group.

    Raises:
        ConditionError: DuckDB cannot compute one of them.
    """
    rows = table.append_column(_TIME, pa.array(times)).append_column(_ROW, pa.array(np.arange(table.num_rows)))
    groups = f"PARTITION BY {', '.join(map(_quoted, by))} " if by else ""
    frame = f"{groups}ORDER BY {_TIME} RANGE BETWEEN {size.microseconds - 1} PRECEDING AND CURRENT ROW"
    asked = [_typed(value, table, f"{_call(value)} OVER ({frame})") for value in values.values()]
    try:
        *columns, numbers = evaluated([*asked, _ROW], rows)
    except duckdb.Error as error:
        remedy = "such windows need numbers: see sw.aggregate"
        raise ConditionError(", ".join(map(repr, values.values())), problem=complaint(error), remedy=remedy) from error
    order: Any = np.argsort(numbers.to_numpy(), kind="stable")
    return {name: column.take(order) for name, column in zip(values, columns, strict=True)}


def _call(value: Value) -> str:
    q = value.parameters[0] if value.parameters else None
    return _FUNCTIONS[value.name].format("*" if value.column is None else _quoted(value.column), q=q)


def _typed(value: Value, table: pa.Table, asked: str) -> str:
    """Give a value the type that it has in sw.aggregate."""
    kind = None if value.column is None else table.schema.field(value.column).type
    return asked if value.gives == "same" else f"CAST({asked} AS {_TYPES[value.type_of(kind)]})"


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
