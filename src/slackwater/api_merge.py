"""`sw.merge` as users call it."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Literal

from slackwater.api import Stream, checked_streams, is_spark, schema_of
from slackwater.core.late import LatePolicy
from slackwater.output import Output
from slackwater.plan.nodes import MergeNode
from slackwater.plan.validate import check_contract
from slackwater.plan.validate_merge import Payload, check_merge, payload_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from slackwater.contracts import Contract


def merge(
    *streams: Stream,
    contract: Contract | None = None,
    late: LatePolicy | str = "side",
    release: Literal["arrival", "clock"] = "arrival",
    payload: Payload | None = None,
    by: str | Sequence[str] = (),
    buckets: int | None = None,
) -> Output:
    """Merge streams into one event-time order, waiting as long as the contract says. `sw.union` is the same.

    Rows leave by event time, then by stream (in the order in which streams are given), then by arrival. As long as
    nothing is late, the results are the same whichever stream came first. A row that comes behind what has left, in
    that order, goes to `late`: also with an equal event time, if a stream behind its own has left there (`late_by`
    is 0). A stream without rows holds all others back; `idle_after` of `sw.stream` says for how long, on Spark. How
    rows of different streams follow each other is said by their `arrival`; without it they interleave as in `sw.join`:
    bounded frames progress together, by the clock of each, and a micro-batch of Spark is one step of all streams.

    Args:
        streams: two or more, made by `sw.stream`, each with its own name.
        contract: how good the order must be: `sw.DropRatio(0.01)` lets at most 1 % of the rows of all streams come too
            late, in every minute; `sw.Deadline("6 seconds")` waits for slower streams only as long as every row can
            leave in time; or a fixed policy. Leaving it out is an error that shows examples.
        late: what happens to rows that come too late: "side" (the default: to the `late` output), "drop" or "raise".
        release: when reorder buffers look what may leave: "arrival" (SUN15) or "clock" (JI16).
        payload: what follows `event_time` and `stream` in the results: the "columns", which must be the same (names
            and types) in all streams, or "structs", one column for each stream, null in the rows of others. Left out,
            it is "columns" where they are the same. A column `event_time` that is the event time of all streams is
            not repeated.

        by: columns that all streams have, by whose hash rows go to buckets on Spark.
        buckets: how many (1 unless told); each is one task, and has clocks, slack, order and decisions of its own. So
            there is one order over the rows of a key, and none between buckets. In process there is one order over all
            rows.

    Under a deadline results have a column `ready`: false for a row that left because waiting any longer would have
    exceeded the limit, or when a stream became idle. As long as all are true, no stream is idle and no row is late, the
    same rows give the same results, however they interleave.

    >>> import pyarrow as pa
    >>> import slackwater as sw
    >>> bus = sw.stream(pa.table({"ts": [1, 4, 3], "at": ["a", "b", "c"]}), name="bus", event_time="ts", unit="s")
    >>> tram = sw.stream(pa.table({"ts": [2, 3, 5], "at": ["x", "y", "z"]}), name="tram", event_time="ts", unit="s")
    >>> merged = sw.merge(bus, tram, contract=sw.FixedSlack("1 second"))
    >>> [(row["stream"], row["ts"], row["at"]) for row in merged.results.to_pylist()]
    [('bus', 1, 'a'), ('tram', 2, 'x'), ('bus', 3, 'c'), ('tram', 3, 'y'), ('bus', 4, 'b'), ('tram', 5, 'z')]
    """
    nodes = checked_streams("merge", streams, least=2)
    frames = [each.frame for each in streams]
    schemas = [schema_of(frame) for frame in frames]
    node = MergeNode(
        streams=nodes,
        contract=check_contract("merge", contract),
        late=LatePolicy.of(late),
        release=release,
        payload=payload_of(nodes, schemas, payload),
        by=(by,) if isinstance(by, str) else tuple(by),
        buckets=1 if buckets is None else buckets,
    )
    check_merge(node, schemas)
    if is_spark(frames[0]):
        from slackwater.spark.merge_query import SparkMerge

        return SparkMerge.of(node, frames)
    from slackwater.local.merge import LocalMerge

    return LocalMerge.of(node, frames, time.time_ns() // 1_000)


union = merge
