"""One call of a merge: state and rows in, state and packets out. No engine in sight."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from slackwater.pipeline.merge import MergePipeline
from slackwater.pipeline.merged_rows import late_merge_rows, merged_rows
from slackwater.spark.call import columns_of, times_of
from slackwater.spark.join_call import StreamsBucket

if TYPE_CHECKING:
    from slackwater.events import Late
    from slackwater.pipeline.join_outcome import JoinOutcome
    from slackwater.plan.nodes import MergeNode


def identity_of_merge(node: MergeNode, schemas: Sequence[pa.Schema]) -> str:
    """Return what saved state depends on: with another it would be misread. The contract may change."""
    named = zip(node.streams, schemas, strict=True)
    streams = [f"{stream.name} {times_of(stream)} {columns_of(schema)}" for stream, schema in named]
    spread = f"; by {', '.join(node.by)} in {node.buckets} buckets" if node.by else ""
    return f"merge of {'; '.join(streams)}; release by {node.release}{spread}"


@dataclass(frozen=True)
class MergeBucket(StreamsBucket):
    """One bucket of a merge; without keys there is one, for one order over all rows."""

    node: MergeNode

    def _pipeline(self, tables: Sequence[pa.Table], delays: Sequence[Any], **kept: Any) -> MergePipeline:
        return MergePipeline(self.node, delays, **kept)

    def _results(self, tables: Sequence[pa.Table], outcome: JoinOutcome) -> pa.Table:
        return merged_rows(self.node, tables, outcome)

    def _late(self, tables: Sequence[pa.Table], late: Sequence[Late]) -> pa.Table:
        return late_merge_rows(self.node, tables, late)
