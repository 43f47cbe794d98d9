"""Follow a running query from its progress reports, and drain it when it has seen the whole stream."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from slackwater.errors import AccountingError, SlackwaterError


@dataclass
class Progress:
    """The counts of a query, added up from the reports of its micro-batches."""

    arrived: int = 0
    released: int = 0
    late: int = 0
    buffered: int = 0
    slack: int = 0  # us
    rows_per_second: float = 0.0
    seen: set[int] = field(default_factory=set)

    def add(self, reports: Iterable[Mapping[str, Any]]) -> None:
        """Take in reports, each micro-batch once; those without new rows have no counts and are passed over."""
        for report in reports:
            counts = (report.get("observedMetrics") or {}).get("slackwater")
            if counts is None or counts["arrived"] is None or report["batchId"] in self.seen:
                continue
            self.seen.add(report["batchId"])
            self.arrived += counts["arrived"]
            self.released += counts["released"]
            self.late += counts["late"]
            self.buffered = counts["buffered"]
            self.slack = counts["slack"]
            if counts["arrived"]:
                self.rows_per_second = report.get("processedRowsPerSecond") or 0.0

    def check(self) -> None:
        """Raise unless every row is accounted for."""
        if self.arrived != self.released + self.late + self.buffered:
            raise AccountingError(arrived=self.arrived, released=self.released, late=self.late, buffered=self.buffered)


class Following:
    """One query on its way through `total` rows, then the drain, then its end."""

    def __init__(self, policy: str, query: Any, *, control: Path, total: int) -> None:
        self.policy = policy
        self.total = total
        self.progress = Progress()
        self.done = False
        self._query = query
        self._control = control
        self._batches_at_drain: int | None = None

    @property
    def is_draining(self) -> bool:
        """Whether all rows have come, and the query only has to release what it holds."""
        return self._batches_at_drain is not None and not self.done

    def step(self) -> None:
        """Look at the query once; send the drain, or stop the query, when it is time to."""
        if self.done:
            return
        self._raise_if_failed()
        self.progress.add(self._query.recentProgress)
        self.progress.check()
        if self._batches_at_drain is None and self.progress.arrived >= self.total:
            self._drain()
        elif self._batches_at_drain is not None and len(self.progress.seen) > self._batches_at_drain:
            self._raise_if_held()
            self.stop()
            self.done = True

    def stop(self) -> None:
        """Stop the query, whatever it is doing."""
        self._query.stop()

    def _drain(self) -> None:
        from slackwater.spark.control_stream import send

        self._batches_at_drain = len(self.progress.seen)
        send(self._control, "drain")

    def _raise_if_held(self) -> None:
        if self.progress.buffered:
            raise SlackwaterError(f"policy {self.policy} still holds {self.progress.buffered} rows after the drain")

    def _raise_if_failed(self) -> None:
        if self._query.isActive:
            return
        reason = str(self._query.exception() or "it ended by itself").strip().splitlines()[0]
        raise SlackwaterError(f"the query of policy {self.policy} stopped: {reason}")
