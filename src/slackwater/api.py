"""The operators as users call them: they build a plan and hand it to the runner that fits the input."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from slackwater.core.late import LatePolicy
from slackwater.displayed import Displayed, table
from slackwater.errors import ParameterError
from slackwater.output import Output
from slackwater.plan.nodes import JoinNode, ReorderNode, StreamNode, Unit
from slackwater.plan.validate import (
    check_columns,
    check_contract,
    check_join,
    check_names,
    check_reorder,
    check_unmarked,
    check_windows,
)
from slackwater.time import Duration, DurationLike

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from slackwater.contracts import Contract
    from slackwater.disorder.result import DisorderProfile


_MOST_STREAMS = 100  # of one operator


@dataclass(frozen=True)
class Stream(Displayed):
    """A frame, and what its columns mean. Made by `sw.stream`."""

    frame: Any
    node: StreamNode

    def __repr__(self) -> str:
        rows = "a Spark DataFrame" if is_spark(self.frame) else f"{self.frame.num_rows:,} rows"
        return f"<Stream {self.node.name}: {rows} by {self.node.event_time}>"

    def _shown(self) -> Iterable[str]:
        schema = schema_of(self.frame)
        yield table(("column", "type"), [(field.name, field.type) for field in schema])


def stream(
    frame: Any,
    *,
    event_time: str,
    name: str = "stream",
    unit: Unit | None = None,
    arrival: str | None = None,
    arrival_time: str | None = None,
    max_ahead: DurationLike | None = "1 day",
    idle_after: DurationLike | None = None,
    marker: str | None = None,
    since: str | None = None,
) -> Stream:
    """Say what the columns of a frame mean.

    Args:
        frame: a Spark DataFrame, or a pyarrow Table, pandas or polars frame with rows in arrival order.
        event_time: the column that says when a row happened: a timestamp, or integers with `unit`.
        name: how the stream is called in outputs and errors.
        unit: of integer event times: "s", "ms", "us" or "ns".
        arrival: a column that orders rows by arrival (integer or timestamp). Equal values arrived together. Without
            it, rows of a bounded frame arrived one after the other, rows of a Spark micro-batch all together. Of
            several streams either all have one, in one numbering, or none: see `sw.join`.
        arrival_time: a column with the processing time of arrival; without it, it is now.
        max_ahead: a row that claims an event time further than this past its arrival goes to `late` with reason
            `future` and leaves the clock alone. None trusts every clock.
        idle_after: on Spark, a bucket without rows for this long (processing time) releases what it holds; with
            `reorder(by=)` so does each key, even while others speak. Without it, and in a run
            that ends with its input (trigger `availableNow`), they wait for a row or a drain.
        marker: for `sw.aggregate`, a text column that says which rows are no events. "punctuation" promises that no
            more events before its event time will come; "prod" asks for early results of the windows that end up to
            its event time (without one: of all that are open). Null, "" and "event" are events. In a prod, a null in
            a column that the aggregate is grouped by (of several, the last) means any value; a punctuation is of one
            group (of several, of the first), with all these columns set, or of all, with all of them null. One further
            than `max_ahead` past its arrival is ignored, and decisions have a row that says so.
        since: of a punctuation, a column with the time from which on it holds, in the type and unit of `event_time`;
            null is since ever. Windows within such a range close out of order.

    >>> import pyarrow as pa
    >>> table = pa.table({"ts": [1, 4, 3, 5], "line": ["a", "b", "c", "d"]})
    >>> bus = stream(table, name="bus", event_time="ts", unit="s")
    """
    if not name:
        raise ParameterError("name", name, must="not be empty", remedy='such as name="bus"')
    node = StreamNode(
        name=name,
        event_time=event_time,
        unit=_checked_unit(unit),
        arrival=arrival,
        arrival_time=arrival_time,
        max_ahead=None if max_ahead is None else Duration.of(max_ahead, parameter="max_ahead"),
        idle_after=None if idle_after is None else Duration.of(idle_after, parameter="idle_after"),
        marker=marker,
        since=since,
    )
    if not is_spark(frame):
        from slackwater.local.frames import to_arrow

        frame = to_arrow(frame, event_time=event_time)
    check_columns(node, _columns(frame))
    return Stream(frame, node)


def reorder(
    stream: Stream,
    *,
    contract: Contract | None = None,
    late: LatePolicy | str = "side",
    release: Literal["arrival", "clock"] = "arrival",
    by: str | Sequence[str] = (),
    buckets: int | None = None,
) -> Output:
    """Put a stream in event-time order, waiting as long as the contract says.

    Args:
        stream: made by `sw.stream`.
        contract: how good the order must be, such as `sw.DropRatio(0.01)`: at most 1 % of the rows come too late, in
            every minute; `sw.Deadline("6 seconds")`: no row waits longer than that leaves; both, with `&`; or a fixed
            policy. Leaving it out is an error that shows examples.
        late: what happens to rows that come too late: "side" (the default: to the `late` output), "drop", "adjust"
            (raise their event time) or "raise".
        release: "arrival" checks what may leave at every arrival (SUN15), "clock" when the clock grows (JI16).
        by: columns whose values are a key (null is one). Each key has its own clock and order: keys that are behind
            lose nothing to those ahead, and delays are measured within keys. Results are in event-time order per key;
            over keys, they come as they were released, those of one step by event time.
        buckets: on Spark, how many parts the keys of `by` are spread over (8 unless told); each chooses its own slack.
            In process there is one. With a fixed slack the results of a key do not depend on it.

    >>> import pyarrow as pa
    >>> import slackwater as sw
    >>> bus = sw.stream(pa.table({"ts": [1, 4, 3, 5]}), event_time="ts", unit="s")
    >>> sw.reorder(bus, contract=sw.FixedSlack("1 second")).results["ts"].to_pylist()
    [1, 3, 4, 5]

    One device is a hundred seconds behind the other:

    >>> rows = pa.table({"ts": [101, 1, 104, 4, 103, 3], "device": ["a", "b"] * 3})
    >>> each = sw.reorder(sw.stream(rows, event_time="ts", unit="s"), by="device", contract=sw.FixedSlack("1 second"))
    >>> each.results["ts"].to_pylist(), each.late.num_rows
    ([101, 1, 103, 3, 4, 104], 0)
    """
    keys = (by,) if isinstance(by, str) else tuple(by)
    node = ReorderNode(
        stream=checked_stream(stream),
        contract=check_contract("reorder", contract),
        late=LatePolicy.of(late),
        release=release,
        by=keys,
        buckets=buckets if buckets is not None else (8 if keys else 1),
    )
    check_reorder(node, _columns(stream.frame))
    if is_spark(stream.frame):
        from slackwater.spark.query import SparkReorder

        return SparkReorder.of(node, stream.frame)
    from slackwater.local.reorder import LocalReorder

    return LocalReorder.of(node, stream.frame, time.time_ns() // 1_000)


def join(
    *streams: Stream,
    within: DurationLike | Mapping[str, DurationLike] | None = None,
    on: str | Sequence[str] | Mapping[str, str | Sequence[str]] | None = None,
    where: str | Callable[..., Any] | None = None,
    contract: Contract | None = None,
    late: LatePolicy | str = "side",
    release: Literal["arrival", "clock"] = "arrival",
    closed: Literal["both", "right"] = "both",
    situation2: bool = False,
    synchronize: bool = True,
    buckets: int | None = None,
    scope: Literal["bucket", "global"] = "bucket",
) -> Output:
    """Join streams within sliding windows, waiting as long as the contract says.

    A result is a combination of one row of each stream; its time is the largest of theirs, and every other lies at
    most its stream's window before it. Results leave in order. A row that comes behind results that have left
    completes none, but may still be a member of later ones; it is in `late`.

    Which rows of different streams came before each other is said by `arrival` of `sw.stream`. Where no stream has it,
    bounded frames progress together: each row comes when the clocks of the others are where its own stream's is, so
    that no stream is ever ahead, and only what is out of order within its stream has to be waited for. If streams
    were apart, the slack of a real run is larger. On Spark, a micro-batch is one step of all streams.

    Args:
        streams: two or more, made by `sw.stream`, each with its own name.
        within: how far back partners may lie: one duration, or one by name of stream.
        on: columns that must be equal: one name or several that all streams have, a mapping from stream to its
            name(s), or a text such as "s1.a1 = s2.a1 and s1.a2 = s3.a2".
        where: what else must hold: SQL over the columns of all streams, `dist(x1, y1, x2, y2)` included, or a Python
            function that is called with one table of candidate rows for each stream and returns a boolean column.
            Of a function a checkpoint knows only the name: give it another when you change it.
        contract: how complete the results must be (`sw.Recall`), or what share of the rows of all streams may come too
            late (`sw.DropRatio`), or how long rows may take (`sw.Deadline`); one of the first two and a deadline, with
            `&`; or a fixed policy. Leaving it out is an error that shows examples.
        late: what happens to rows that come too late: "side" (the default: to the `late` output), "drop" or "raise".
        release: when reorder buffers look what may leave: "arrival" (SUN15) or "clock" (JI16).
        closed: "both" is JI16's window [T - W, T], "right" SUN15's (T - W, T].
        situation2: SUN15's situation 2: a late row completes results at exactly the join's time; for two streams.
        synchronize: whether streams wait for each other (JI16 Alg. 1); without it (SUN15's Baseline 3), rows come to
            the join as they leave their reorder buffers.
        buckets: on Spark, how many parts the work is spread over (1 unless told).
        scope: who keeps the contract where there are several buckets: each "bucket" by itself, or ("global") the
            driver over all of them together, with one slack that every bucket follows from the next micro-batch on.
            "global" is for thin buckets, with few results per period each; it needs `start`, and a controller whose
            statistics can be added up, such as the default of `Recall`. With the trigger `availableNow` buckets hear
            in the next run what the driver decides in this one.

    >>> import pyarrow as pa
    >>> import slackwater as sw
    >>> bus = sw.stream(pa.table({"ts": [1, 2, 6], "area": ["a", "b", "a"]}), name="bus", event_time="ts", unit="s")
    >>> scats = sw.stream(pa.table({"ts": [2, 5], "area": ["a", "a"]}), name="scats", event_time="ts", unit="s")
    >>> jams = sw.join(bus, scats, on="area", within="2 seconds", contract=sw.Recall(0.99))
    >>> [(row["bus"]["ts"], row["scats"]["ts"]) for row in jams.results.to_pylist()]
    [(1, 2), (6, 5)]
    """
    from slackwater.plan.condition import analyze_condition  # loads what reads SQL: not before it is needed

    nodes = checked_streams("join", streams, least=2)
    node = JoinNode(
        streams=nodes,
        windows=check_windows(nodes, within),
        condition=analyze_condition(on, where, [(each.node.name, schema_of(each.frame)) for each in streams]),
        contract=check_contract("join", contract),
        late=LatePolicy.of(late),
        release=release,
        closed=closed,
        situation2=situation2,
        synchronize=synchronize,
        buckets=buckets if buckets is not None else 1,
        scope=scope,
    )
    check_join(node)
    frames = [each.frame for each in streams]
    if is_spark(frames[0]):
        from slackwater.spark.query import SparkJoin

        return SparkJoin.of(node, frames)
    from slackwater.local.join import LocalJoin

    return LocalJoin.of(node, frames, time.time_ns() // 1_000)


def profile(
    frame: Any,
    *,
    event_time: str,
    unit: Unit | None = None,
    arrival: str | None = None,
    by: str | None = None,
    stream: str | None = None,
    max_ahead: DurationLike | None = "1 day",
    parse: bool = False,
) -> DisorderProfile:
    """Say how disordered a stream is: delays, drift, skew, the worst keys, gaps and suspicious clocks.

    The delay of a row is the largest event time that came before it, minus its own, and at least 0. Memory is bounded
    whatever the size of files; a Spark DataFrame is profiled by Spark.

    Args:
        frame: a pyarrow Table, pandas or polars frame, or the path of a file or folder (or several), with rows in
            arrival order; or a bounded Spark DataFrame, which needs `arrival`.
        event_time: the column that says when a row happened: a timestamp, or integers.
        unit: of integer event times: "s", "ms", "us" or "ns"; guessed from the first one where that is possible.
        arrival: a column that orders rows by arrival (integer or timestamp). Equal values arrived together.
        by: a column of keys: each is also profiled against its own clock; the worst come first.
        stream: a column that tells streams apart: the same for each, and how far its clock is behind that of all.
        max_ahead: rows that claim a time further than this past their arrival (where `arrival` has times, else now)
            are counted and left out of all else. None trusts every clock.
        parse: read event times from ISO 8601 text.

    >>> import pyarrow as pa
    >>> import slackwater as sw
    >>> found = sw.profile(pa.table({"ts": [1, 4, 3, 5]}), event_time="ts", unit="s")
    >>> found
    <DisorderProfile of frame: 4 rows, 25.0% out of order, at most 1 s>
    >>> found.delays.quantile(0.99), found.delays.share_late("500 ms")
    (1000000, 0.25)
    """
    from slackwater.disorder.columns import Question

    asked = Question.of(
        event_time=event_time, unit=unit, arrival=arrival, by=by, stream=stream, max_ahead=max_ahead, parse=parse
    )
    present = time.time_ns() // 1_000
    if is_spark(frame):
        from slackwater.spark.profile import profile_dataframe

        return profile_dataframe(asked, frame, present=present)
    if isinstance(frame, str | os.PathLike | list | tuple):
        from slackwater.disorder.files import Files, profile_files

        paths: Sequence[Any] = frame if isinstance(frame, list | tuple) else [frame]
        return profile_files(Files(paths, asked), present=present)
    from slackwater.disorder.run import profile_table
    from slackwater.local.frames import to_arrow

    return profile_table(asked, to_arrow(frame, event_time=event_time), present=present)


def session(**options: Any) -> Any:
    """Build a local SparkSession that has all that slackwater needs. See `slackwater.spark.session.session`."""
    from slackwater.spark.session import session as build

    return build(**options)


def checked_stream(stream: Stream, *, marks: bool = False) -> StreamNode:
    """Check that it is a stream, with a name that can be used; `marks` if the operator knows what to do with them."""
    if not isinstance(stream, Stream):
        remedy = 'wrap it: sw.stream(frame, event_time="ts")'
        if isinstance(getattr(stream, "node", None), ReorderNode):
            remedy = "give the stream itself: this operator needs no order"
        raise ParameterError("stream", type(stream).__name__, must="be made by sw.stream", remedy=remedy)
    check_names([stream.node])
    if not marks:
        check_unmarked([stream.node])
    return stream.node


def checked_streams(operator: str, streams: Sequence[Stream], *, least: int) -> tuple[StreamNode, ...]:
    """Check that there are enough streams, of one kind, each with its own name."""
    for each in streams:
        if not isinstance(each, Stream):
            remedy = 'wrap it: sw.stream(frame, name="bus", event_time="ts")'
            raise ParameterError("streams", type(each).__name__, must="be made by sw.stream", remedy=remedy)
    if len(streams) < least:
        raise ParameterError(
            "streams", len(streams), must=f"be {least} or more", remedy=f"sw.{operator}(bus, scats, ...)"
        )
    if len(streams) > _MOST_STREAMS:
        raise ParameterError(
            "streams", len(streams), must=f"be at most {_MOST_STREAMS}", remedy=f"{operator} them in parts"
        )
    if len({is_spark(each.frame) for each in streams}) > 1:
        raise ParameterError(
            "streams", "Spark and in-process frames", must="be of one kind", remedy="load all of them with Spark"
        )
    nodes = tuple(each.node for each in streams)
    check_names(nodes)
    check_unmarked(nodes)
    return nodes


def schema_of(frame: Any) -> Any:
    """Return the columns of a frame as an Arrow schema."""
    if not is_spark(frame):
        return frame.schema
    from slackwater.spark.session import arrow_schema

    return arrow_schema(frame)


def _checked_unit(unit: Unit | None) -> Unit | None:
    if unit not in (None, "s", "ms", "us", "ns"):
        raise ParameterError("unit", unit, must='be "s", "ms", "us" or "ns"', remedy="leave it out for timestamps")
    return unit


def is_spark(frame: Any) -> bool:
    """Whether a frame is Spark's, found out without importing Spark."""
    return type(frame).__module__.startswith("pyspark.sql")


def _columns(frame: Any) -> list[str]:
    return list(frame.columns) if is_spark(frame) else list(frame.column_names)
