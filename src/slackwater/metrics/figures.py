"""The figures of all queries as they are now: added up batch by batch, read by exporters whenever they like."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from slackwater.metrics.batch import OF_CONTRACT
from slackwater.metrics.catalog import METRICS, Metric

if TYPE_CHECKING:
    from slackwater.metrics.batch import Batch


@dataclass(frozen=True, slots=True)
class Sample:
    """The value of a metric now."""

    metric: Metric
    labels: dict[str, str]
    value: float


@dataclass
class _Query:
    name: str
    operator: str | None = None  # known with the first batch
    last_batch: int = -1
    counts: dict[tuple[str, str | None], int] = field(default_factory=dict)
    levels: dict[tuple[str, str | None], float] = field(default_factory=dict)

    def add(self, batch: Batch) -> None:
        self.name, self.operator = batch.query, batch.operator
        if batch.number > self.last_batch:
            self.last_batch = batch.number
            for where, rows in batch.counts.items():
                self.counts[where] = self.counts.get(where, 0) + rows
        for name, label in [*self.levels]:
            if name in OF_CONTRACT and label != batch.measure:
                del self.levels[name, label]  # of a contract that rules no more
        self.levels |= batch.levels

    def is_ended_as(self, name: str) -> bool:
        return self.name == name and self.levels.get(("active", None)) == 0

    def samples(self) -> Iterator[Sample]:
        common = {"query": self.name, "operator": self.operator or "unknown"}
        for (name, value), number in (self.counts | self.levels).items():
            metric = METRICS[name]
            own = {} if metric.label is None or value is None else {metric.label: value}
            yield Sample(metric, {**common, **own}, number)


class Figures:
    """Adds batches up. A batch that is replayed is counted once; from any thread.

    >>> from slackwater.metrics.batch import Batch
    >>> figures = Figures()
    >>> for number in (0, 1, 1):
    ...     figures.on_batch(Batch(id="7", query="jams", number=number, observed={"arrived": 5}))
    >>> [sample.value for sample in figures.samples() if sample.metric.name == "arrived_rows"]
    [10]
    """

    def __init__(self) -> None:
        self._queries: dict[str, _Query] = {}
        self._lock = threading.Lock()

    @property
    def queries(self) -> int:
        """How many queries there are figures of."""
        return len(self._queries)

    def on_start(self, query: str, name: str) -> None:
        """A query runs. One of its name that has ended makes room: exporters tell queries apart by their names."""
        with self._lock:
            for other in [id_ for id_, each in self._queries.items() if id_ != query and each.is_ended_as(name)]:
                del self._queries[other]
            known = self._queries.setdefault(query, _Query(name))
            known.counts.setdefault(("failures", None), 0)
            known.levels["active", None] = 1

    def on_batch(self, batch: Batch) -> None:
        """A batch has been written."""
        with self._lock:
            self._queries.setdefault(batch.id, _Query(batch.query)).add(batch)

    def on_end(self, query: str, *, failed: bool) -> bool:
        """A query has ended; return whether it is known. What it counted stays: a restart goes on from there."""
        with self._lock:
            if (known := self._queries.get(query)) is None:
                return False
            known.levels["active", None] = 0
            known.counts["failures", None] = known.counts.get(("failures", None), 0) + failed
            return True

    def samples(self) -> list[Sample]:
        """Return all values: of queries that have ended the last ones."""
        with self._lock:
            return [sample for query in self._queries.values() for sample in query.samples()]
