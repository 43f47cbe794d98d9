"""Join keys as integers: the same code where the keys are equal, whatever their types; none where a key is null."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from slackwater.plan.keys import family

if TYPE_CHECKING:
    from slackwater.events import Rows

Column: TypeAlias = "pa.ChunkedArray[Any]"

_UNITS = ("s", "ms", "us", "ns")
_SMALL = 65_536  # so many codes cost nothing, even if few are used


def encode_keys(columns: Sequence[Column]) -> tuple[list[Rows], int]:
    """Return the codes 0..n-1 of each column's rows, -1 for null, and n. The types must be of one family.

    Integers of a small range keep their distances, so that some codes may be unused; all others are hashed. O(rows).

    >>> codes, count = encode_keys([pa.chunked_array([["b", "a", None]]), pa.chunked_array([["a", "c"]])])
    >>> [each.tolist() for each in codes], count
    ([[0, 1, -1], [1, 2]], 3)
    """
    if any(pa.types.is_null(column.type) for column in columns):
        return [np.full(len(column), -1, np.int64) for column in columns], 0  # what has only nulls equals nothing
    plain = [decoded(column) for column in columns]
    values = _unified(plain, family(plain[0].type))
    if not pa.types.is_int64(values[0].type):
        return _hashed([with_equal_bits(each) for each in values])
    least, most = _range_of(values)
    if most - least >= max(_SMALL, 2 * sum(map(len, values))):
        return _hashed(values)
    return [_filled(_offset(each, least)) for each in values], max(most - least + 1, 0)


def decoded(column: Column) -> Column:
    """Return the values of a dictionary; any other column as it is."""
    return column.cast(column.type.value_type) if isinstance(column.type, pa.DictionaryType) else column


def _unified(columns: Sequence[Column], kind: str | None) -> list[Column]:
    """Return the columns in one type: times, dates and bools as integers."""
    types: list[Any] = [column.type for column in columns]
    if kind == "number":
        return [column.cast(_number_type(columns), safe=False) for column in columns]
    if kind in ("timestamp", "duration", "time"):
        unit = max((each.unit for each in types), key=_UNITS.index)
        return [_in_unit(column, kind, unit) for column in columns]
    if kind == "date":
        return [column.cast(pa.date32()).cast(pa.int32()).cast(pa.int64()) for column in columns]
    if kind == "bool":
        return [column.cast(pa.int8()).cast(pa.int64()) for column in columns]
    if len(set(types)) == 1:
        return list(columns)
    return [column.cast(pa.large_string() if kind == "text" else pa.large_binary()) for column in columns]


def _number_type(columns: Sequence[Column]) -> pa.DataType:
    types: list[Any] = [column.type for column in columns]
    if any(map(pa.types.is_floating, types)):
        return pa.float64()
    if any(map(pa.types.is_decimal, types)):
        return pa.decimal256(76, max(each.scale for each in types if pa.types.is_decimal(each)))
    large = any(pa.types.is_uint64(column.type) and _range_of([column])[1] >= 2**63 for column in columns)
    return pa.decimal128(20, 0) if large else pa.int64()


def _in_unit(column: Column, kind: str, unit: Any) -> Column:
    """Return moments as integers in a unit that no column is finer than."""
    stated: Any = column.type
    if kind == "timestamp":
        return column.cast(pa.timestamp(unit, tz=stated.tz)).cast(pa.int64())
    return column.cast(pa.duration(unit) if kind == "duration" else pa.time64("ns")).cast(pa.int64())


def _range_of(columns: Sequence[Column]) -> tuple[int, int]:
    """Return the least and the most of all values; (0, -1) if there are none."""
    found: list[Any] = [pc.min_max(column).as_py() for column in columns]
    known = [each for each in found if each["min"] is not None]
    return min((each["min"] for each in known), default=0), max((each["max"] for each in known), default=-1)


def _offset(column: Column, least: int) -> Column:
    return pc.subtract(column, pa.scalar(least, pa.int64()))


def with_equal_bits(column: Column) -> Column:
    """Return floats such that equal ones have equal bits: one zero, one NaN."""
    if not pa.types.is_floating(column.type):
        return column
    valid = None if not column.null_count else pc.is_valid(column).to_numpy()
    values = column.to_numpy() + 0.0
    values[np.isnan(values)] = np.nan
    return pa.chunked_array([pa.array(values, mask=None if valid is None else ~valid)])


def _hashed(columns: Sequence[Column]) -> tuple[list[Rows], int]:
    chunks = [chunk for column in columns for chunk in column.chunks]
    encoded: Any = pa.chunked_array(chunks, type=columns[0].type).dictionary_encode().combine_chunks()
    codes = _filled(pa.chunked_array([encoded.indices]))
    return np.split(codes, np.cumsum([len(column) for column in columns])[:-1]), len(encoded.dictionary)


def _filled(codes: Column) -> Rows:
    missing: Any = -1
    filled = codes.fill_null(missing) if codes.null_count else codes
    return np.asarray(filled.to_numpy(), dtype=np.int64)
