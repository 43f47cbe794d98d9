"""`sw.aggregate` as users call it."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from slackwater.api import Stream, checked_stream, is_spark, schema_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from slackwater.contracts import Contract
    from slackwater.core.late import LatePolicy
    from slackwater.plan.values import Value
    from slackwater.time import DurationLike


def aggregate(
    stream: Stream,
    *,
    size: DurationLike | None = None,
    slide: DurationLike | None = None,
    values: Mapping[str, Value] | None = None,
    by: str | Sequence[str] = (),
    contract: Contract | None = None,
    late: LatePolicy | str = "side",
    buckets: int | None = None,
) -> Any:
    """Aggregate a stream over sliding windows, waiting as long as the contract says.

    A window `[start, end)` is emitted, once and for all, when the clock is the slack past its end; until then rows are
    added up as they come. A row counts in those of its windows that are still open; it goes to `late` if none is.
    Windows without rows have no results.

    Args:
        stream: made by `sw.stream`.
        size: how long windows are.
        slide: how far apart they are, at most the size; every multiple of it ends one. Left out, windows follow each
            other without overlap.
        values: what to compute, by the name of its column in the results: `sw.count()`, `sw.sum("x")`, `sw.mean`,
            `sw.min`, `sw.max`, `sw.variance`, or a function of yours as `sw.Value`.
        by: columns; rows of equal values are aggregated together. Null is a value of its own.
        contract: how long to wait: `sw.RelativeError`, `sw.DropRatio`, `sw.FixedSlack`, `sw.MaxSlack` or `sw.NoSlack`.
        late: as in `sw.reorder`, but for "adjust".
        buckets: on Spark, how many parts the groups are spread over; each has its own clock.

    >>> import pyarrow as pa, slackwater as sw
    >>> rows = pa.table({"ts": [1, 12, 4, 25, 3], "line": ["a", "a", "b", "a", "b"], "delay": [30, 60, 10, 20, 90]})
    >>> bus = sw.stream(rows, name="bus", event_time="ts", unit="s")
    >>> worst = sw.aggregate(bus, by="line", size="10 seconds", values={"worst": sw.max("delay"), "n": sw.count()},
    ...                      contract=sw.FixedSlack("5 seconds"))
    >>> [(row["window"]["end"].second, row["line"], row["worst"], row["n"]) for row in worst.results.to_pylist()]
    [(10, 'a', 30, 1), (10, 'b', 10, 1), (20, 'a', 60, 1), (30, 'a', 20, 1)]
    >>> worst.late.select(["ts", "late_by", "reason"]).to_pylist()
    [{'ts': 3, 'late_by': 10000000, 'reason': 'late'}]
    """
    from slackwater.plan.validate_aggregate import aggregate_node

    asked: dict[str, Any] = {"size": size, "slide": slide, "values": values, "by": by, "contract": contract}
    node = aggregate_node(checked_stream(stream), schema_of(stream.frame), **asked, late=late, buckets=buckets)
    if is_spark(stream.frame):
        from slackwater.spark.query import SparkAggregate

        return SparkAggregate.of(node, stream.frame)
    from slackwater.local.aggregate import LocalAggregate

    return LocalAggregate.of(node, stream.frame, time.time_ns() // 1_000)
