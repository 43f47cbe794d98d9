"""`sw.top`: of each window, the groups with the largest values."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from slackwater.errors import ParameterError
from slackwater.plan.nodes import AggregateNode
from slackwater.plan.validate_top import check_top


def top(plan: Any, count: int, *, of: str) -> Any:
    """Keep of each window of an aggregate only the groups with the largest values.

    It is a part of the same plan, on Spark of the same query. Groups whose value is null are left out; of equal values
    all are kept, so that there can be more than `count`.

    Args:
        plan: an aggregate, also one of a join, a merge or another aggregate. It shows no early results, and all its
            groups are in one bucket.
        count: how many groups to keep.
        of: the value by which they are compared.

    >>> import pyarrow as pa, slackwater as sw
    >>> rows = pa.table({"ts": [1, 2, 3, 4, 5, 12], "line": ["a", "b", "c", "b", "c", "a"]})
    >>> counts = sw.aggregate(sw.stream(rows, event_time="ts", unit="s"), by="line", size="10 seconds",
    ...                       values={"n": sw.count()}, contract=sw.NoSlack())
    >>> [(row["window"]["end"].second, row["line"], row["n"]) for row in sw.top(counts, 1, of="n").results.to_pylist()]
    [(10, 'b', 2), (10, 'c', 2), (20, 'a', 1)]
    """
    node = getattr(plan, "then", getattr(plan, "node", None))
    if not isinstance(node, AggregateNode):
        remedy = "aggregate first: sw.top(sw.aggregate(...), 3, of=...)"
        raise ParameterError("plan", type(plan).__name__, must="be an aggregate", remedy=remedy)
    check_top(node, count, of)
    return plan.with_aggregate(replace(node, top=(count, of)))
