"""What is known of one micro-batch of a query when it has been written."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from slackwater.events import REASONS

_MICROSECONDS = 1_000_000
OF_CONTRACT = ("quality_target", "quality_measured", "quality_estimated")  # by what the contract measures
_QUANTILES = {"p50": "0.5", "p95": "0.95", "p99": "0.99", "max": "1"}


@dataclass(frozen=True, slots=True)
class Batch:
    """A micro-batch: `observed` is what buckets said, `latency` the row of `sw.latency`, where it is known.

    >>> batch = Batch(id="7", query="jams", number=0, observed={"arrived": 5, "late": 2, "late_future": 1})
    >>> batch.late
    {'future': 1, 'unlisted': 1}
    """

    id: str  # of the query: stays the same over restarts
    query: str  # its name
    number: int
    observed: Mapping[str, Any]
    latency: Mapping[str, Any] = field(default_factory=dict)
    seconds: float | None = None  # that it took
    began: float | None = None  # seconds since 1970
    state_memory: int | None = None
    state_disk: int | None = None

    @property
    def operator(self) -> str:
        """The operator that runs."""
        return str(self.observed.get("operator") or "unknown")

    @property
    def measure(self) -> str:
        """What the contract that rules is about: another one may, since the batch before."""
        return str(self.observed.get("measure") or "none")

    @property
    def late(self) -> dict[str, int]:
        """How many rows were late, by reason: those that are in no late output are unlisted."""
        found = {str(reason): int(self.observed.get(f"late_{reason}") or 0) for reason in REASONS}
        listed = {reason: rows for reason, rows in found.items() if rows}
        rest = int(self.observed.get("late") or 0) - sum(listed.values())
        return {**listed, "unlisted": rest} if rest > 0 else listed

    @property
    def counts(self) -> dict[tuple[str, str | None], int]:
        """What counters grow by: by metric and the value of its label."""
        grown: dict[tuple[str, str | None], int] = {("batches", None): 1}
        for name in ("arrived", "released"):
            grown[f"{name}_rows", None] = int(self.observed.get(name) or 0)
        grown["decisions", None] = int(self.observed.get("decisions") or 0)
        grown["state_written_bytes", None] = int(self.observed.get("state_bytes") or 0)
        if self.latency.get("missed") is not None:
            grown["deadline_missed_rows", None] = int(self.latency["missed"])
        return grown | {("late_rows", reason): rows for reason, rows in self.late.items()}

    @property
    def levels(self) -> dict[tuple[str, str | None], float]:
        """The values of gauges, as far as they are known."""
        found: dict[tuple[str, str | None], float | None] = {
            ("slack_seconds", None): _seconds(self.observed.get("slack")),
            ("buffered_rows", None): self.observed.get("buffered"),
            **{(name, self.measure): self.observed.get(name.removeprefix("quality_")) for name in OF_CONTRACT},
            **self._quantiles("latency"),
            **self._quantiles("stall"),
            ("batch_seconds", None): self.seconds,
            ("last_batch_time_seconds", None): self.began,
            ("state_memory_bytes", None): self.state_memory,
            ("state_disk_bytes", None): self.state_disk,
        }
        return {where: float(value) for where, value in found.items() if value is not None}

    def _quantiles(self, name: str) -> dict[tuple[str, str | None], float | None]:
        return {
            (f"{name}_seconds", quantile): _seconds(self.latency.get(f"{name}_{short}"))
            for short, quantile in _QUANTILES.items()
        }


def _seconds(microseconds: float | None) -> float | None:
    return None if microseconds is None else microseconds / _MICROSECONDS
