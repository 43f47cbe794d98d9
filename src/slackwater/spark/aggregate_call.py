"""One call of an aggregate for one bucket. State: one small entry, and a chunk for each open pane.

A chunk has the groups of its pane and the states of their functions. A call reads the open panes, and writes those that
got rows; the others stay as they are. Rows never wait, so none are kept. Where the contract is about values, each
window that is watched has a chunk too, with one more column: the bin of slack that the rows of a group needed.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import pyarrow as pa

from slackwater.core.cells import Cells
from slackwater.pipeline.aggregate import AggregateOutcome, AggregatePipeline
from slackwater.pipeline.aggregate_columns import read_inputs, results_table
from slackwater.pipeline.columns import decided_table, late_table, read_batch
from slackwater.pipeline.groups import Groups
from slackwater.plan.values import described
from slackwater.spark.call import DECISIONS, LATE, RESULTS, Call, Saved, columns_of, packets_of, times_of, together
from slackwater.spark.packets import from_bytes, to_bytes
from slackwater.spark.state import ChunkStore, unreadable_chunk
from slackwater.time import Duration

if TYPE_CHECKING:
    from slackwater.events import Rows
    from slackwater.plan.nodes import AggregateNode


_WATCHED = 2**60  # chunks from here on are windows that are watched: no pane has such a number
_BIN = "__slackwater_bin"


@dataclass(frozen=True, slots=True)
class PaneChunk:
    """An entry of the index: an open pane, or a window that is watched; its number is also that of its chunk."""

    number: int
    rows: int  # how many groups it has


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
    stored = [_read(store, chunk.number) for chunk in saved.chunks]
    every = pa.concat_tables([table.select(list(node.by)), *(each.select(list(node.by)) for each in stored)])
    groups = Groups.of([every[column] for column in node.by], _rows([table, *stored]))
    held = _restored(node, saved.chunks, stored, groups.code[table.num_rows :])
    panes, watched = _split(held)
    pipeline = AggregatePipeline(node, saved.pipeline, panes, watched)
    before = pipeline.counts
    incoming = read_batch(node.stream, table, processing_time=processing_time)
    incoming = incoming if node.stream.arrival else together(incoming, saved.calls)
    outcomes = [pipeline.on_batch(incoming, groups.code[: table.num_rows], read_inputs(node, table))]
    if drain:
        outcomes.append(pipeline.on_end())
    keys = every.take(groups.row)
    chunks = _commit(store, held, _joined(pipeline.panes, pipeline.watched), keys)
    took = Duration((time.perf_counter_ns() - started) // 1_000)
    return Call(
        bucket=bucket,
        saved=AggregateSaved(pipeline.snapshot(), chunks, calls=saved.calls + 1),
        packets=list(packets_of(bucket, _tables(node, table, keys, bucket, outcomes, took))),
        before=before,
        counts=pipeline.counts,
        slack=pipeline.slack,
    )


def _read(store: ChunkStore, number: int) -> pa.Table:
    try:
        return from_bytes(store.read(number))
    except (pa.ArrowInvalid, KeyError, TypeError) as error:
        raise unreadable_chunk(number) from error


def _rows(tables: Iterable[pa.Table]) -> int:
    return sum(table.num_rows for table in tables)


def _restored(
    node: AggregateNode, chunks: Sequence[PaneChunk], tables: Sequence[pa.Table], code: Rows
) -> dict[int, Cells]:
    """Return the cells of each pane; `code` has the groups of all tables, one after the other."""
    panes, start = {}, 0
    for chunk, table in zip(chunks, tables, strict=True):
        group = code[start : start + table.num_rows]
        place = table[_BIN].to_numpy() if _is_watched(chunk.number) else np.full(len(group), chunk.number)
        order = np.lexsort((group, place))
        states = tuple(_state(table, value, order) for value in range(len(node.values)))
        panes[chunk.number] = Cells(place[order], group[order], states)
        start += table.num_rows
    return panes


def _state(table: pa.Table, value: int, order: Rows) -> tuple[Any, ...]:
    prefix = _column(value, "")
    return tuple(table[name].to_numpy()[order] for name in table.column_names if name.startswith(prefix))


def _column(value: int, number: int | str) -> str:
    """Name a column of the state of a value; no input column has such a name."""
    return f"__slackwater_state_{value}_{number}"


def _is_watched(number: int) -> bool:
    return number >= _WATCHED // 2


def _split(held: Mapping[int, Cells]) -> tuple[dict[int, Cells], dict[int, Cells]]:
    """Return the panes, and the windows that are watched."""
    panes = {number: cells for number, cells in held.items() if not _is_watched(number)}
    return panes, {number - _WATCHED: cells for number, cells in held.items() if number not in panes}


def _joined(panes: Mapping[int, Cells], watched: Mapping[int, Cells]) -> dict[int, Cells]:
    """Return both under the numbers of their chunks."""
    return {**panes, **{number + _WATCHED: cells for number, cells in watched.items()}}


def _commit(
    store: ChunkStore, before: Mapping[int, Cells], after: Mapping[int, Cells], keys: pa.Table
) -> tuple[PaneChunk, ...]:
    """Write the panes that got rows, and forget those that no window needs any more."""
    for number in before:
        if number not in after:
            store.delete(number)
    for number, cells in after.items():
        if before.get(number) is not cells:
            store.write(number, to_bytes(_chunk(cells, keys, binned=_is_watched(number))))
    return tuple(PaneChunk(number, len(after[number])) for number in sorted(after))


def _chunk(cells: Cells, keys: pa.Table, *, binned: bool) -> pa.Table:
    columns: dict[str, Any] = {name: keys[name].take(cells.group) for name in keys.column_names}
    if binned:
        columns[_BIN] = cells.place
    for value, state in enumerate(cells.states):
        columns |= {_column(value, number): column for number, column in enumerate(state)}
    return pa.table(columns)


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
