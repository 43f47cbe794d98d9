"""Any bounded frame as an Arrow table."""

from __future__ import annotations

import sys
from typing import Any

import pyarrow as pa

from slackwater.errors import ParameterError


def to_arrow(frame: Any, *, event_time: str | None = None) -> pa.Table:
    """Return a pyarrow Table of a pyarrow, pandas, polars or other frame that speaks the Arrow interface.

    `event_time` is the column that times are to be in: the index of a pandas frame is no column.

    >>> to_arrow({"a": [1, 2]}).num_rows
    2
    """
    if isinstance(frame, pa.Table):
        return _without_views(frame)
    if isinstance(frame, pa.RecordBatch):
        return pa.Table.from_batches([frame])
    if isinstance(frame, dict):
        return pa.table(frame)
    if type(frame).__module__.split(".")[0] == "pandas":
        _refuse_twins(list(frame.columns))
        _refuse_index(frame, event_time)
        return pa.Table.from_pandas(frame, preserve_index=False)
    if type(frame).__module__.split(".")[0] == "polars" and hasattr(frame, "to_arrow"):
        plain = sys.modules["polars"].CompatLevel.oldest()  # Arrow cannot gather rows of the newer view types
        table: pa.Table = frame.to_arrow(compat_level=plain)
        return table
    if hasattr(frame, "__arrow_c_stream__"):
        return pa.table(frame)
    raise ParameterError(
        "frame",
        type(frame).__name__,
        must="be a Spark DataFrame, a pyarrow Table, or a pandas or polars frame",
        remedy="convert it with pyarrow.table(...), or .collect() a polars LazyFrame",
    )


def _without_views(table: pa.Table) -> pa.Table:
    """Give text and bytes types that Arrow can gather rows of."""
    plain: dict[Any, Any] = {pa.string_view(): pa.string(), pa.binary_view(): pa.binary()}
    for place, field in enumerate(table.schema):
        if field.type in plain:
            column: Any = table.column(place).cast(plain[field.type])
            table = table.set_column(place, field.name, column)
    return table


def _refuse_twins(columns: list[str]) -> None:
    """Refuse what Arrow could not hold, in our own words."""
    for column in columns:
        if columns.count(column) > 1:
            raise ParameterError("frame", f"two columns {column!r}", must="name each column once", remedy="rename one")


def _refuse_index(frame: Any, event_time: str | None) -> None:
    """Refuse event times that are the index of a pandas frame, by the name that was given or by their type."""
    named = event_time in frame.index.names or frame.index.inferred_type == "datetime64"
    if event_time is not None and event_time not in frame.columns and named:
        remedy = "times in the index are none: give frame.reset_index()"
        raise ParameterError("event_time", event_time, must="be a column of the frame", remedy=remedy)
