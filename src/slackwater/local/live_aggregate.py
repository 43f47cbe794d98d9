"""An aggregate that is fed bit by bit, in process: rows, prods and punctuations as they come."""

from __future__ import annotations

import datetime as dt
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from slackwater.events import PUNCTUATION, Events
from slackwater.local.frames import to_arrow
from slackwater.pipeline.aggregate import AggregateOutcome, AggregatePipeline
from slackwater.pipeline.aggregate_columns import read_inputs, results_table
from slackwater.pipeline.aggregate_decisions import aggregate_decisions
from slackwater.pipeline.columns import late_table, read_batch
from slackwater.pipeline.groups import GrowingGroups
from slackwater.pipeline.guard import Incoming
from slackwater.pipeline.prod import Prod, check_prod, check_punctuation, control_marks, value_of
from slackwater.pipeline.read_marks import KnownGroups, read_marks
from slackwater.time import Duration, microseconds_of

if TYPE_CHECKING:
    from slackwater.measurement import Counts
    from slackwater.plan.nodes import AggregateNode


@dataclass(frozen=True)
class Left:
    """What left the operator after one call."""

    results: pa.Table
    late: pa.Table
    decisions: pa.Table


class LiveAggregate:
    """The same plan as over a table, one call at a time; made by `sw.aggregate(...).live()`.

    Remembers open windows, and every group that it has seen.

    >>> import slackwater as sw
    >>> none = pa.table({"ts": pa.array([], pa.int64()), "x": pa.array([], pa.int64())})
    >>> plan = sw.aggregate(sw.stream(none, event_time="ts", unit="s"), size="50 seconds",
    ...                     values={"total": sw.sum("x")}, contract=sw.FixedSlack("1 hour"),
    ...                     early=sw.Early(estimate="raw"))
    >>> live = plan.live()
    >>> live.feed(pa.table({"ts": [11, 23, 32, 45], "x": [40, 20, 30, 20]})).results.num_rows
    0
    >>> live.prod().results.select(["total", "kind", "revision"]).to_pylist()
    [{'total': 110, 'kind': 'early', 'revision': 0}]
    >>> live.feed(pa.table({"ts": [49], "x": [25]})).results.num_rows
    0
    >>> live.end().results.select(["total", "kind", "revision"]).to_pylist()
    [{'total': 135, 'kind': 'final', 'revision': 1}]
    """

    def __init__(self, node: AggregateNode, schema: pa.Schema) -> None:
        self._node, self._schema = node, schema
        self._pipeline = AggregatePipeline(node)
        self._groups = GrowingGroups.none(schema.empty_table().select(list(node.by)))

    def feed(self, frame: Any) -> Left:
        """Take in rows in arrival order, marked ones included; without rows it is a pause, for what was set aside."""
        return self._step(to_arrow(frame).select(self._schema.names).cast(self._schema), ())

    def prod(self, *, until: dt.datetime | int | None = None, where: Mapping[str, Any] | None = None) -> Left:
        """Show open windows that end up to a time (a datetime, or us; left out: all), of groups with these values."""
        prod = Prod(None if until is None else microseconds_of(until), where or {})
        check_prod(self._node.by, prod)
        return self._step(self._schema.empty_table(), (prod,))

    def punctuate(
        self,
        until: dt.datetime | int,
        *,
        since: dt.datetime | int | None = None,
        where: Mapping[str, Any] | None = None,
    ) -> Left:
        """Promise that no more events will come before a time, of a group; close what that ends.

        `where` names all columns that make a group, or none; a range (`since`) is for all groups.
        """
        promise = Prod(microseconds_of(until), where or {})
        check_punctuation(self._node.by, promise)
        if promise.where:  # a group that comes later must be known by then
            self._know(promise)
        begins = None if since is None else microseconds_of(since)
        return self._step(self._schema.empty_table(), (promise,), kind=PUNCTUATION, since=begins)

    @property
    def counts(self) -> Counts:
        """Where the rows are, from the start: arrived = released + late + buffered (set aside)."""
        return self._pipeline.counts

    def end(self) -> Left:
        """Work off what was set aside, and close every window that has events."""
        return self._left(self._schema.empty_table(), self._pipeline.on_end(), 0)

    def _step(self, table: pa.Table, asked: tuple[Prod, ...], **mark: Any) -> Left:
        started = time.perf_counter_ns()
        code = self._groups.codes(table)
        groups = KnownGroups(code, self._groups.keys)
        incoming = Incoming(Events.none())
        if table.num_rows:
            incoming = read_batch(self._node.stream, table, processing_time=time.time_ns() // 1_000)
        incoming, marks = read_marks(self._node, table, incoming, groups)
        marks += control_marks(self._node, self._schema, asked, groups, **mark)
        outcome = self._pipeline.on_batch(incoming, code, read_inputs(self._node, table), marks)
        return self._left(table, outcome, (time.perf_counter_ns() - started) // 1_000)

    def _know(self, promise: Prod) -> None:
        """Give a group its code, if its columns can have these values."""
        values = {column: value_of(self._schema, column, value) for column, value in promise.where.items()}
        row = {column: value.as_py() for column, value in values.items() if value is not None}
        if len(row) == len(values):
            self._groups.codes(pa.Table.from_pylist([row], schema=self._groups.keys.schema))

    def _left(self, table: pa.Table, outcome: AggregateOutcome, took: int) -> Left:
        node = self._node
        return Left(
            results_table(node, self._schema, self._groups.keys, outcome.emitted),
            late_table(node, table, outcome.late),
            aggregate_decisions(node, outcome, bucket=0, took=Duration(took)),
        )
