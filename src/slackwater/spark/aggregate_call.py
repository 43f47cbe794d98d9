"""One call of an aggregate for one bucket. State: one small entry, and a chunk for each open pane.

A chunk has the groups of its pane and the states of their functions. A call reads the panes that it adds rows to and
those of windows that it closes, and writes those that got rows; the others stay as they are, unread. Rows never wait,
so none are kept, but for those of a burst that are set aside: a chunk for all. Where the contract is about values, each
window that is watched has a chunk too.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import pyarrow as pa

from slackwater.pipeline.aggregate import AggregateOutcome, AggregatePipeline
from slackwater.pipeline.aggregate_columns import read_inputs, results_table
from slackwater.pipeline.aggregate_decisions import aggregate_decisions
from slackwater.pipeline.columns import late_table, read_batch
from slackwater.pipeline.groups import GrowingGroups
from slackwater.pipeline.prod import Prod, control_marks
from slackwater.pipeline.read_marks import KnownGroups, read_marks
from slackwater.plan.values import described
from slackwater.spark.call import DECISIONS, LATE, RESULTS, Call, Saved, columns_of, packets_of, times_of, together
from slackwater.spark.latency import Left
from slackwater.spark.notes import commit_notes, read_notes, restored_notes
from slackwater.spark.pane_chunks import PaneChunk, commit_panes, stored_panes
from slackwater.spark.sideline_chunks import commit_sidelined, read_sidelined
from slackwater.spark.state import ChunkStore
from slackwater.spark.watched import commit_watched, read_watched
from slackwater.time import Duration

if TYPE_CHECKING:
    from slackwater.plan.nodes import AggregateNode


@dataclass(frozen=True, slots=True)
class AggregateSaved(Saved):
    """Everything small that a bucket remembers; its chunks are panes."""

    chunk_type: ClassVar[type[Any]] = PaneChunk

    notes: tuple[str, ...] = ()  # which have a chunk
    watched: tuple[int, ...] = ()  # windows that have a chunk of their own
    sidelined: tuple[str, ...] = ()  # which chunks there are of bursts


def identity_of_aggregate(node: AggregateNode, schema: pa.Schema) -> str:
    """Return what saved state depends on: with another it would be misread. The contract may change."""
    groups = f" by ({', '.join(node.by)}) in {node.buckets} buckets" if node.by else ""
    windows = f"aggregate {described(node.values)} over windows of {node.size} every {node.slide}"
    early = "" if node.early is None else " with early results"
    early += " that are compared" if node.compares_early else ""
    return f"{windows}{early} {times_of(node.stream)}{groups} {columns_of(schema)}"


def run_aggregate_call(
    node: AggregateNode,
    bucket: int,
    saved: AggregateSaved,
    store: ChunkStore,
    table: pa.Table,
    *,
    processing_time: int,
    drain: bool,
    asked: Sequence[Prod] = (),
) -> Call:
    """Restore the pipeline, run a batch through it, and save it; `asked` are prods on demand, which act at its end."""
    started = time.perf_counter_ns()
    groups = GrowingGroups.none(table.select(list(node.by)))
    code = groups.codes(table)
    panes = stored_panes(node, saved.chunks, store, groups)
    noted = read_notes(store, saved.notes)
    notes = restored_notes(saved.notes, noted, groups.codes_of(noted))
    if node.stream.marker is not None or asked:
        panes.read_all()  # a prod or punctuation may speak of any group
    watched = read_watched(store, saved.watched, groups, len(node.values))
    sidelined = read_sidelined(store, saved.sidelined, groups, len(node.values))
    node = replace(node, sideline=None) if drain else node  # nothing would be on time for it
    pipeline = AggregatePipeline(node, saved.pipeline, panes, notes, watched=watched, sidelined=sidelined)
    before = pipeline.counts
    incoming = read_batch(node.stream, table, processing_time=processing_time)
    incoming = incoming if node.stream.arrival else together(incoming, saved.calls)
    known = KnownGroups(code, groups.keys)
    incoming, marks = read_marks(node, table, incoming, known)
    marks += control_marks(node, table.schema, asked, known)
    outcomes = [pipeline.on_batch(incoming, code, read_inputs(node, table), marks)]
    if drain:
        outcomes.append(pipeline.on_end())
    chunks = commit_panes(store, saved.chunks, pipeline.panes, groups.keys)
    written = commit_notes(store, notes, pipeline.notes, groups.keys)
    kept = commit_watched(store, watched, pipeline.watched, groups.keys)
    aside = commit_sidelined(store, saved.sidelined, sidelined, pipeline.sidelined, groups.keys)
    state = pipeline.snapshot()
    took = Duration((time.perf_counter_ns() - started) // 1_000)
    return Call(
        bucket=bucket,
        saved=AggregateSaved(state, chunks, calls=saved.calls + 1, notes=written, watched=kept, sidelined=aside),
        packets=list(packets_of(bucket, _tables(node, table, groups.keys, bucket, outcomes, took))),
        before=before,
        counts=pipeline.counts,
        slack=pipeline.slack,
        left=_left(node, outcomes, state),
    )


def _left(node: AggregateNode, outcomes: Iterable[AggregateOutcome], saved: dict[str, Any]) -> Left:
    """Return the final results that left. With a sideline, windows that are closed may leave later."""
    emitted = [outcome.emitted for outcome in outcomes if outcome.emitted is not None]
    ends = [node.panes.ends(each.cells.place[each.final]) for each in emitted]
    return Left.windows(ends, clock=saved["clock"], closed=saved["reached"] if node.sideline is None else None)


def _tables(
    node: AggregateNode,
    batch: pa.Table,
    keys: pa.Table,
    bucket: int,
    outcomes: Iterable[AggregateOutcome],
    took: Duration,
) -> Iterator[tuple[int, pa.Table]]:
    for outcome in outcomes:
        yield RESULTS, results_table(node, batch.schema, keys, outcome.emitted)
        yield LATE, late_table(node, batch, outcome.late)
        yield DECISIONS, aggregate_decisions(node, outcome, bucket=bucket, took=took)
