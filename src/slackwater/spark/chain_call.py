"""One call of a chain for one bucket: what a join or a merge gives is aggregated before anything is saved.

Both keep their state as they do alone: the first operator its held rows, the aggregate its panes in stores of its own.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from slackwater.pipeline.aggregate_columns import results_table
from slackwater.pipeline.aggregate_decisions import aggregate_decisions
from slackwater.pipeline.chained import check_all_used, complete_until, fed_rows
from slackwater.pipeline.columns import read_batch
from slackwater.spark.call import DECISIONS, RESULTS, Call, packets_of
from slackwater.spark.join_call import JoinSaved, StreamsBucket
from slackwater.spark.state import MemoryChunks
from slackwater.spark.stored_aggregate import AggregateSaved, StoredAggregate, identity_of_aggregate
from slackwater.time import Duration

if TYPE_CHECKING:
    from slackwater.pipeline.aggregate import AggregateOutcome
    from slackwater.pipeline.join import StreamsPipeline
    from slackwater.pipeline.join_outcome import JoinOutcome
    from slackwater.pipeline.prod import Prod
    from slackwater.plan.feed import Feed
    from slackwater.plan.nodes import AggregateNode
    from slackwater.spark.held import HeldStore
    from slackwater.spark.state import ChunkStore


@dataclass(frozen=True, slots=True)
class ChainSaved(JoinSaved):
    """Everything small that a bucket of a chain remembers from call to call."""

    then: str | None = None  # the aggregate's, as text


def identity_of_fed(node: AggregateNode, feed: Feed, schema: pa.Schema) -> str:
    """Return what saved state of the aggregate depends on: also of which streams its columns are."""
    return f"{identity_of_aggregate(node, schema)} from {', '.join(column for _, column in feed.columns)}"


@dataclass(frozen=True, slots=True)
class _Aggregated:
    """An aggregate that has taken in results, and is not saved yet."""

    held: StoredAggregate
    schema: pa.Schema
    outcomes: tuple[AggregateOutcome, ...]

    def tables(self, bucket: int, took: Duration) -> Iterator[tuple[int, pa.Table]]:
        """Return results and decisions; nothing is late."""
        node = self.held.node
        for outcome in self.outcomes:
            yield RESULTS, results_table(node, self.schema, self.held.keys, outcome.emitted)
            yield DECISIONS, aggregate_decisions(node, outcome, bucket=bucket, took=took)


@dataclass(frozen=True)
class ChainBucket:
    """One bucket of a chain."""

    first: StreamsBucket
    then: AggregateNode
    feed: Feed
    identity: str  # of the aggregate
    closes_idle: bool = False  # whether windows close when every stream has been silent for too long
    prods: tuple[Prod, ...] = ()  # on demand, of the call under way

    @classmethod
    def of(
        cls,
        first: Callable[[int], StreamsBucket],
        then: AggregateNode,
        feed: Feed,
        identity: str,
        closes_idle: bool,
        number: int,
    ) -> ChainBucket:
        """Return the bucket of this number; `first` has those of the first operator."""
        return cls(first(number), then, feed, identity, closes_idle)

    def on_batch(
        self,
        saved: ChainSaved,
        store: HeldStore,
        panes: Sequence[ChunkStore],  # of each level of the aggregate
        tables: Sequence[pa.Table],
        *,
        processing_time: int,
        drain: bool,
    ) -> Call:
        """Restore both operators, run a batch through them, and save them."""
        started = time.perf_counter_ns()
        before = AggregateSaved.load(None if saved.then is None else (saved.then,), self.identity)
        first, number = self.first, self.first.number
        driven = first.drive(saved, store, tables, processing_time=processing_time, drain=drain)
        idle = self.closes_idle and all(at is None for at in driven.spoke)
        of = driven.rows.tables, driven.outcomes, driven.pipeline
        second = self._aggregate(before, panes, *of, drain=drain, idle=idle)
        then = second.held.commit().dump(self.identity)
        kept = ChainSaved(**first.commit(saved, driven), then=then)
        took = Duration((time.perf_counter_ns() - started) // 1_000)
        packets = [*first.packets(driven, took), *packets_of(number, second.tables(number, took))]
        return first.called(driven, kept, packets)

    def on_all(self, tables: Sequence[pa.Table], *, processing_time: int) -> Iterator[dict[str, Any]]:
        """Run all rows there are, then drain."""
        started, number = time.perf_counter_ns(), self.first.number
        tables = [table.combine_chunks() for table in tables]
        saved, panes = AggregateSaved(), [MemoryChunks() for _ in self.then.levels]
        for outcome, pipeline, last in self.first.drive_all(tables, processing_time=processing_time):
            second = self._aggregate(saved, panes, tables, [outcome], pipeline, drain=last)
            saved = second.held.commit()
            took = Duration((time.perf_counter_ns() - started) // 1_000)
            yield from packets_of(number, [*self.first.sides(tables, [outcome], took), *second.tables(number, took)])

    def _aggregate(
        self,
        saved: AggregateSaved,
        panes: Sequence[ChunkStore],
        tables: Sequence[pa.Table],
        outcomes: Sequence[JoinOutcome],
        pipeline: StreamsPipeline,
        *,
        drain: bool,
        idle: bool = False,
    ) -> _Aggregated:
        """Aggregate what the first operator gave, up to its time; if drained, or where nobody speaks, close all.

        After that the first operator gives no results any more that would be late for the aggregate.
        """
        rows = fed_rows(self.first.node, self.feed, tables, outcomes)
        held = StoredAggregate(self.then, saved, panes, rows, asked=self.prods, drain=drain)
        incoming = read_batch(self.then.stream, rows, processing_time=0)
        found = [held.on_batch(incoming, complete_until(pipeline.time))]
        if drain or (idle and held.waits):
            found.append(held.pipeline.on_end())
            pipeline.skip_to(held.pipeline.open_from)
        check_all_used(rows.num_rows, len(found[0].late))
        return _Aggregated(held, rows.schema, tuple(found))
