"""The condition of a join, from what the user wrote to parts that can each be evaluated where that is cheapest."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

import duckdb
import pyarrow as pa

from slackwater.errors import ColumnError, ParameterError
from slackwater.plan.bands import bands_of
from slackwater.plan.columns import StreamColumns
from slackwater.plan.condition_text import ConditionText
from slackwater.plan.conjuncts import ColumnOf, Conjunct, Equality, JoinCondition, KeyClass, RowFunction
from slackwater.plan.duck import complaint, holds_always
from slackwater.plan.keys import comparable, key_classes

__all__ = ["ColumnOf", "Conjunct", "Equality", "JoinCondition", "KeyClass", "RowFunction", "analyze_condition"]

On = str | Sequence[str] | Mapping[str, str | Sequence[str]] | None
Where = str | Callable[..., Any] | None

_ON = 'such as "area", {"bus": "area", "scats": "zone"} or "bus.area = scats.zone"'


def analyze_condition(on: On, where: Where, streams: Sequence[tuple[str, pa.Schema]]) -> JoinCondition:
    """Split a condition into equalities of columns, filters of one stream, and the rest.

    A text is SQL as DuckDB speaks it; `dist(x1, y1, x2, y2)` is the distance of two points. A function is called with
    tables of aligned rows: of the streams that its parameters name, or of all streams in order. Equality means that
    neither side is null; a key that mixes integers and floats compares floats.

    Raises:
        ParameterError: the condition cannot be understood, or is not true or false.
        ColumnError: a stream lacks a column, or two columns have types that are never equal.

    >>> bus = pa.schema([("area", pa.int64()), ("delay", pa.int64())])
    >>> scats = pa.schema([("area", pa.int64()), ("flow", pa.int64())])
    >>> found = analyze_condition("area", "delay > 60 and flow > 10 * delay", [("bus", bus), ("scats", scats)])
    >>> found.key_classes
    (KeyClass(columns=(ColumnOf(stream=0, column='area'), ColumnOf(stream=1, column='area'))),)
    >>> [part.sql for part in found.filters], [part.sql for part in found.residuals]
    (['bus.delay > 60'], ['scats.flow > 10 * bus.delay'])
    """
    columns = StreamColumns(streams)
    equalities, conjuncts = _read_on(on, columns)
    if isinstance(where, str):
        more, rest = _read_text("where", where, columns)
        equalities, conjuncts = equalities + more, conjuncts + rest
    elif where is not None and not callable(where):
        raise ParameterError("where", where, must="be a text, a function or None", remedy='such as "bus.delay > 60"')
    classes, same_stream = key_classes(equalities, columns)
    filters = [*_constants(conjuncts), *(each for each in conjuncts if len(each.streams) == 1), *same_stream]
    residuals = tuple(each for each in conjuncts if len(each.streams) > 1)
    return JoinCondition(
        key_classes=classes,
        filters=tuple(filters),
        residuals=residuals,
        bands=tuple(band for band in bands_of(residuals) if all(columns.has_cells(each) for each in band.columns)),
        function=_row_function(where, columns.names) if callable(where) else None,
        equalities=tuple(equalities),
    )


def _read_on(on: On, columns: StreamColumns) -> tuple[list[Equality], list[Conjunct]]:
    if on is None:
        return [], []
    if isinstance(on, Mapping):
        return list(_chained(_of_mapping(on, columns), columns)), []
    items = [on] if isinstance(on, str) else on
    if not isinstance(items, Sequence) or not items or not all(isinstance(item, str) and item for item in items):
        raise ParameterError("on", on, must="name columns", remedy=_ON)
    equalities: list[Equality] = []
    conjuncts: list[Conjunct] = []
    for item in items:
        more, rest = _read_name(item, columns) if _is_name(item, columns) else _read_text("on", item, columns)
        equalities += more
        conjuncts += rest
    return equalities, conjuncts


def _is_name(item: str, columns: StreamColumns) -> bool:
    return item.isidentifier() or any(item in schema.names for schema in columns.schemas)


def _read_name(item: str, columns: StreamColumns) -> tuple[list[Equality], list[Conjunct]]:
    row = [columns.of_stream(stream, item) for stream in range(len(columns.names))]
    return list(_chained([row], columns)), []


def _of_mapping(on: Mapping[str, str | Sequence[str]], columns: StreamColumns) -> list[list[ColumnOf]]:
    """Return for each key its columns, one of each stream."""
    named = {columns.index("on", on, name): [names] if isinstance(names, str) else names for name, names in on.items()}
    missing = [name for stream, name in enumerate(columns.names) if stream not in named]
    if missing:
        raise ParameterError("on", on, must="name every stream", remedy=f"add {', '.join(missing)}")
    if len({len(names) for names in named.values()}) != 1:
        raise ParameterError("on", on, must="name as many columns for each stream", remedy="they are compared in turn")
    rows = zip(*(named[stream] for stream in range(len(columns.names))), strict=True)
    return [[columns.of_stream(stream, name) for stream, name in enumerate(row)] for row in rows]


def _chained(rows: Sequence[Sequence[ColumnOf]], columns: StreamColumns) -> Iterator[Equality]:
    for row in rows:
        for left, right in pairwise(row):
            _check_comparable(left, right, columns)
            yield Equality(left, right)


def _read_text(parameter: str, text: str, columns: StreamColumns) -> tuple[list[Equality], list[Conjunct]]:
    equalities: list[Equality] = []
    conjuncts: list[Conjunct] = []
    condition = ConditionText(parameter, text, columns)
    for conjunct, equates_columns in condition.conjuncts():
        if equates_columns and comparable(*map(columns.type_of, conjunct.columns)) is not None:
            equalities += _chained([conjunct.columns], columns)
        else:
            condition.check_type(conjunct)
            conjuncts.append(conjunct)
    return equalities, conjuncts


def _check_comparable(left: ColumnOf, right: ColumnOf, columns: StreamColumns) -> None:
    kinds = columns.type_of(left), columns.type_of(right)
    if not comparable(*kinds):
        raise ColumnError(
            columns.names[left.stream],
            left.column,
            problem=f"is {kinds[0]} and cannot equal {columns.written(right)}, which is {kinds[1]}",
            remedy="cast one of them to the type of the other, if it is a number, text, time or bool",
        )


def _constants(conjuncts: Sequence[Conjunct]) -> Iterator[Conjunct]:
    """Drop what is always true; what is never true lets no row of the first stream pass."""
    for conjunct in conjuncts:
        try:
            if not conjunct.streams and not holds_always(conjunct.expression):
                yield Conjunct((0,), (), conjunct.sql, "false")
        except duckdb.Error as error:
            remedy = f"{conjunct.sql} fails: {complaint(error)}"
            raise ParameterError("where", conjunct.sql, must="have a value", remedy=remedy) from error


def _row_function(function: Callable[..., Any], names: Sequence[str]) -> RowFunction:
    """Match a function's parameters to streams: by name, or else all streams in order."""
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):  # some of C's functions do not tell
        return RowFunction(tuple(range(len(names))), function)
    if any(each.kind is each.VAR_POSITIONAL for each in parameters):
        return RowFunction(tuple(range(len(names))), function)
    needed = [each.name for each in parameters if each.default is each.empty and each.kind is not each.VAR_KEYWORD]
    if needed and all(name in names for name in needed):
        return RowFunction(tuple(names.index(name) for name in needed), function)
    if len(needed) != len(names) or any(name in names for name in needed):
        raise ParameterError(
            "where",
            function,
            must="take one table for each stream",
            remedy=f"write lambda {', '.join(names)}: ...; leave out streams that it does not need",
        )
    return RowFunction(tuple(range(len(names))), function)
