"""Selected columns, checked against what the operator gives before anything runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from slackwater.sql.items import Chosen, check_names
from slackwater.sql.output import select

if TYPE_CHECKING:
    import pyarrow as pa

    from slackwater.sql.bound import Bound
    from slackwater.sql.tree import Item


def checked_columns(bound: Bound, found: Sequence[tuple[Item | None, Chosen]], schema: pa.Schema) -> tuple[Chosen, ...]:
    """Return the columns, if each has its own name and can be computed from such results.

    Raises:
        SqlError: at the column that cannot.
    """
    check_names(bound, found)
    nothing = _nothing(bound, schema)
    for item, each in found:
        with bound.places.at(bound.query.place if item is None else item.expression.place):
            if not each.computed.path:
                select(nothing, (each,))
    return tuple(each for _, each in found)


def _nothing(bound: Bound, schema: pa.Schema) -> Any:
    """Return a frame of the results' columns without rows, on the engine of the streams."""
    if not bound.on_spark:
        return schema.empty_table()
    from slackwater.spark.selected import no_rows

    return no_rows(bound.streams[0].frame, schema)
