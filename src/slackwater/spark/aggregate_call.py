"""One call of an aggregate for one bucket. State: one small entry, and a chunk for each open pane.

A chunk has the groups of its pane and the states of their functions. A call reads the panes that it adds rows to and
those of windows that it closes, and writes those that got rows; the others stay as they are, unread. Rows never wait,
so none are kept.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import pyarrow as pa

from slackwater.pipeline.aggregate import AggregateOutcome, AggregatePipeline
from slackwater.pipeline.aggregate_columns import read_inputs, results_table
from slackwater.pipeline.columns import decided_table, late_table, read_batch
from slackwater.pipeline.groups import KnownGroups
from slackwater.plan.values import described
from slackwater.spark.call import DECISIONS, LATE, RESULTS, Call, Saved, columns_of, packets_of, times_of, together
from slackwater.spark.pane_chunks import PaneChunk, commit_panes, stored_panes
from slackwater.spark.state import ChunkStore
from slackwater.time import Duration

if TYPE_CHECKING:
    from slackwater.plan.nodes import AggregateNode


@dataclass(frozen=True, slots=True)
class AggregateSaved(Saved):
    """Everything small that a bucket remembers; its chunks are panes."""

    chunk_type: ClassVar[type[Any]] = PaneChunk


def identity_of_aggregate(node: AggregateNode, schema: pa.Schema) -> str:
    """Return what saved state depends on: with another it would be misread. The contract may change."""
    groups = f" by ({', '.join(node.by)}) in {node.buckets} buckets" if node.by else ""
    windows = f"aggregate {described(node.values)} over windows of {node.size} every {node.slide}"
    return f"{windows} {times_of(node.stream)}{groups} {columns_of(schema)}"


def run_aggregate_call(
    node: AggregateNode,
    bucket: int,
    saved: Saved,
    store: ChunkStore,
    table: pa.Table,
    *,
    processing_time: int,
    drain: bool,
) -> Call:
    """Restore the pipeline, run a batch through it, and save it."""
    started = time.perf_counter_ns()
    groups = KnownGroups.none(table.select(list(node.by)))
    code = groups.codes(table)
    pipeline = AggregatePipeline(node, saved.pipeline, stored_panes(node, saved.chunks, store, groups))
    before = pipeline.counts
    incoming = read_batch(node.stream, table, processing_time=processing_time)
    incoming = incoming if node.stream.arrival else together(incoming, saved.calls)
    outcomes = [pipeline.on_batch(incoming, code, read_inputs(node, table))]
    if drain:
        outcomes.append(pipeline.on_end())
    chunks = commit_panes(store, saved.chunks, pipeline.panes, groups.keys)
    took = Duration((time.perf_counter_ns() - started) // 1_000)
    return Call(
        bucket=bucket,
        saved=AggregateSaved(pipeline.snapshot(), chunks, calls=saved.calls + 1),
        packets=list(packets_of(bucket, _tables(node, table, groups.keys, bucket, outcomes, took))),
        before=before,
        counts=pipeline.counts,
        slack=pipeline.slack,
    )


def _tables(
    node: AggregateNode,
    batch: pa.Table,
    keys: pa.Table,
    bucket: int,
    outcomes: Iterable[AggregateOutcome],
    took: Duration,
) -> Iterator[tuple[int, pa.Table]]:
    for outcome in outcomes:
        yield RESULTS, results_table(node, batch.schema, keys, outcome.windows)
        yield LATE, late_table(node, batch, outcome.late)
        yield DECISIONS, decided_table(node, outcome.decisions, bucket=bucket, took=took)
