"""Windows over what another query gives: an aggregate of a join, of a merge or of an aggregate, in one plan.

`FROM bus [5 s], scats [5 s] WINDOW [RANGE 1 min, SLIDE 10 s]` is a query of its own, `SELECT *`, and windows over it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from slackwater.api_aggregate import aggregate
from slackwater.pipeline.aggregate_columns import result_schema
from slackwater.plan.validate_chain import short_name
from slackwater.sql.chain_calls import ChainCalls
from slackwater.sql.contracts import early_of
from slackwater.sql.frames import select
from slackwater.sql.output import SqlOutput
from slackwater.sql.windowed import WINDOW, Asked, columns_of, groups_of, items_of

if TYPE_CHECKING:
    from slackwater.sql.bound import Bound
    from slackwater.sql.calls import Calls
    from slackwater.sql.items import Chosen
    from slackwater.sql.places import Places
    from slackwater.sql.tree import Item, Query, Window

# What is said in the query that rows come to, and how it is called.
_OF_ROWS = {
    "promises": "a contract",
    "where": "WHERE",
    "late": "LATE",
    "buckets": "BUCKETS",
    "partition_by": "PARTITION BY",
}


def bind_chain(bound: Bound, below: Callable[..., SqlOutput]) -> SqlOutput:
    """Build `sw.aggregate` over the plan of another query; `below` builds that one, with columns added to streams."""
    window = _window(bound)
    output = _checked(bound, below())
    calls = ChainCalls.of(bound, output)
    named = calls.told_apart(groups_of(bound, calls.find))
    shorten = short_name if _is_of_streams(output.plan) else str
    groups = {column: shorten(name) for column, name in named.items()}
    called = {groups[column]: calls.own[name] for column, name in named.items()}
    items = [(item, _called(item, each, called)) for item, each in items_of(bound, calls, WINDOW, groups)]
    first = below(added=calls.added).plan if calls.added else output.plan
    plan = _with_windows(bound, first, window, calls, tuple(named.values()))
    schema = result_schema(getattr(plan, "then", None) or plan.node, plan.schema)
    asked = Asked(bound.streams[0], tuple(groups.values()), calls, tuple(items), called)
    columns = columns_of(bound, asked, schema)
    return SqlOutput(bound.query, plan, (partial(select, columns=columns),), columns)


def _called(item: Item, chosen: Chosen, called: Mapping[str, str]) -> Chosen:
    """Return a group under the name that the other query gives it, unless this one gives another."""
    path = chosen.computed.path
    if item.alias is not None or len(path) != 1:
        return chosen
    return replace(chosen, name=called.get(path[0], chosen.name))


def _with_windows(bound: Bound, first: Any, window: Window, calls: Calls, by: Sequence[str]) -> Any:
    with bound.building():
        return aggregate(
            first,
            size=bound.duration(window.size),
            slide=None if window.slide is None else bound.duration(window.slide),
            values=calls.values,
            by=by,
            early=early_of(bound.query.early, bound.places),
            empty=bound.query.empty,
        )


def _window(bound: Bound) -> Window:
    """Return the window over what the other query gives.

    Raises:
        SqlError: there is none, or it does not slide.
    """
    query, ref = bound.query, bound.query.streams[0]
    is_nested = ref.query is not None
    window, place = (ref.window, ref.place) if is_nested else (query.window, query.place_of("window"))
    if window is None or window.slide is None or window.closed == "right":
        head = "after the query: (SELECT ...)" if is_nested else "WINDOW"
        remedy = f"write {head} [RANGE 1 MINUTE, SLIDE 10 SECONDS]"
        bound.places.fail(place, "what a query gives is aggregated in windows with a RANGE and a SLIDE", remedy)
    return window


def refuse_of_rows(query: Query, places: Places) -> None:
    """Refuse what is about rows that come in, or about results one by one, outside of the query in brackets.

    Raises:
        SqlError: it says so, or there is more than this query in FROM.
    """
    ref = query.streams[0]
    if ref.query is None:
        return
    if query.merged or len(query.streams) > 1:
        places.fail(query.streams[-1].place, "queries are not joined or merged", "write one INTO a sink, and read that")
    if ref.drop_ratio is not None:
        places.fail(ref.place, "DRATIO is a matter of the query in brackets", "write it in a window there")
    for clause, words in _OF_ROWS.items():
        if getattr(query, clause):
            remedy = "write it before the ), where rows come in"
            places.fail(query.place_of(clause), f"{words} is a matter of the query in brackets", remedy)


def _checked(bound: Bound, output: SqlOutput) -> SqlOutput:
    """Return the other query, if what it gives can be aggregated."""
    if not hasattr(output.plan, "with_aggregate") and not _is_of_streams(output.plan):
        remedy = "write the window after the stream: FROM bus [RANGE 1 MINUTE, SLIDE 10 SECONDS]"
        bound.places.fail(bound.query.place_of("from"), "a stream in order is not aggregated as a query", remedy)
    if output.query.merged and output.query.where is not None:
        remedy = "count them apart by GROUP BY, or write the merge INTO a sink, and aggregate that"
        bound.places.fail(output.query.place_of("where"), "of a merge all rows are aggregated", remedy)
    return output


def _is_of_streams(plan: Any) -> bool:
    """Whether it is a join or a merge, whose results have columns of streams."""
    return hasattr(plan, "followed_by") and not hasattr(plan, "then")
