"""Any bounded frame as an Arrow table."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from slackwater.errors import ParameterError


def to_arrow(frame: Any) -> pa.Table:
    """Return a pyarrow Table of a pyarrow, pandas, polars or other frame that speaks the Arrow interface.

    >>> to_arrow({"a": [1, 2]}).num_rows
    2
    """
    if isinstance(frame, pa.Table):
        return frame
    if isinstance(frame, pa.RecordBatch):
        return pa.Table.from_batches([frame])
    if isinstance(frame, dict):
        return pa.table(frame)
    if type(frame).__module__.split(".")[0] == "pandas":
        return pa.Table.from_pandas(frame, preserve_index=False)
    if hasattr(frame, "__arrow_c_stream__"):
        return pa.table(frame)
    raise ParameterError(
        "frame",
        type(frame).__name__,
        must="be a Spark DataFrame, a pyarrow Table, or a pandas or polars frame",
        remedy="convert it with pyarrow.table(...)",
    )
