"""A chain as one Spark query: a join or a merge, and an aggregate of what it gives."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from slackwater.decisions import DECISIONS as DECISIONS_SCHEMA
from slackwater.pipeline.aggregate_columns import result_schema
from slackwater.plan.explain_chain import explain_chain
from slackwater.plan.validate_chain import check_spread
from slackwater.spark.call import DECISIONS, LATE, RESULTS
from slackwater.spark.chain_call import ChainBucket, identity_of_fed
from slackwater.spark.chain_processor import ChainProcessor
from slackwater.spark.plan_parameters import parameters_of
from slackwater.spark.query import SparkStreams

if TYPE_CHECKING:
    from slackwater.plan.feed import Feed
    from slackwater.plan.nodes import AggregateNode


@dataclass(frozen=True, repr=False)
class SparkChain(SparkStreams):
    """The outputs of a chain on Spark; `node` is the first operator, whose contract and buckets are those of all."""

    first: SparkStreams
    then: AggregateNode
    feed: Feed

    @classmethod
    def of(cls, first: SparkStreams, then: AggregateNode, feed: Feed) -> SparkChain:
        """Check that the buckets of the first operator keep groups together, and hold the plan."""
        check_spread(first.node, then, feed)
        own = first.frames, first.schemas, first.node, first.spread
        return cls(*own, first, then, feed, processing_time=first.processing_time)

    def with_aggregate(self, node: AggregateNode) -> SparkChain:
        """Return another aggregate over the same rows."""
        check_spread(self.node, node, self.feed)
        return replace(self, then=node)

    @property
    def schema(self) -> pa.Schema:
        """The columns of the rows that are aggregated."""
        return self.feed.schema(self.first.results_schema)

    def explain(self) -> str:
        """Describe the plan, and what Spark will run."""
        state = "state       the same query: an Arrow chunk for each open pane, per bucket; no rows"
        return f"{self.first.explain()}\n{explain_chain(self.then, engine=(state,) if self._streaming else ())}"

    @property
    def _schemas_out(self) -> Mapping[int, pa.Schema]:
        late = self.first._schemas_out[LATE]
        return {RESULTS: result_schema(self.then, self.schema), LATE: late, DECISIONS: DECISIONS_SCHEMA}

    @property
    def _plan_of_control(self) -> Mapping[str, Any]:
        early, keeps = self.then.early is not None, self.node.operator
        return {"operator": self.then.operator, "by": self.then.by, "early": early, "keeps": keeps}

    @property
    def _bucket_of(self) -> Callable[[int], ChainBucket]:
        first = replace(self.first, node=self.node)._bucket_of
        identity = identity_of_fed(self.then, self.feed, self.schema)
        return partial(ChainBucket.of, first, self.then, self.feed, identity, self._closes_idle)

    @property
    def _closes_idle(self) -> bool:
        """Whether users gave every stream a patience; that of a deadline is too short to give up a window."""
        return all(stream.idle_after for stream in self.first.node.streams)

    @property
    def _is_chain(self) -> bool:
        return True

    @property
    def _parameters(self) -> Mapping[str, str]:
        return parameters_of(self.node, self.schemas, self.then, self.feed)

    def _processor(self) -> ChainProcessor:
        both = f"{self.first._processor().identity}; then {identity_of_fed(self.then, self.feed, self.schema)}"
        return ChainProcessor(self.node, self.schemas, both, self._bucket_of)
