"""Runs a join plan over Arrow tables."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Self

import numpy as np
import pyarrow as pa

from slackwater.core.work import Work
from slackwater.events import Events
from slackwater.lanes import ONE_LANE, Lanes
from slackwater.local.bounded import BoundedOutput
from slackwater.pipeline.chained import results_schema
from slackwater.pipeline.columns import check_arrival_kinds, check_types, read_batch
from slackwater.pipeline.guard import Incoming, batches_together, turn_away
from slackwater.pipeline.join import JoinPipeline
from slackwater.pipeline.join_outcome import JoinOutcome, joined
from slackwater.pipeline.predicates import bind
from slackwater.pipeline.rows import decided_join, late_rows, result_rows
from slackwater.plan.explain import in_a_line
from slackwater.plan.explain_join import explain_join
from slackwater.plan.nodes import JoinNode, StreamNode, StreamsNode
from slackwater.plan.validate import check_arrivals
from slackwater.time import BEFORE_ALL_TIME, Duration, running_clock

if TYPE_CHECKING:
    from slackwater.local.chain import LocalChain
    from slackwater.plan.feed import Feed
    from slackwater.plan.nodes import AggregateNode

BATCH_ROWS = 250_000  # of all streams together; the results do not depend on it


@dataclass(frozen=True, repr=False)
class LocalStreams(BoundedOutput, ABC):
    """What plans over several bounded tables have in common."""

    node: StreamsNode
    tables: tuple[pa.Table, ...]
    processing_time: int  # of the arrival of the tables, for the guard against clocks from the future

    @classmethod
    def of(cls, node: StreamsNode, tables: Sequence[pa.Table], processing_time: int) -> Self:
        """Check the columns, and hold the plan."""
        for stream, table in zip(node.streams, tables, strict=True):
            check_types(stream, table.schema)
        check_arrivals(node.streams)
        check_arrival_kinds(node.streams, [table.schema for table in tables])
        return cls(node, tuple(table.combine_chunks() for table in tables), processing_time)

    @property
    def results_schema(self) -> pa.Schema:
        """The columns of the results."""
        return results_schema(self.node, [table.schema for table in self.tables])

    def followed_by(self, node: AggregateNode, feed: Feed) -> LocalChain:
        """Return a plan that aggregates the results."""
        from slackwater.local.chain import LocalChain

        return LocalChain(self, node, feed)

    def __repr__(self) -> str:
        return in_a_line(type(self).__name__, self.node, f"{sum(table.num_rows for table in self.tables):,} rows")

    @cached_property
    def decisions(self) -> pa.Table:
        """One row per adaptation."""
        outcome, took = self._run
        return decided_join(self.node, outcome.decisions, bucket=0, took=took)

    @property
    @abstractmethod
    def late(self) -> pa.Table:
        """Every row that could not be used in time."""

    @abstractmethod
    def explain(self) -> str:
        """Describe what runs."""

    @property
    @abstractmethod
    def _run(self) -> tuple[JoinOutcome, Duration]:
        """What the run led to, and how long it took."""


@dataclass(frozen=True, repr=False)
class LocalJoin(LocalStreams):
    """The outputs of a join plan over bounded tables; it runs when the first of them is asked for."""

    node: JoinNode

    @cached_property
    def results(self) -> pa.Table:
        """The combinations in event-time order: `event_time`, then one struct column for each stream."""
        outcome = self._run[0]
        return result_rows(self.node, self.tables, outcome.results)

    @cached_property
    def late(self) -> pa.Table:
        """Every row that could not be used in time, with the reason and by how much it was late."""
        return late_rows(self.node, self.tables, self._run[0].late)

    def explain(self) -> str:
        """Describe what runs; once an output has been asked for, also what was measured and chosen."""
        rows = sum(table.num_rows for table in self.tables)
        scope = f"scope       {self.node.scope}: one bucket in process, whatever is asked for"
        return explain_join(self.node, engine=(scope, f"runs        in process over {rows} rows"), work=self._work)

    @cached_property
    def _work(self) -> Work:
        return Work()

    @cached_property
    def _run(self) -> tuple[JoinOutcome, Duration]:
        started = time.perf_counter_ns()
        now, lanes = self.processing_time, Lanes.of_cores()
        run = run_join(self.node, self.tables, processing_time=now, work=self._work, lanes=lanes)
        outcome = joined(list(run))
        return outcome, Duration((time.perf_counter_ns() - started) // 1_000)


def run_join(
    node: JoinNode,
    tables: Sequence[pa.Table],
    *,
    processing_time: int,
    listing: bool = True,
    work: Work | None = None,
    lanes: Lanes = ONE_LANE,
) -> Iterator[JoinOutcome]:
    """Run a join batch by batch; `listing=False` only counts results, and `work` notes how partners were found.

    `lanes` is how many streams are worked on at the same time.
    """
    delays = [np.zeros(table.num_rows, np.int64) for table in tables]
    pipeline = JoinPipeline(node, bind(node.condition, tables), delays, listing=listing, work=work, lanes=lanes)
    for batch in batches_of(node, tables, processing_time, lanes):
        yield pipeline.on_batch(batch)
    yield pipeline.on_end()


def batches_of(
    node: StreamsNode, tables: Sequence[pa.Table], processing_time: int, lanes: Lanes = ONE_LANE
) -> Iterator[list[Incoming]]:
    """Read all streams, and cut them into batches of about BATCH_ROWS rows."""

    def of_stream(number: int) -> Incoming:
        stream = node.streams[number]
        return _by_clock(read_batch(stream, tables[number], processing_time=processing_time), stream)

    rows = sum(table.num_rows for table in tables)
    return batches_together(lanes.map(of_stream, range(len(tables)), events=rows), BATCH_ROWS)


def _by_clock(incoming: Incoming, stream: StreamNode) -> Incoming:
    """Where nothing says how the streams interleaved, let them progress together: each row comes at its clock."""
    if stream.arrival is not None or not len(incoming.events):
        return incoming
    events = incoming.events
    usable = np.zeros(len(events), np.bool_)
    usable[turn_away(incoming, stream.max_ahead)[0].row] = True
    clock = running_clock(np.where(usable, events.time, BEFORE_ALL_TIME), None)
    return Incoming(Events(events.time, clock, events.row), incoming.has_time, incoming.processing_time)
