"""What the driver alone knows of the last batch of its queries, for listeners in the same process.

Progress reports have what buckets say. How long rows took until they were written, and what the driver decides with
`scope="global"`, is known only after that.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql.streaming.query import StreamingQuery

_OF_QUERIES: dict[str, Noted] = {}  # by id, which a restart keeps; a few hundred bytes each


@dataclass(frozen=True)
class Noted:
    """Of the last batch."""

    latency: dict[str, Any] = field(default_factory=dict)  # a row of `sw.latency`
    decision: dict[str, Any] = field(default_factory=dict)  # a row of decisions

    def decided(self, decide: Callable[..., pa.Table]) -> Callable[..., pa.Table]:
        """Return the same function, of whose decisions the last is noted."""

        def deciding(*reported: Any) -> pa.Table:
            table = decide(*reported)
            if table.num_rows:
                self.decision.update(table.slice(table.num_rows - 1).to_pylist()[0])
            return table

        return deciding

    def belong_to(self, query: StreamingQuery) -> None:
        """Let listeners find it."""
        _OF_QUERIES[str(query.id)] = self


def noted_of(query: str) -> Noted:
    """Return what is noted of a query; of one that another process started, nothing."""
    return _OF_QUERIES.get(query, Noted())


def is_noted(query: str) -> bool:
    """Whether this process started a query."""
    return query in _OF_QUERIES


def forget(query: str) -> None:
    """Let go of a query that has ended."""
    _OF_QUERIES.pop(query, None)
