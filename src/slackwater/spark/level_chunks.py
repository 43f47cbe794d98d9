"""Levels above the first of a plan of aggregates, in Spark's state store: a chunk for each open pane, as the first has.

Each level has a store of its own. A call reads and writes the panes that results below come to, and those of windows
that it closes or shows; the others stay as they are, unread.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from slackwater.core.aggregate_state import AggregateState
from slackwater.core.open_panes import OpenPanes
from slackwater.core.punctuations import Promised
from slackwater.spark.notes import commit_notes, read_notes, restored_notes
from slackwater.spark.pane_chunks import PaneChunk, commit_panes, stored_panes
from slackwater.time import BEFORE_ALL_TIME

if TYPE_CHECKING:
    from slackwater.pipeline.groups import GrowingGroups
    from slackwater.plan.nodes import AggregateNode
    from slackwater.spark.state import ChunkStore

_SHOWN = "shown"


class StoredLevel:
    """One level of one bucket, from its saved form until it is saved again; `saved` is what JSON can hold of it."""

    def __init__(self, node: AggregateNode, saved: Mapping[str, Any], store: ChunkStore, groups: GrowingGroups) -> None:
        self._store, self._groups = store, groups
        self._chunks = tuple(PaneChunk(*chunk) for chunk in saved.get("chunks", ()))
        names = saved.get("notes", ())
        tables = read_notes(store, names)
        self._notes = restored_notes(names, tables, groups.codes_of(tables))
        self._panes = stored_panes(node, self._chunks, store, groups)
        self.state = AggregateState(
            clock=saved.get("clock"),
            reached=saved.get("reached"),
            panes=self._panes,
            promised=Promised(saved.get("until", BEFORE_ALL_TIME)),
            shown=self._notes.get(_SHOWN),
        )

    def read_all(self) -> None:
        """Read every pane, so that all groups are known."""
        self._panes.read_all()

    def commit(self, after: AggregateState) -> dict[str, Any]:
        """Write what changed; return the saved form."""
        assert isinstance(after.panes, OpenPanes)
        keys = self._groups.keys
        chunks = commit_panes(self._store, self._chunks, after.panes, keys)
        notes = {} if after.shown is None else {_SHOWN: after.shown}
        return {
            "clock": after.clock,
            "reached": after.reached,
            "until": after.promised.until,
            "chunks": [(chunk.number, chunk.rows) for chunk in chunks],
            "notes": commit_notes(self._store, self._notes, notes, keys),
        }
