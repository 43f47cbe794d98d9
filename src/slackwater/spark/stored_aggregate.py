"""The aggregate of a bucket, or a tower of them: made from its state, driven by one call, and saved again.

State is one small entry, and a chunk for each open pane of each level. A chunk has the groups of its pane and the
states of their functions. A call reads the panes that it adds rows to and those of windows that it closes, and writes
those that got rows; the others stay as they are, unread. Rows never wait, so none are kept, but for those of a burst
that are set aside: a chunk for all. Where the contract is about values, each window that is watched has a chunk too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import pyarrow as pa

from slackwater.pipeline.aggregate import AggregateOutcome, AggregatePipeline
from slackwater.pipeline.aggregate_columns import read_inputs
from slackwater.pipeline.groups import GrowingGroups, GrowingRegroup
from slackwater.pipeline.prod import Prod, control_marks
from slackwater.pipeline.read_marks import KnownGroups, read_marks
from slackwater.plan.values import described
from slackwater.spark.added_up import read_added
from slackwater.spark.call import Saved, columns_of, times_of
from slackwater.spark.level_chunks import StoredLevel
from slackwater.spark.notes import commit_notes, read_notes, restored_notes
from slackwater.spark.pane_chunks import PaneChunk, commit_panes, stored_panes
from slackwater.spark.sideline_chunks import commit_sidelined, read_sidelined
from slackwater.spark.watched import commit_watched, read_watched

if TYPE_CHECKING:
    from slackwater.pipeline.guard import Incoming
    from slackwater.pipeline.marks import Mark
    from slackwater.plan.nodes import AggregateNode
    from slackwater.spark.state import ChunkStore


@dataclass(frozen=True, slots=True)
class AggregateSaved(Saved):
    """Everything small that a bucket remembers; its chunks are panes."""

    chunk_type: ClassVar[type[Any]] = PaneChunk

    notes: tuple[str, ...] = ()  # which have a chunk
    watched: tuple[int, ...] = ()  # windows that have a chunk of their own
    sidelined: tuple[str, ...] = ()  # which chunks there are of bursts
    above: tuple[dict[str, Any], ...] = ()  # the levels above the first

    @property
    def waits(self) -> bool:
        """Whether a window is open."""
        return bool(self.chunks) or any(level["chunks"] for level in self.above)


def identity_of_aggregate(node: AggregateNode, schema: pa.Schema) -> str:
    """Return what saved state depends on: with another it would be misread. The contract may change."""
    groups = f" by ({', '.join(node.by)}) in {node.buckets} buckets" if node.by else ""
    windows = f"aggregate {described(node.values)} over windows of {node.size} every {node.slide}"
    early = "" if node.early is None else " with early results"
    early += " that are compared" if node.compares_early else ""
    of = f"{times_of(node.stream)}{groups} {columns_of(schema)}"
    if node.below is not None:
        of = f"of what this gives{groups}: {identity_of_aggregate(replace(node.below, buckets=1), schema)}"
    return f"{windows}{early} {of}"


class StoredAggregate:
    """Restores the pipeline of a bucket for the rows of one call; `commit` saves it."""

    def __init__(
        self,
        node: AggregateNode,
        saved: AggregateSaved,
        stores: Sequence[ChunkStore],  # of each level
        table: pa.Table,
        *,
        cells: pa.Table | None = None,  # of rows that were added up before they came
        asked: Sequence[Prod] = (),  # prods on demand, which act at the end of the batch
        drain: bool = False,
    ) -> None:
        self.node, self._saved, self._store, self._table, self._asked = node, saved, stores[0], table, asked
        self._first, self._groups = node.levels[0], _groups_of(node, table)
        own, values = self._groups[0], len(self._first.values)
        self._code = own.codes(table)
        self._added = None if cells is None else read_added(self._first, cells, rows=table.num_rows)
        if cells is not None:
            self._code = np.concatenate((self._code, own.codes_of([cells])))
        panes = stored_panes(self._first, saved.chunks, self._store, own)
        noted = read_notes(self._store, saved.notes)
        self._notes = restored_notes(saved.notes, noted, own.codes_of(noted))
        self._above = _levels_of(node, saved, stores, self._groups)
        if node.stream.marker is not None or asked:  # a prod or punctuation may speak of any group
            panes.read_all()
            for level in self._above:
                level.read_all()
        self._watched = read_watched(self._store, saved.watched, own, values)
        self._sidelined = read_sidelined(self._store, saved.sidelined, own, values)
        self._regroup = [GrowingRegroup(*pair) for pair in pairwise(self._groups)]
        self.pipeline = AggregatePipeline(
            replace(node, sideline=None) if drain else node,  # nothing would be on time for it
            saved.pipeline,
            panes,
            self._notes,
            watched=self._watched,
            regroup=self._regroup,
            uppers=[level.state for level in self._above],
            sidelined=self._sidelined,
        )

    @property
    def keys(self) -> pa.Table:
        """The keys of each group of the results, in the order of their codes."""
        return self._groups[-1].keys

    @property
    def waits(self) -> bool:
        """Whether a window is open."""
        return bool(self.pipeline.panes) or any(level.panes for level in self.pipeline.uppers)

    def with_cells(self, incoming: Incoming) -> Incoming:
        """Put what was added up behind the rows of the call."""
        return incoming if self._added is None else self._added.join(incoming, self._first.stream)

    def on_batch(self, incoming: Incoming, more: Sequence[Mark] = ()) -> AggregateOutcome:
        """Take in the rows of the call, with the marks among them and some more that act at its end."""
        for regroup in self._regroup:
            regroup.follow()  # a prod may speak of groups that have just come
        first = KnownGroups(self._code, self._groups[0].keys)
        last = KnownGroups(self._code, self.keys) if self._above else first
        incoming, marks = read_marks(self.node, self._table, incoming, first, last)
        marks += [*more, *control_marks(self.node, self._table.schema, self._asked, last)]
        inputs = read_inputs(self._first, self._table)
        if self._added is not None:
            inputs = self._added.inputs([value.algebra for _, value in self._first.computed], inputs)
        return self.pipeline.on_batch(incoming, self._code, inputs, marks, added=self._added)

    def commit(self) -> AggregateSaved:
        """Write what changed; return everything small."""
        pipeline, store, keys, saved = self.pipeline, self._store, self._groups[0].keys, self._saved
        return AggregateSaved(
            pipeline.snapshot(),
            commit_panes(store, saved.chunks, pipeline.panes, keys),
            calls=saved.calls + 1,
            notes=commit_notes(store, self._notes, pipeline.notes, keys),
            watched=commit_watched(store, self._watched, pipeline.watched, keys),
            sidelined=commit_sidelined(store, saved.sidelined, self._sidelined, pipeline.sidelined, keys),
            above=tuple(level.commit(after) for level, after in zip(self._above, pipeline.uppers, strict=True)),
        )


def _groups_of(node: AggregateNode, table: pa.Table) -> list[GrowingGroups]:
    return [GrowingGroups.none(table.select(list(level.by))) for level in node.levels]


def _levels_of(
    node: AggregateNode, saved: AggregateSaved, stores: Sequence[ChunkStore], groups: Sequence[GrowingGroups]
) -> list[StoredLevel]:
    """Restore the levels above the first."""
    kept = saved.above or ({},) * len(stores[1:])
    above = zip(node.levels[1:], kept, stores[1:], groups[1:], strict=True)
    return [StoredLevel(*each) for each in above]
