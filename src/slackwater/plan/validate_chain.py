"""Checks of an aggregate over the results of a join or a merge."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from slackwater.contracts import NoSlack
from slackwater.early import Early
from slackwater.errors import ColumnError, ParameterError
from slackwater.plan.feed import EVENT_TIME, Feed, columns_within
from slackwater.plan.nodes import AggregateNode, JoinNode, MergeNode, StreamNode
from slackwater.plan.validate_aggregate import check_early, check_empty, check_sizes, check_values, check_window_columns

if TYPE_CHECKING:
    from slackwater.plan.nodes import StreamsNode


def chained_node(
    first: StreamsNode,
    results: pa.Schema,
    *,
    size: Any,
    slide: Any,
    values: Any,
    by: str | Sequence[str],
    early: Any = None,
    empty: bool = False,
    **others: Any,
) -> tuple[AggregateNode, Feed]:
    """Build the node of an aggregate over `results` of another operator, and say which of their columns it needs.

    Results come in event-time order, so that there is nothing to wait for: the slack is that of the first operator.
    """
    _check_left_out(first, others)
    length, step = check_sizes(size, slide)
    computed = check_values(values)
    keys = (by,) if isinstance(by, str) else tuple(by)
    needed = [value.column for _, value in computed if value.column is not None]
    feed = _feed(first, results, keys, needed)
    node = AggregateNode(
        stream=StreamNode(name=first.operator, event_time=EVENT_TIME),
        size=length,
        slide=step,
        values=computed,
        by=tuple(map(short_name, keys)),
        contract=NoSlack(adaptation_interval=first.contract.interval),
        buckets=first.buckets,
        early=_raw(first, check_early(early)),
        empty=check_empty(empty),
    )
    check_window_columns(node, feed.schema(results))
    return node, feed


def check_spread(first: StreamsNode, node: AggregateNode, feed: Feed) -> None:
    """Check that every group of an aggregate is in one bucket of the operator whose results it takes."""
    if first.buckets == 1:
        return
    keys = _spread_by(first)
    groups = {feed.column_of(name) for name in node.by}
    if isinstance(first, MergeNode) and keys and set(keys) <= groups:
        return
    if isinstance(first, JoinNode) and groups & set(keys):
        return
    wanted = f"by={keys[0]!r}" if keys else "a key in the condition, and by= that key"
    raise ParameterError(
        "buckets",
        first.buckets,
        must=f"be 1 where the {first.operator}'s buckets do not keep groups ({', '.join(node.by) or 'none'}) together",
        remedy=f"group by what they are made of ({wanted}), or say buckets=1 in sw.{first.operator}",
    )


def _spread_by(first: StreamsNode) -> tuple[str, ...]:
    """Return what the buckets of an operator are made of, as columns of its results."""
    if isinstance(first, MergeNode):
        return first.by if first.payload == "columns" else ()
    assert isinstance(first, JoinNode)
    key = first.condition.widest_class
    return () if key is None else tuple(f"{first.streams[each.stream].name}.{each.column}" for each in key.columns)


def _feed(first: StreamsNode, results: pa.Schema, by: Sequence[str], values: Sequence[str]) -> Feed:
    known, names = columns_within(results), {EVENT_TIME: EVENT_TIME}
    for column, name in [*((key, short_name(key)) for key in by), *((column, column) for column in values)]:
        if column not in known:
            remedy = f"the results have: {', '.join(known)}"
            raise ColumnError(first.operator, column, problem="does not exist", remedy=remedy)
        if names.setdefault(name, column) != column:
            raise ParameterError(
                "by",
                column,
                must=f"not be called as {names[name]} is, {name}",
                remedy="a group is called by its last name: rename one of the columns before",
            )
    return Feed(tuple(names.items()))


def short_name(column: str) -> str:
    """Return what a group is called in the results.

    >>> short_name("bus.line"), short_name("line")
    ('line', 'line')
    """
    return column.rpartition(".")[2]


def _raw(first: StreamsNode, early: Early | None) -> Early | None:
    """Return early results that are what has come: nothing is estimated of plans of several operators."""
    if early is not None and early.accuracy is not None:
        raise ParameterError(
            "accuracy",
            early.accuracy,
            must=f"be left out where the results of a {first.operator} are aggregated",
            remedy="say aggressiveness=0.25; a plan of several operators shows what has come",
        )
    if early is None:
        return None
    return Early(aggressiveness=early.aggressiveness, every=early.every, at=early.at, estimate="raw")


def _check_left_out(first: StreamsNode, others: Mapping[str, Any]) -> None:
    for name, value in others.items():
        if value is not None and (name, value) != ("late", "side"):
            raise ParameterError(
                name,
                value,
                must=f"be left out where the results of a {first.operator} are aggregated",
                remedy=f"say {name}= in sw.{first.operator}: it decides for the plan"
                if name in ("contract", "late", "buckets")
                else "its results are in order, and come in no bursts of their own",
            )
