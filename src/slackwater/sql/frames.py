"""Expressions over frames, whatever engine they are of."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from slackwater.api import is_spark
from slackwater.sql.computed import LOCAL_DIALECT, Computed
from slackwater.sql.expressions import DIALECT

if TYPE_CHECKING:
    import pyarrow as pa

    from slackwater.sql.items import Chosen


def select(rows: Any, columns: Sequence[Chosen]) -> Any:
    """Return columns of a table or a DataFrame."""
    if is_spark(rows):
        from slackwater.spark import selected as on_spark

        return on_spark.select(rows, [(each.name, each.computed.sql(DIALECT)) for each in columns])
    from slackwater.local import selected as in_process

    asked = [in_process.Selected(each.name, each.computed.sql(LOCAL_DIALECT), each.computed.path) for each in columns]
    return in_process.select(rows, asked)


def with_columns(rows: Any, columns: Sequence[Chosen]) -> Any:
    """Add columns; those of the frame stay as they are."""
    if not columns:
        return rows
    if is_spark(rows):
        from slackwater.spark import selected as on_spark

        return on_spark.with_columns(rows, [(each.name, each.computed.sql(DIALECT)) for each in columns])
    for name, values in zip((each.name for each in columns), select(rows, columns).columns, strict=True):
        rows = rows.append_column(name, values)
    return rows


def keep(rows: Any, condition: Computed) -> Any:
    """Return the rows for which a condition is true."""
    if is_spark(rows):
        from slackwater.spark import selected as on_spark

        return on_spark.keep(rows, condition.sql(DIALECT))
    from slackwater.local import selected as in_process

    return in_process.keep(rows, condition.sql(LOCAL_DIALECT))


def nothing_like(rows: Any, schema: pa.Schema) -> Any:
    """Return a frame of these columns without rows, on the engine of another."""
    if not is_spark(rows):
        return schema.empty_table()
    from slackwater.spark.selected import no_rows

    return no_rows(rows, schema)
