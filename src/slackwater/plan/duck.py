"""DuckDB as the judge of expressions: in memory, without files or network, one thread, times in UTC."""

from __future__ import annotations

import os
import threading
from functools import cache
from typing import TYPE_CHECKING, Any

import duckdb
import numpy as np
import pyarrow as pa

if TYPE_CHECKING:
    from collections.abc import Sequence

    from slackwater.time import Mask

_SETTINGS: dict[str, Any] = {"enable_external_access": "false", "threads": 1}  # a worker has one core of many
_OF_THIS_THREAD = threading.local()
_ABANDONED: list[Any] = []  # databases of parent processes
_KEYWORDS = frozenset({"current_timestamp", "current_time", "localtime", "localtimestamp"})  # functions without ()


def readable(values: pa.ChunkedArray[Any]) -> pa.ChunkedArray[Any]:
    """Return a column as expressions see it: integers have 64 bits, so that they overflow late, and texts are plain."""
    kind = readable_type(values.type)
    return values if kind == values.type else values.cast(kind)


def readable_type(kind: pa.DataType) -> pa.DataType:
    """Return the type that `readable` gives.

    >>> readable_type(pa.int16()), readable_type(pa.dictionary(pa.int8(), pa.string()))
    (DataType(int64), DataType(string))
    """
    if isinstance(kind, pa.DictionaryType):
        return readable_type(kind.value_type)
    return pa.int64() if pa.types.is_integer(kind) and not pa.types.is_uint64(kind) else kind


def type_of(expression: str, schema: pa.Schema) -> str:
    """Return DuckDB's name for the type of an expression over the columns c0, c1, ...

    Raises:
        duckdb.Error: there is no such function, or the types do not fit; also for aggregates and window functions.
    """
    source = "columns" if len(schema) else "(SELECT 1)"
    with _database().cursor() as cursor:
        if len(schema):
            cursor.register("columns", schema.empty_table())
        # The filter makes DuckDB refuse what is not a matter of one row.
        found = cursor.execute(f"SELECT ({expression}) FROM {source} WHERE ({expression}) LIMIT 0").description
    return str(found[0][1]) if found else "unknown"


def holds(expression: str, columns: pa.Table) -> Mask:
    """Return for which rows an expression over c0, c1, ... is true; null is not true.

    Raises:
        duckdb.Error: the expression fails on some row.
    """
    if not columns.num_rows:
        return np.zeros(0, dtype=np.bool_)
    with _database().cursor() as cursor:
        cursor.register("columns", columns)
        found = cursor.execute(f"SELECT coalesce(({expression}), false) AS held FROM columns").fetchnumpy()
    return np.asarray(found["held"], dtype=np.bool_)


def evaluated(expressions: Sequence[str], table: pa.Table) -> list[pa.ChunkedArray[Any]]:
    """Return what expressions over the columns of a table give, row by row in its order.

    Raises:
        duckdb.Error: an expression cannot be read, or fails on some row.
    """
    columns = ", ".join(f"({expression}) AS e{number}" for number, expression in enumerate(expressions))
    with _database().cursor() as cursor:
        cursor.register("columns", table)
        found = cursor.sql(f"SELECT {columns} FROM columns").to_arrow_table()
    return list(found.columns)


def holds_of(expression: str, table: pa.Table) -> Mask:
    """Return for which rows of a table an expression over its columns is true; null is not true.

    Raises:
        duckdb.Error: the expression cannot be read, or fails on some row.
    """
    found = evaluated([f"coalesce(({expression}), false)"], table)[0]
    return np.asarray(found.to_numpy(), dtype=np.bool_)


def holds_always(expression: str) -> bool:
    """Return whether an expression without columns is true."""
    return bool(_rows(f"SELECT coalesce(({expression}), false)")[0][0])


@cache
def varying_functions() -> frozenset[str]:
    """Return the names of functions that do not give the same answer every time, such as random and now."""
    found = _rows("SELECT function_name FROM duckdb_functions() WHERE stability <> 'CONSISTENT'")
    return _KEYWORDS | {str(name) for (name,) in found}


def complaint(error: duckdb.Error) -> str:
    r"""Return what DuckDB says, in one line: without its kind of error, and without the place in our own query.

    >>> complaint(duckdb.Error('Catalog Error: no function nosuch!\nDid you mean "cosh"?\n\nLINE 1: ...'))
    'no function nosuch! Did you mean "cosh"?'
    """
    lines = str(error).split("\n")
    first = lines[0].split(" Error: ", maxsplit=1)[-1]
    return " ".join([first, *(line for line in lines[1:2] if line.startswith("Did you mean"))])


def _rows(query: str) -> list[Any]:
    with _database().cursor() as cursor:
        return cursor.execute(query).fetchall()


def _database() -> duckdb.DuckDBPyConnection:
    """Return this thread's database. A forked process must not touch its parent's, not even to close it."""
    if getattr(_OF_THIS_THREAD, "process", None) != os.getpid():
        _ABANDONED.append(getattr(_OF_THIS_THREAD, "database", None))
        _OF_THIS_THREAD.database = duckdb.connect(":memory:", config=_SETTINGS)
        _OF_THIS_THREAD.database.execute("SET GLOBAL TimeZone = 'UTC'").fetchall()
        _OF_THIS_THREAD.process = os.getpid()
    database: duckdb.DuckDBPyConnection = _OF_THIS_THREAD.database
    return database
