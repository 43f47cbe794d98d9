"""Columns and filters written in SQL, over an Arrow table: DuckDB evaluates what is more than a column."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.compute as pc

from slackwater.errors import ConditionError
from slackwater.plan.duck import complaint, evaluated, holds_of


@dataclass(frozen=True)
class Selected:
    """A column of the results: the path to one that is there, or an expression."""

    name: str
    sql: str  # as DuckDB speaks it
    path: tuple[str, ...] = ()


def select(table: pa.Table, columns: Sequence[Selected]) -> pa.Table:
    """Return these columns of a table.

    Raises:
        ConditionError: an expression fails on some row, or its types do not fit.
    """
    computed = iter(_computed(table, [column for column in columns if not column.path]))
    arrays = [_at(table, column.path) if column.path else next(computed) for column in columns]
    return pa.Table.from_arrays(arrays, names=[column.name for column in columns])


def keep(table: pa.Table, condition: str) -> pa.Table:
    """Return the rows for which a condition is true, in their order."""
    try:
        return table.filter(pa.array(holds_of(condition, table)))
    except duckdb.Error as error:
        raise _failed(condition, error) from error


def _computed(table: pa.Table, columns: Sequence[Selected]) -> list[Any]:
    if not columns:
        return []
    written = ", ".join(column.sql for column in columns)
    try:
        found = evaluated([column.sql for column in columns], table)
    except duckdb.Error as error:
        raise _failed(written, error) from error
    if len(found[0]) != table.num_rows:
        raise ConditionError(written, problem="it is not a matter of one row", remedy="leave such functions out")
    return found


def _failed(expression: str, error: duckdb.Error) -> ConditionError:
    return ConditionError(expression, problem=complaint(error), remedy="leave such rows out, or cast what does not fit")


def _at(table: pa.Table, path: Sequence[str]) -> Any:
    column: Any = table[path[0]]
    try:
        return pc.struct_field(column, list(path[1:])) if len(path) > 1 else column
    except (pa.ArrowException, TypeError) as error:
        problem = f"{path[0]} has no field {'.'.join(path[1:])}"
        raise ConditionError(".".join(path), problem=problem, remedy=f"it is {column.type}") from error
