"""Plans as Spark queries."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, ClassVar

import pyarrow as pa

from slackwater.core.work import Work
from slackwater.decisions import DECISIONS as DECISIONS_SCHEMA
from slackwater.decisions import late_schema
from slackwater.pipeline.aggregate_columns import result_schema as window_schema
from slackwater.pipeline.by_keys import check_keys
from slackwater.pipeline.columns import check_arrival_kinds
from slackwater.pipeline.rows import late_rows_schema, result_schema
from slackwater.plan.explain import explain_buckets, explain_reorder
from slackwater.plan.explain_aggregate import explain_aggregate, explain_groups
from slackwater.plan.explain_join import explain_join, explain_scope
from slackwater.plan.nodes import JoinNode
from slackwater.plan.validate import check_arrivals
from slackwater.spark.added_up import parts_of
from slackwater.spark.aggregate_call import run_aggregate_call
from slackwater.spark.bounded import RunCall, bounded_packets, bounded_streams
from slackwater.spark.buckets import Spread, with_bucket
from slackwater.spark.call import DECISIONS, LATE, RESULTS, Saved, run_call
from slackwater.spark.driver import DriverSlack, driver_folder
from slackwater.spark.join_call import JoinBucket, StreamsBucket
from slackwater.spark.keyed_call import KeyedSaved, run_keyed_call
from slackwater.spark.packets import PACKETS_IN, packer
from slackwater.spark.processor import AggregateProcessor, JoinProcessor, KeyedProcessor, ReorderProcessor
from slackwater.spark.running import SparkQuery, checked_schemas
from slackwater.spark.state import MemoryChunks
from slackwater.spark.stored_aggregate import AggregateSaved

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from slackwater.plan.feed import Feed
    from slackwater.plan.nodes import AggregateNode, ReorderNode, StreamNode, StreamsNode
    from slackwater.spark.chain_query import SparkChain
    from slackwater.spark.outputs import Notice

RUNS = "runs        packets -> transformWithStateInPandas, one call per bucket and micro-batch"


@dataclass(frozen=True, repr=False)
class SparkStream(SparkQuery):
    """The outputs of a plan over one stream on Spark."""

    node: ReorderNode | AggregateNode

    @property
    def _streams(self) -> tuple[StreamNode, ...]:
        return (self.node.stream,)

    @property
    def _buckets(self) -> int:
        return self.node.buckets

    def _packets_in(self) -> DataFrame:
        rows, bucket = with_bucket(self.node, self.frames[0])
        return rows.mapInArrow(packer(self.schemas[0], bucket), PACKETS_IN)

    def _bounded_by(self, run: RunCall, nothing: Saved) -> DataFrame:
        rows, bucket = with_bucket(self.node, self.frames[0])
        return bounded_packets(
            self.node,
            rows,
            self.schemas[0],
            bucket,
            processing_time=self.processing_time,
            run=run,
            nothing=nothing,
        )


@dataclass(frozen=True, repr=False)
class SparkReorder(SparkStream):
    """The outputs of a reorder plan on Spark."""

    node: ReorderNode

    @classmethod
    def of(cls, node: ReorderNode, frame: DataFrame) -> SparkReorder:
        """Check the session and the columns, and hold the plan."""
        schemas = checked_schemas([node.stream], [frame])
        check_keys(node, schemas[0])
        return cls((frame,), schemas, node)

    def explain(self) -> str:
        """Describe the plan, and what Spark will run."""
        if self._streaming:
            keys = ", what is known of each key" if self.node.by else ""
            state = f"state       RocksDB: one entry{keys} and the waiting rows as Arrow chunks, per bucket"
            return explain_reorder(self.node, engine=(explain_buckets(self.node), RUNS, state))
        runs = "runs        mapInArrow over sorted partitions, no state"
        return explain_reorder(self.node, engine=(explain_buckets(self.node), runs))

    @property
    def _schemas_out(self) -> Mapping[int, pa.Schema]:
        schema = self.schemas[0]
        return {RESULTS: schema, LATE: late_schema(schema), DECISIONS: DECISIONS_SCHEMA}

    def _processor(self) -> ReorderProcessor | KeyedProcessor:
        processor = KeyedProcessor if self.node.by else ReorderProcessor
        return processor(self.node, self.schemas[0])

    def _bounded(self) -> DataFrame:
        return self._bounded_by(*((run_keyed_call, KeyedSaved()) if self.node.by else (run_call, Saved())))


@dataclass(frozen=True, repr=False)
class SparkAggregate(SparkStream):
    """The outputs of an aggregate plan on Spark; every bucket has its own clock, slack and decisions."""

    node: AggregateNode
    adds_up: bool = field(kw_only=True, default=True)  # whether rows are added up where they are read, where they can

    @classmethod
    def of(cls, node: AggregateNode, frame: DataFrame) -> SparkAggregate:
        """Check the session and the columns, and hold the plan."""
        return cls((frame,), checked_schemas([node.stream], [frame]), node)

    def with_aggregate(self, node: AggregateNode) -> SparkAggregate:
        """Return another plan over the same frame."""
        return replace(self, node=node)

    @property
    def _packed(self) -> str:
        """Say what is sent to buckets."""
        if self.adds_up and self.node.can_be_added_up:
            return "packets     rows added up by pane where they are read; those that may be late as they are"
        return "packets     rows as they are"

    def _packets_in(self) -> DataFrame:
        if not self.adds_up or not self.node.can_be_added_up:
            return super()._packets_in()
        rows, bucket = with_bucket(self.node, self.frames[0])
        return rows.mapInArrow(packer(self.schemas[0], bucket, parts=partial(parts_of, self.node)), PACKETS_IN)

    @property
    def schema(self) -> pa.Schema:
        """The columns of the rows."""
        return self.schemas[0]

    def explain(self) -> str:
        """Describe the plan, and what Spark will run."""
        groups = explain_groups(self.node)
        if self._streaming:
            levels = "" if self.node.below is None else " of each level"
            rows = "no rows" if self.node.sideline is None else "rows that were set aside"
            state = f"state       RocksDB: one entry and an Arrow chunk for each open pane{levels}, per bucket; {rows}"
            return explain_aggregate(self.node, engine=(groups, self._packed, RUNS, state))
        return explain_aggregate(self.node, engine=(groups, "runs        mapInArrow over sorted partitions, no state"))

    @property
    def _schemas_out(self) -> Mapping[int, pa.Schema]:
        schema = self.schemas[0]
        return {RESULTS: window_schema(self.node, schema), LATE: late_schema(schema), DECISIONS: DECISIONS_SCHEMA}

    @property
    def _plan_of_control(self) -> Mapping[str, Any]:
        return {"operator": self.node.operator, "by": self.node.by, "early": self.node.early is not None}

    def _processor(self) -> AggregateProcessor:
        return AggregateProcessor(self.node, self.schemas[0])

    def _bounded(self) -> DataFrame:
        above = [MemoryChunks() for _ in self.node.levels[1:]]  # a bucket that is drained leaves them empty
        return self._bounded_by(partial(run_aggregate_call, above=above), AggregateSaved())


@dataclass(frozen=True, repr=False)
class SparkStreams(SparkQuery):
    """What plans over several streams have in common."""

    node: StreamsNode
    spread: Spread

    bucket_type: ClassVar[type[StreamsBucket]]

    @property
    def _streams(self) -> tuple[StreamNode, ...]:
        return self.node.streams

    @property
    def _buckets(self) -> int:
        return self.node.buckets

    @property
    def _spread(self) -> Spread:
        return self.spread

    def _packets_in(self) -> DataFrame:
        return self.spread.packets(self.frames, self.schemas)

    def followed_by(self, node: AggregateNode, feed: Feed) -> SparkChain:
        """Return a plan that aggregates the results, in the same query."""
        from slackwater.spark.chain_query import SparkChain

        return SparkChain.of(self, node, feed)

    @property
    def _bucket_of(self) -> Callable[[int], Any]:
        """What runs for each bucket."""
        return partial(self.bucket_type, self.node, self.spread)

    @property
    def _is_led(self) -> bool:
        return self.node.is_pooled

    def _driver(self, checkpoint: str | os.PathLike[str]) -> DriverSlack | None:
        if not isinstance(self.node, JoinNode) or not self._is_led:
            return None
        return DriverSlack(self.node, driver_folder(checkpoint))

    def _bounded(self) -> DataFrame:
        return bounded_streams(self._bucket_of, self.schemas, self._packets_in(), processing_time=self.processing_time)


def comparable_schemas(streams: Sequence[StreamNode], frames: Sequence[DataFrame]) -> tuple[pa.Schema, ...]:
    """Check the session and the columns of streams that share one arrival order; return the columns of each."""
    schemas = checked_schemas(streams, frames)
    check_arrivals(streams)
    check_arrival_kinds(streams, schemas)
    return schemas


@dataclass(frozen=True, repr=False)
class SparkJoin(SparkStreams):
    """The outputs of a join plan on Spark.

    With several buckets every bucket has its own clocks and, unless the plan's scope is "global", its own slack and
    decisions; the counts of a bucket include the rows that are replicated to it. Late rows of a replicated stream are
    reported by the first bucket alone.
    """

    node: JoinNode

    bucket_type = JoinBucket

    @classmethod
    def of(cls, node: JoinNode, frames: Sequence[DataFrame]) -> SparkJoin:
        """Check the session and the columns, and hold the plan."""
        schemas = comparable_schemas(node.streams, frames)
        return cls(tuple(frames), schemas, node, Spread.of(node, schemas))

    def explain(self) -> str:
        """Describe the plan and what Spark will run; of a query started from here, what was measured and chosen."""
        spread = self.spread.words([stream.name for stream in self.node.streams])
        scope = explain_scope(self.node, streaming=self._streaming)
        if self._streaming:
            state = "state       RocksDB: one entry, the held rows as Arrow chunks and where each row is, per bucket"
            return explain_join(self.node, engine=(scope, spread, RUNS, state), work=self._work)
        runs = "runs        applyInArrow, one task per bucket, no state"
        return explain_join(self.node, engine=(scope, spread, runs))

    @property
    def _schemas_out(self) -> Mapping[int, pa.Schema]:
        results, late = result_schema(self.node, self.schemas), late_rows_schema(self.node, self.schemas)
        return {RESULTS: results, LATE: late, DECISIONS: DECISIONS_SCHEMA}

    @cached_property
    def _work(self) -> Work:
        return Work()

    @property
    def _notice(self) -> Notice:
        def add_up(notes: list[bytes]) -> None:
            for note in notes:
                self._work.add(json.loads(note))

        return add_up

    def _processor(self) -> JoinProcessor:
        return JoinProcessor(self.node, self.schemas, self.spread)
