"""What every operator gives back, as users and type checkers see it."""

from __future__ import annotations

from typing import Any, Protocol


class Output(Protocol):
    """What every operator gives back: tables for bounded frames, DataFrames on Spark."""

    @property
    def results(self) -> Any:
        """What was asked for."""

    @property
    def late(self) -> Any:
        """Every row that could not be used in time, with the reason and by how much it was late."""

    @property
    def decisions(self) -> Any:
        """One row per adaptation: the slack, and where the rows are."""

    def explain(self) -> str:
        """Describe the plan: operators, contract, controller, buckets, state, what will run."""

    def start(
        self,
        *,
        results: Any,
        checkpoint: Any,
        late: Any = None,
        decisions: Any = None,
        control: Any = None,
        latency: Any = None,
        trigger: dict[str, Any] | None = None,
        name: str | None = None,
    ) -> Any:
        """On Spark, start one query that writes the three outputs: see `slackwater.spark.running`."""
