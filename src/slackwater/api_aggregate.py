"""`sw.aggregate` as users call it."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from slackwater.api import Stream, checked_stream, is_spark, schema_of
from slackwater.api_prods import with_prods
from slackwater.early import Early
from slackwater.plan.nodes import AggregateNode, StreamsNode

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from slackwater.contracts import Contract
    from slackwater.core.late import LatePolicy
    from slackwater.plan.values import Value
    from slackwater.sideline import Sideline
    from slackwater.time import DurationLike


def aggregate(
    stream: Any,
    *,
    size: DurationLike | None = None,
    slide: DurationLike | None = None,
    values: Mapping[str, Value] | None = None,
    by: str | Sequence[str] | None = (),
    contract: Contract | None = None,
    late: LatePolicy | str = "side",
    buckets: int | None = None,
    early: Early | None = None,
    prods: Stream | None = None,
    empty: bool = False,
    sideline: Sideline | None = None,
) -> Any:
    """Aggregate a stream over sliding windows, waiting as long as the contract says.

    A window `[start, end)` is emitted, once and for all, when the clock is the slack past its end; until then rows are
    added up as they come. A row counts in those of its windows that are still open; it goes to `late` if none is.
    Windows without rows have no results, unless `empty` asks for them.

    Args:
        stream: made by `sw.stream`; or another aggregate, whose results are then aggregated: each happened at the last
            microsecond of its window. `contract`, `late` and `buckets` are those of the first aggregate. On Spark all
            of them run in one query, in the buckets of the last one's groups: without any there is one. Or a join or a
            merge: its results are in event-time order, so that the slack is that of its own contract alone. Columns are
            then named as in its results, `"bus.line"`, and the group is called `line`; on Spark its buckets must keep
            groups together, as those of a join do if a group has the join's key.
        size: how long windows are.
        slide: how far apart they are, at most the size; every multiple of it ends one. Left out, windows follow each
            other without overlap.
        values: what to compute, by the name of its column in the results: `sw.count()`, `sw.sum("x")`, `sw.mean`,
            `sw.min`, `sw.max`, `sw.variance`, `sw.quantile("x", 0.95)`, `sw.distinct("x")`, or a function of yours as
            `sw.Value`.
        by: columns; rows of equal values are aggregated together. Null is a value of its own.
        contract: how long to wait: `sw.RelativeError`, `sw.DropRatio`, `sw.Punctuated`, `sw.FixedSlack`,
            `sw.MaxSlack` or `sw.NoSlack`.
        late: as in `sw.reorder`, but for "adjust".
        buckets: on Spark, how many parts the groups are spread over (1 unless told); each has its own clock.
        early: when windows are shown before they are final, such as `sw.Early(aggressiveness=0.25)`. Results then have
            two more columns: `kind` ("early" or "final") and `revision` (0, 1, ... for each window and group). Unless
            `estimate="raw"`, early values are what is expected in the end: every number `x` is followed by `x_low` and
            `x_high`, an interval (null until enough windows were final), and `coverage` is which share of the rows is
            believed to have come. Final results are sure: both bounds are the value, and all is covered. A plan of
            several operators shows what has come, without estimates.
        prods: a stream that asks for early results: its event times say of windows up to when, its columns of which
            groups (null: of all). Rows of the late output then have one more column, `marker`. `sw.stream(marker=)`
            says how prods and punctuations come with the rows themselves.
        empty: whether windows without rows have results too, with a count of 0 and values that are null. Without `by`
            these are all windows from the first one with rows on, so that a long silence gives many. With `by` a group
            is reported for one more `size` after its last window with rows: groups that have gone are forgotten.

        sideline: sets rows of a burst aside, such as `sw.Sideline(over=10_000)`, so that the windows after it are on
            time; for what comes bit by bit. A window that closes while rows of it wait is shown as "early" then, and is
            "final" once they are in: finals may leave in any order, and are those that would leave without it.

    >>> import pyarrow as pa, slackwater as sw
    >>> rows = pa.table({"ts": [1, 12, 4, 25, 3], "line": ["a", "a", "b", "a", "b"], "delay": [30, 60, 10, 20, 90]})
    >>> bus = sw.stream(rows, name="bus", event_time="ts", unit="s")
    >>> worst = sw.aggregate(bus, by="line", size="10 seconds", values={"worst": sw.max("delay"), "n": sw.count()},
    ...                      contract=sw.FixedSlack("5 seconds"))
    >>> [(row["window"]["end"].second, row["line"], row["worst"], row["n"]) for row in worst.results.to_pylist()]
    [(10, 'a', 30, 1), (10, 'b', 10, 1), (20, 'a', 60, 1), (30, 'a', 20, 1)]
    >>> worst.late.select(["ts", "late_by", "reason"]).to_pylist()
    [{'ts': 3, 'late_by': 10000000, 'reason': 'late'}]

    Each window is also shown when the clock is a quarter of the slide before its end:

    >>> shown = sw.aggregate(bus, size="10 seconds", values={"n": sw.count()}, contract=sw.FixedSlack("5 seconds"),
    ...                      early=sw.Early(aggressiveness=0.25, estimate="raw"))
    >>> [(row["window"]["end"].second, row["n"], row["kind"], row["revision"]) for row in shown.results.to_pylist()]
    [(10, 1, 'early', 0), (10, 2, 'final', 1), (20, 1, 'final', 0), (30, 1, 'final', 0)]

    With a row each second, six of ten have come half way; what is shown is what is expected in the end:

    >>> rows = pa.table({"ts": range(600)})
    >>> steady = sw.aggregate(sw.stream(rows, event_time="ts", unit="s"), size="10 seconds", values={"n": sw.count()},
    ...                       contract=sw.NoSlack(), early=sw.Early(aggressiveness=0.5))
    >>> for row in steady.results.to_pylist()[-4:-2]:
    ...     print(row["kind"], row["n"], round(row["n_low"], 1), row["n_high"], round(row["coverage"], 1))
    early 10 8.5 10.0 0.6
    final 10 10.0 10.0 1.0

    What a join finds, counted by line:

    >>> stops = pa.table({"ts": [2, 13, 5, 26], "line": ["a", "a", "b", "a"]})
    >>> stops = sw.stream(stops, name="stops", event_time="ts", unit="s")
    >>> met = sw.join(bus, stops, on="line", within="2 seconds", contract=sw.FixedSlack("5 seconds"))
    >>> counts = sw.aggregate(met, by="bus.line", size="20 seconds", values={"worst": sw.max("bus.delay")})
    >>> [(row["window"]["end"].second, row["line"], row["worst"]) for row in counts.results.to_pylist()]
    [(20, 'a', 60), (20, 'b', 90), (40, 'a', 20)]
    """
    from slackwater.plan.validate_aggregate import aggregate_node

    by = () if by is None else by
    asked: dict[str, Any] = {"size": size, "slide": slide, "values": values, "by": by, "contract": contract}
    asked |= {"late": late, "buckets": buckets, "empty": empty, "sideline": sideline}
    last = getattr(stream, "then", getattr(stream, "node", None))
    if isinstance(last, AggregateNode):
        return _of_aggregate(stream, last, **asked, early=early, prods=prods)
    if isinstance(last, StreamsNode):
        return _of_streams(stream, **asked, early=early, prods=prods)
    if prods is not None:
        checked_stream(stream, marks=True)
        stream = with_prods(stream, prods, (by,) if isinstance(by, str) else tuple(by))
        early = Early() if early is None else early
    node = aggregate_node(checked_stream(stream, marks=True), schema_of(stream.frame), **asked, early=early)
    if is_spark(stream.frame):
        from slackwater.spark.query import SparkAggregate

        return SparkAggregate.of(node, stream.frame)
    from slackwater.local.aggregate import LocalAggregate

    return LocalAggregate.of(node, stream.frame, time.time_ns() // 1_000)


def _of_aggregate(below: Any, node: AggregateNode, **asked: Any) -> Any:
    """Aggregate the results of an aggregate: one more level of the same plan."""
    from slackwater.pipeline.aggregate_columns import result_schema
    from slackwater.plan.validate_aggregate import nested_node

    return below.with_aggregate(nested_node(node, result_schema(node, below.schema), **asked))


def _of_streams(first: Any, **asked: Any) -> Any:
    """Aggregate the results of a join or a merge: on Spark, in the same query."""
    from slackwater.plan.validate_chain import chained_node

    return first.followed_by(*chained_node(first.node, first.results_schema, **asked))
