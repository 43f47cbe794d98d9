"""Selected columns and filters, checked against what they are computed from before anything runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from slackwater.sql.computed import Computed, prepared, with_paths
from slackwater.sql.frames import keep, nothing_like, select
from slackwater.sql.functions import check_local
from slackwater.sql.items import Chosen, Find, check_names, refuse_aggregates

if TYPE_CHECKING:
    import pyarrow as pa

    from slackwater.sql.bound import Bound
    from slackwater.sql.tree import Item


def checked_columns(bound: Bound, found: Sequence[tuple[Item | None, Chosen]], schema: pa.Schema) -> tuple[Chosen, ...]:
    """Return the columns, if each has its own name and can be computed from such rows.

    Raises:
        SqlError: at the column that cannot.
    """
    check_names(bound, found)
    nothing = nothing_like(bound.streams[0].frame, schema)
    for item, each in found:
        with bound.places.at(bound.query.place if item is None else item.expression.place):
            select(nothing, (each,))
    return tuple(each for _, each in found)


def checked_filter(bound: Bound, find: Find, schema: Any) -> Computed | None:
    """Return the condition of a query over rows of one kind, if it can be computed from them.

    Raises:
        SqlError: at what cannot.
    """
    where = bound.query.where
    if where is None:
        return None
    refuse_aggregates(bound, where, "WHERE chooses rows one by one")
    tree = prepared(where, bound.text)
    if not bound.on_spark:
        check_local(where, bound.text, where="is not used in process")
    with bound.places.at(where.place):
        condition = with_paths(tree, bound.places.finding(where.place, find))
        keep(nothing_like(bound.streams[0].frame, schema), condition)
    return condition
