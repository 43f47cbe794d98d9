"""The share of events that were used in time, over the arrivals of the last period: exact, decision by decision."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from slackwater.estimate.recent_recall import RecentRecall

if TYPE_CHECKING:
    from slackwater.contracts import Contract
    from slackwater.events import Rows
    from slackwater.pipeline.boundaries import Decisions


class KeptShare:
    """Counts arrivals and late events from decision to decision; `period` is in us."""

    def __init__(self, period: int, state: dict[str, Any] | None = None) -> None:
        self._recent = RecentRecall(period, state)

    @classmethod
    def of(cls, contract: Contract, state: dict[str, Any]) -> KeptShare | None:
        """Build it for a contract with a target; others have nothing to be measured over."""
        return cls(contract.period.microseconds, state.get("kept")) if contract.period else None

    def follow(self, decisions: Decisions, arrived: Rows, late: Rows) -> Decisions:
        """Write down what was measured at each decision of a part.

        `arrived` and `late` count from the start of the part: one entry for each decision, and one for its end.
        """
        measured, due, missed = [], 0, 0
        for at, came, gone in zip([*decisions.at.tolist(), None], arrived.tolist(), late.tolist(), strict=True):
            measured.append(self.follow_part(came - due, gone - missed, at))
            due, missed = came, gone
        return replace(decisions, measured=np.array(measured[:-1], np.float64))

    def follow_part(self, arrived: int, late: int, at: int | None) -> float | None:
        """Take in a part that ends with a decision `at`, if any, and return what is measured by then."""
        self._recent.update(arrived, arrived - late)
        if at is not None:
            self._recent.close(at)
        return self._recent.get()

    def drained(self, late: int) -> None:
        """Count events that turned out to be late when what was held had to leave."""
        self._recent.update(0, -late)

    def get(self) -> float | None:
        """Return the share over the period before the last decision; None where nothing arrived."""
        return self._recent.get()

    def snapshot(self) -> dict[str, Any]:
        """Return all that is needed to go on, as values that JSON can hold."""
        return {"kept": self._recent.snapshot()}
