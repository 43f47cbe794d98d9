"""From a query and its streams to the operator that answers it, or to several, one after the other."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Literal

from slackwater.sql.bound import Added, Bound, bound, with_added
from slackwater.sql.chained import bind_chain, refuse_of_rows
from slackwater.sql.joined import bind_join
from slackwater.sql.ordered import bind_merge, bind_reorder
from slackwater.sql.output import SqlOutput
from slackwater.sql.places import Places
from slackwater.sql.rolling import bind_rolling
from slackwater.sql.windowed import bind_aggregate

if TYPE_CHECKING:
    from slackwater.api import Stream
    from slackwater.contracts import Contract
    from slackwater.sql.tree import Query

Operator = Literal["join", "merge", "reorder", "aggregate", "rolling", "chain"]
OPERATORS: Mapping[Operator, Callable[[Bound], SqlOutput]] = {
    "join": bind_join,
    "merge": bind_merge,
    "reorder": bind_reorder,
    "aggregate": bind_aggregate,
    "rolling": bind_rolling,
}
# Which clauses an operator has; the others have them nowhere to go.
_CLAUSES: Mapping[str, tuple[Operator, ...]] = {
    "group_by": ("aggregate", "rolling", "chain"),
    "partition_by": ("reorder", "merge", "chain"),
    "early": ("aggregate", "rolling", "chain"),
    "empty": ("aggregate", "rolling", "chain"),
    "pooled": ("join", "chain"),
}
_OF_RESULTS = "aggregates of what it gives need windows: write WINDOW [RANGE 1 MINUTE, SLIDE 10 SECONDS]"


def bind(
    query: Query, text: str, streams: Mapping[str, Stream], contract: Contract | None = None, added: Added | None = None
) -> SqlOutput:
    """Build the plan of a query; `added` are columns that its streams get first, by their names in it.

    Raises:
        SqlError: it cannot be built; the place is that of the clause which cannot.
    """
    operator = operator_of(query)
    refuse_of_rows(query, Places(text))
    found = bound(query.first, text, streams, contract)
    whole = replace(found, query=query)
    _check_clauses(whole, operator)
    if query.below is not None:
        return bind_chain(whole, partial(bind, query.below, text, streams, contract))
    return OPERATORS[operator](with_added(found, added or {}))


def _check_clauses(found: Bound, operator: Operator) -> None:
    """Refuse clauses that the operator has no use for."""
    query = found.query
    for clause, operators in _CLAUSES.items():
        if getattr(query, clause) and operator not in operators:
            known = ", ".join(each for each in operators if each != "chain")
            remedy = f"it is for: {known}; windows are written [RANGE 30 SECONDS, SLIDE 10 SECONDS]"
            remedy = _OF_RESULTS if operator in ("join", "merge") and "aggregate" in operators else remedy
            word = clause.upper().replace("_", " ")
            place = query.place_of("buckets" if clause == "pooled" else clause)
            found.places.fail(place, f"{word} says nothing about a query that is a {operator}", remedy)


def operator_of(query: Query) -> Operator:
    """Return which operator answers a query, the last where there are several: the form of its FROM says so."""
    if query.below is not None:
        return "chain"
    if query.merged:
        return "merge"
    if len(query.streams) > 1:
        return "join"
    window = query.streams[0].window
    if window is None:
        return "reorder"
    return "rolling" if window.slide is None else "aggregate"
