"""One call of an aggregate for one bucket: state and rows in, state and packets out. No engine in sight."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

import pyarrow as pa

from slackwater.pipeline.aggregate_columns import results_table
from slackwater.pipeline.aggregate_decisions import aggregate_decisions
from slackwater.pipeline.columns import late_table, read_batch
from slackwater.spark.call import DECISIONS, LATE, RESULTS, Call, packets_of, together
from slackwater.spark.latency import Left
from slackwater.spark.stored_aggregate import AggregateSaved, StoredAggregate
from slackwater.time import Duration

if TYPE_CHECKING:
    from slackwater.pipeline.aggregate import AggregateOutcome
    from slackwater.pipeline.prod import Prod
    from slackwater.plan.nodes import AggregateNode
    from slackwater.spark.state import ChunkStore


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
    above: Sequence[ChunkStore] = (),
    cells: pa.Table | None = None,
) -> Call:
    """Restore the pipeline, run a batch through it, and save it.

    `asked` are prods on demand, which act at its end; `above` are the stores of the levels above the first; `cells` are
    rows that were added up before.
    """
    started = time.perf_counter_ns()
    held = StoredAggregate(node, saved, [store, *above], table, cells=cells, asked=asked, drain=drain)
    before = held.pipeline.counts
    incoming = held.with_cells(read_batch(node.stream, table, processing_time=processing_time))
    outcomes = [held.on_batch(incoming if node.stream.arrival else together(incoming, saved.calls))]
    if drain:
        outcomes.append(held.pipeline.on_end())
    kept = held.commit()
    took = Duration((time.perf_counter_ns() - started) // 1_000)
    return Call(
        bucket=bucket,
        saved=kept,
        packets=list(packets_of(bucket, _tables(node, table, held.keys, bucket, outcomes, took))),
        before=before,
        counts=held.pipeline.counts,
        slack=held.pipeline.slack,
        left=_left(node, outcomes, kept),
        delays=held.pipeline.delays,
    )


def _left(node: AggregateNode, outcomes: Iterable[AggregateOutcome], saved: AggregateSaved) -> Left:
    """Return the final results that left. With a sideline, or levels, windows that are closed may leave later."""
    emitted = [outcome.emitted for outcome in outcomes if outcome.emitted is not None]
    ends = [node.panes.ends(each.cells.place[each.final]) for each in emitted]
    state = saved.pipeline or {}
    closed = state.get("reached") if node.sideline is None and node.below is None else None
    return Left.windows(ends, clock=state.get("clock"), closed=closed)


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
