"""What DuckDB says of all rows at once: the truth for a slack that loses nothing, and a bound for all others."""

from __future__ import annotations

import ast
from functools import cache
from itertools import pairwise
from typing import Any

import duckdb

from tests.simulation.case import FUTURE, Case

NUMBERS = {  # by the source of a value
    "sw.count()": "count(*)",
    'sw.count("x")': "count(x)",
    'sw.sum("x")': "sum(x)::bigint",
    'sw.mean("f")': "avg(f)",
    'sw.min("x")': "min(x)",
    'sw.max("f")': "max(f)",
    'sw.variance("x")': "variance(x)",
    'sw.distinct("key")': "count(DISTINCT key)",
}


@cache
def _database() -> duckdb.DuckDBPyConnection:
    return duckdb.connect(config={"threads": 1})


def _ask(query: str, **tables: Any) -> list[tuple[Any, ...]]:
    database = _database()
    for name, table in tables.items():
        database.register(name, table)
    return database.execute(query).fetchall()


def condition_of(case: Case) -> str:
    """Return the condition of a join as SQL."""
    names, on, where = case.names, case.options.get("on"), case.options.get("where")
    parts = []
    if on is not None:
        value = ast.literal_eval(on)
        if isinstance(value, str) and "=" in value:
            parts.append(value)
        else:
            columns = [value] if isinstance(value, str) else value
            parts += [f"{a}.{c} = {b}.{c}" for c in columns for a, b in pairwise(names)]
    if where is not None:
        parts.append("abs(s0.x - s1.x) < 3" if where == "near" else f"({ast.literal_eval(where)})")
    return " AND ".join(parts) or "true"


def join_truth(case: Case, node: Any) -> set[tuple[int, ...]]:
    """Return every combination of rows, by id, that windows and condition allow."""
    names = case.names
    latest = f"greatest({', '.join(f'{name}.ts' for name in names)}) * 1000"
    closed = ">" if node.closed == "right" else ">="
    within = [
        f"{name}.ts * 1000 {closed} {latest} - {window.microseconds}"
        for name, window in zip(names, node.windows, strict=True)
    ]
    usable = [f"{name}.ts < {FUTURE}" for name in names]
    query = f"SELECT {', '.join(f'{name}.id' for name in names)} FROM {', '.join(names)} WHERE "
    query += " AND ".join([*usable, *within, condition_of(case)])
    return set(_ask(query, **dict(zip(names, case.tables(), strict=True))))


def order_truth(case: Case) -> list[int]:
    """Return all usable rows by event time, stream and arrival."""
    numbered = [table.append_column("s", [[s] * table.num_rows]) for s, table in enumerate(case.tables())]
    tables = {f"t{s}": table for s, table in enumerate(numbered)}
    union = " UNION ALL ".join(f"SELECT ts, s, id FROM {name}" for name in tables)
    return [row[0] for row in _ask(f"SELECT id FROM ({union}) WHERE ts < {FUTURE} ORDER BY ts, s, id", **tables)]


def window_truth(case: Case, node: Any) -> tuple[list[str], list[tuple[Any, ...]]]:
    """Return the names of values that SQL can say, and (window, groups, values) of every window with events."""
    values = dict(_values_of(case))
    known = [name for name, text in values.items() if text in NUMBERS]
    size, slide = node.size.microseconds, node.slide.microseconds
    keys = ", ".join(["w", *node.by])
    shown = "".join(f", {NUMBERS[values[name]]} AS {name}" for name in known)
    first, last = f"floor(ts * 1000 / {slide}.0)", f"floor((ts * 1000 + {size}) / {slide}.0) - 1"
    usable = f"SELECT * FROM t WHERE ts < {FUTURE} AND what IS NULL"
    listed = f"SELECT *, unnest(generate_series({first}::bigint, ({last})::bigint)) AS w FROM ({usable})"
    return known, _ask(f"SELECT {keys}{shown} FROM ({listed}) GROUP BY {keys}", t=case.tables()[0])


def _values_of(case: Case) -> list[tuple[str, str]]:
    tree = ast.parse(case.options["values"], mode="eval").body
    assert isinstance(tree, ast.Dict)
    return [
        (key.value, ast.unparse(value).replace("'", '"'))
        for key, value in zip(tree.keys, tree.values, strict=True)
        if isinstance(key, ast.Constant)
    ]
