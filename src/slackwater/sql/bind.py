"""From a query and its streams to the operator that answers it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Literal

from slackwater.sql.bound import bound
from slackwater.sql.joined import bind_join
from slackwater.sql.ordered import bind_merge, bind_reorder
from slackwater.sql.output import SqlOutput
from slackwater.sql.rolling import bind_rolling
from slackwater.sql.windowed import bind_aggregate

if TYPE_CHECKING:
    from slackwater.api import Stream
    from slackwater.contracts import Contract
    from slackwater.sql.bound import Bound
    from slackwater.sql.tree import Query

Operator = Literal["join", "merge", "reorder", "aggregate", "rolling"]
OPERATORS: Mapping[Operator, Callable[[Bound], SqlOutput]] = {
    "join": bind_join,
    "merge": bind_merge,
    "reorder": bind_reorder,
    "aggregate": bind_aggregate,
    "rolling": bind_rolling,
}
# Which clauses an operator has; the others have them nowhere to go.
_CLAUSES: Mapping[str, tuple[Operator, ...]] = {
    "group_by": ("aggregate", "rolling"),
    "partition_by": ("reorder", "merge"),
    "early": ("aggregate", "rolling"),
    "empty": ("aggregate", "rolling"),
    "pooled": ("join",),
}


def bind(query: Query, text: str, streams: Mapping[str, Stream], contract: Contract | None = None) -> SqlOutput:
    """Build the plan of a query.

    Raises:
        SqlError: it cannot be built; the place is that of the clause which cannot.
    """
    found = bound(query, text, streams, contract)
    operator = operator_of(query)
    for clause, operators in _CLAUSES.items():
        if getattr(query, clause) and operator not in operators:
            remedy = f"it is for: {', '.join(operators)}; windows are written [RANGE 30 SECONDS, SLIDE 10 SECONDS]"
            word = clause.upper().replace("_", " ")
            place = query.place_of("buckets" if clause == "pooled" else clause)
            found.places.fail(place, f"{word} says nothing about a query that is a {operator}", remedy)
    return OPERATORS[operator](found)


def operator_of(query: Query) -> Operator:
    """Return which operator answers a query: the form of its FROM says so."""
    if query.merged:
        return "merge"
    if len(query.streams) > 1:
        return "join"
    window = query.streams[0].window
    if window is None:
        return "reorder"
    return "rolling" if window.slide is None else "aggregate"
