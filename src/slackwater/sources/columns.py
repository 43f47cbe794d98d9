"""Turn tables of any origin into the columns of a dataset: event_time, arrival, arrival_time, payload."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
import pyarrow as pa

from slackwater.errors import ColumnError, DatasetError, missing_column
from slackwater.sources.arrange import TIMESTAMP, number_arrivals
from slackwater.time import Times

Unit: TypeAlias = Literal["s", "ms", "us", "ns"]


@dataclass(frozen=True)
class Layout:
    """Which columns of a foreign table hold the times, and the unit where they are integers."""

    event_time: str = "event_time"
    arrival: str | None = None
    arrival_time: str | None = None
    unit: Unit = "us"
    arrival_unit: Unit | None = None  # of arrival_time, where it differs
    drop: tuple[str, ...] = ()


def to_streams(name: str, tables: Mapping[str, pa.Table], layout: Layout) -> dict[str, pa.Table]:
    """Convert all streams of a dataset: sort each by its arrival, and number the arrivals over all of them.

    Without an arrival column, the order of one stream is the order of its rows, and several streams are merged by
    their arrival times; several streams with neither cannot be ordered, which is an error.
    """
    converted = {stream: to_table(stream, table, layout) for stream, table in tables.items()}
    if all("arrival" in table.column_names for table in converted.values()):
        return converted
    numbers = number_arrivals([_arrival_times(name, table, len(converted)) for table in converted.values()])
    return {
        stream: table.add_column(1, "arrival", pa.array(arrival))
        for (stream, table), arrival in zip(converted.items(), numbers, strict=True)
    }


def to_table(stream: str, table: pa.Table, layout: Layout) -> pa.Table:
    """Convert one table; rows are sorted by arrival where the table has it, else they keep their order.

    >>> table = pa.table({"t": [5, 6], "seq": [1, 0], "x": ["a", "b"]})
    >>> to_table("s", table, Layout(event_time="t", arrival="seq", unit="ms")).to_pydict()["x"]
    ['b', 'a']
    """
    event_time, unit = _find_event_time(stream, table, layout)
    arrival = _optional(stream, table, layout.arrival, "arrival")
    arrival_time = _optional(stream, table, layout.arrival_time, "arrival_time")
    used = {event_time, arrival, arrival_time, *layout.drop}
    columns: dict[str, Any] = {"event_time": _as_timestamps(stream, event_time, table[event_time], unit)}
    if arrival is not None:
        columns["arrival"] = table[arrival].cast(pa.int64())
    if arrival_time is not None:
        unit = layout.arrival_unit or unit
        columns["arrival_time"] = _as_timestamps(stream, arrival_time, table[arrival_time], unit)
    payload: dict[str, Any] = {name: _plain(table[name]) for name in table.column_names if name not in used}
    result = pa.table({**columns, **payload})
    return result if arrival is None else result.sort_by("arrival")


def _find_event_time(stream: str, table: pa.Table, layout: Layout) -> tuple[str, Unit]:
    if layout.event_time in table.column_names:
        return layout.event_time, layout.unit
    if layout == Layout() and "ts" in table.column_names:  # the other spelling that the dataset format allows
        return "ts", "ms"
    raise missing_column(stream, layout.event_time, table.column_names)


def _optional(stream: str, table: pa.Table, chosen: str | None, default: str) -> str | None:
    if chosen is not None and chosen not in table.column_names:
        raise missing_column(stream, chosen, table.column_names)
    return chosen or (default if default in table.column_names else None)


def _as_timestamps(stream: str, column: str, values: pa.ChunkedArray[Any], unit: Unit) -> pa.ChunkedArray[Any]:
    kind = values.type
    if pa.types.is_integer(kind):
        return values.cast(pa.timestamp(unit)).cast(pa.timestamp("us"), safe=False).cast(TIMESTAMP)
    if pa.types.is_timestamp(kind):
        return values.cast(pa.timestamp("us", tz=kind.tz), safe=False).cast(TIMESTAMP)
    raise ColumnError(
        stream,
        column,
        problem=f"is {kind}, not a time",
        remedy="use a timestamp column, or integers and unit=",
    )


def _arrival_times(name: str, table: pa.Table, streams: int) -> Times:
    if streams == 1:
        return np.arange(table.num_rows)
    if "arrival_time" not in table.column_names:
        raise DatasetError(
            name,
            problem="has several streams and no column that orders their arrivals",
            remedy="name the column with arrival= or arrival_time=",
        )
    return np.maximum.accumulate(table["arrival_time"].cast(pa.int64()).to_numpy())


def _plain(values: pa.ChunkedArray[Any]) -> pa.ChunkedArray[Any]:
    """Undo what Spark's Arrow reader cannot take: dictionaries and large strings."""
    if pa.types.is_dictionary(values.type):
        return _plain(values.cast(values.type.value_type))
    return values.cast(pa.string()) if pa.types.is_large_string(values.type) else values
