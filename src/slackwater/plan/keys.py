"""Which columns can be equal, and which are equal to each other because others are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from slackwater.plan.conjuncts import ColumnOf, Conjunct, Equality, KeyClass

if TYPE_CHECKING:
    from slackwater.plan.columns import StreamColumns

_FAMILIES: tuple[tuple[str, tuple[Any, ...]], ...] = (
    ("number", (pa.types.is_integer, pa.types.is_floating, pa.types.is_decimal)),
    ("text", (pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view)),
    ("bytes", (pa.types.is_binary, pa.types.is_large_binary, pa.types.is_fixed_size_binary, pa.types.is_binary_view)),
    ("bool", (pa.types.is_boolean,)),
    ("timestamp", (pa.types.is_timestamp,)),
    ("date", (pa.types.is_date,)),
    ("time", (pa.types.is_time,)),
    ("duration", (pa.types.is_duration,)),
)


def family(kind: pa.DataType) -> str | None:
    """Return what a type can be compared with; None for a type that cannot be a key.

    >>> family(pa.int8()), family(pa.dictionary(pa.int8(), pa.string())), family(pa.list_(pa.int8()))
    ('number', 'text', None)
    """
    if isinstance(kind, pa.DictionaryType):
        return family(kind.value_type)
    return next((name for name, checks in _FAMILIES if any(check(kind) for check in checks)), None)


def comparable(left: pa.DataType, right: pa.DataType) -> bool | None:
    """Return whether values of two types can be equal keys; None if neither can be a key at all.

    A column without a type, as an empty frame may have it, goes with every other: it has nothing but nulls.

    >>> comparable(pa.int8(), pa.string()), comparable(pa.null(), pa.string())
    (False, True)
    """
    if pa.types.is_null(left) or pa.types.is_null(right):
        return True
    families = family(left), family(right)
    return None if families == (None, None) else families[0] == families[1]


def key_classes(
    equalities: Sequence[Equality], columns: StreamColumns
) -> tuple[tuple[KeyClass, ...], tuple[Conjunct, ...]]:
    """Return the classes of equal columns, in order of appearance, and filters for equal columns of one stream."""
    classes: list[KeyClass] = []
    filters: list[Conjunct] = []
    for members in _connected(equalities):
        first = {member.stream: member for member in reversed(members)}
        classes.append(KeyClass(tuple(first[stream] for stream in sorted(first))))
        filters += [_same(first[each.stream], each, columns) for each in members if each is not first[each.stream]]
    return tuple(classes), tuple(filters)


def _connected(equalities: Sequence[Equality]) -> list[list[ColumnOf]]:
    """Return the columns that are connected by equalities, each once, in order of appearance."""
    groups: list[list[ColumnOf]] = []
    for equality in equalities:
        pair = (equality.left, equality.right)
        touched = [group for group in groups if any(column in group for column in pair)]
        merged = list(dict.fromkeys([*(column for group in touched for column in group), *pair]))
        position = groups.index(touched[0]) if touched else len(groups)
        groups = [group for group in groups if group not in touched]
        groups.insert(position, merged)
    return groups


def _same(left: ColumnOf, right: ColumnOf, columns: StreamColumns) -> Conjunct:
    sql = f"{columns.written(left)} = {columns.written(right)}"
    return Conjunct((left.stream,), (left, right), sql, "c0 = c1")
