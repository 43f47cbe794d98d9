"""What the driver alone knows of the last batches of its queries, for listeners in the same process.

Progress reports have what buckets say. How long rows took until they were written, and what the driver decides with
`scope="global"`, is known only after that.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from slackwater.spark.batch_report import last_contract

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pyarrow as pa
    from pyspark.sql.streaming.query import StreamingQuery

_OF_QUERIES: dict[str, tuple[str, Noted]] = {}  # by id, which a restart keeps, with the run; some kilobytes each
_BATCHES = 100  # by which listeners may be behind: Spark reports to them while the next batches run


@dataclass(frozen=True)
class Noted:
    """Of the last batches."""

    latency: dict[int, Mapping[str, Any]] = field(default_factory=dict)  # rows of `sw.latency`, by batch
    decision: dict[str, Any] = field(default_factory=dict)  # the last row of decisions

    def measured(self, figures: Mapping[str, Any]) -> None:
        """Note how long rows of a batch took."""
        self.latency[figures["batch"]] = dict(figures)
        for old in sorted(self.latency)[:-_BATCHES]:
            del self.latency[old]

    def decided(self, decide: Callable[..., pa.Table]) -> Callable[..., pa.Table]:
        """Return the same function, of whose decisions the last is noted; those under another contract are not."""

        def deciding(bodies: Sequence[bytes], batch: int, said: Sequence[bytes]) -> pa.Table:
            table = decide(bodies, batch, said)
            if last_contract(said) is not None:
                self.decision.clear()
            if table.num_rows:
                self.decision.update(table.slice(table.num_rows - 1).to_pylist()[0])
            return table

        return deciding

    def belong_to(self, query: StreamingQuery) -> None:
        """Let listeners find it."""
        _OF_QUERIES[str(query.id)] = str(query.runId), self


def noted_of(query: str) -> Noted:
    """Return what is noted of a query; of one that another process started, nothing."""
    return _OF_QUERIES[query][1] if query in _OF_QUERIES else Noted()


def is_noted(query: str) -> bool:
    """Whether this process started a query."""
    return query in _OF_QUERIES


def forget(query: str, run: str) -> None:
    """Let go of a run that has ended; one that was started since, from the same checkpoint, goes on."""
    if query in _OF_QUERIES and _OF_QUERIES[query][0] == run:
        del _OF_QUERIES[query]
