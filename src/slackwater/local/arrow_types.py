"""Types in the words of Spark's SQL, as Arrow's."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pyarrow as pa
from sqlglot import exp
from sqlglot.errors import SqlglotError

from slackwater.errors import ParameterError

_NAMES = "BOOLEAN, TINYINT, SMALLINT, INT, BIGINT, FLOAT, DOUBLE, DECIMAL(10, 2), STRING, BINARY, DATE, TIMESTAMP"
_PLAIN: Mapping[str, pa.DataType] = {
    "BOOLEAN": pa.bool_(),
    "TINYINT": pa.int8(),
    "SMALLINT": pa.int16(),
    "INT": pa.int32(),
    "BIGINT": pa.int64(),
    "FLOAT": pa.float32(),
    "DOUBLE": pa.float64(),
    "TEXT": pa.string(),
    "VARCHAR": pa.string(),
    "BINARY": pa.binary(),
    "DATE": pa.date32(),
    "TIMESTAMPTZ": pa.timestamp("us", tz="UTC"),
    "TIMESTAMPLTZ": pa.timestamp("us", tz="UTC"),
    "TIMESTAMPNTZ": pa.timestamp("us"),
}


def arrow_type(column: str, written: str) -> pa.DataType:
    """Return the type that is called so in Spark's SQL; `column` names it in errors.

    >>> arrow_type("ts", "TIMESTAMP"), arrow_type("x", "DECIMAL(10, 2)")
    (TimestampType(timestamp[us, tz=UTC]), Decimal128Type(decimal128(10, 2)))
    >>> arrow_type("at", "STRUCT<x: INT, y: ARRAY<STRING>>")
    StructType(struct<x: int32, y: list<item: string>>)
    """
    try:
        return _of(exp.DataType.build(written, dialect="spark"))
    except (SqlglotError, RecursionError, KeyError, ValueError, IndexError, AttributeError) as error:
        remedy = f"types are: {_NAMES}, and STRUCT<x: INT> and ARRAY<INT> of these"
        raise ParameterError(column, written, must="have a type that is known in process", remedy=remedy) from error


def _of(tree: Any) -> pa.DataType:
    inner = tree.expressions
    match tree.this.name:
        case "ARRAY":
            return pa.list_(_of(inner[0]))
        case "STRUCT":
            return pa.struct([(each.name, _of(each.args["kind"])) for each in inner])
        case "DECIMAL":
            digits = [int(each.name) for each in inner]
            return pa.decimal128(digits[0] if digits else 10, digits[1] if len(digits) > 1 else 0)
    return _PLAIN[tree.this.name]
