"""A merge as a Spark query."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pyarrow as pa

from slackwater.decisions import DECISIONS as DECISIONS_SCHEMA
from slackwater.pipeline.merged_rows import late_merge_schema, merged_schema
from slackwater.plan.explain_merge import explain_merge
from slackwater.spark.buckets import Spread
from slackwater.spark.call import DECISIONS, LATE, RESULTS
from slackwater.spark.merge_call import MergeBucket
from slackwater.spark.processor import MergeProcessor
from slackwater.spark.query import RUNS, SparkStreams, comparable_schemas

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from slackwater.plan.nodes import MergeNode


@dataclass(frozen=True, repr=False)
class SparkMerge(SparkStreams):
    """The outputs of a merge plan on Spark: one bucket, for one order over all rows, unless rows are spread by keys."""

    node: MergeNode

    bucket_type = MergeBucket

    @classmethod
    def of(cls, node: MergeNode, frames: Sequence[DataFrame]) -> SparkMerge:
        """Check the session and the columns, and hold the plan."""
        schemas = comparable_schemas(node.streams, frames)
        return cls(tuple(frames), schemas, node, Spread(node.buckets, (node.by,) * len(frames)))

    def explain(self) -> str:
        """Describe the plan, and what Spark will run."""
        if not self._streaming:
            return explain_merge(self.node, engine=("runs        applyInArrow, one task per bucket, no state",))
        state = "state       RocksDB: one entry, the held rows as Arrow chunks and where each row is, per bucket"
        return explain_merge(self.node, engine=(RUNS, state))

    @property
    def _schemas_out(self) -> Mapping[int, pa.Schema]:
        results, late = merged_schema(self.node, self.schemas), late_merge_schema(self.node, self.schemas)
        return {RESULTS: results, LATE: late, DECISIONS: DECISIONS_SCHEMA}

    def _processor(self) -> MergeProcessor:
        return MergeProcessor(self.node, self.schemas, self.spread)
