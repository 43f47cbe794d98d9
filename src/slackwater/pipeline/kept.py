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
        came, missed = np.diff(arrived, prepend=0).tolist(), np.diff(late, prepend=0).tolist()
        measured = np.full(len(decisions), np.nan)
        for number, at in enumerate(decisions.at.tolist()):
            self._recent.update(came[number], came[number] - missed[number])
            self._recent.close(at)
            share = self._recent.get()
            measured[number] = np.nan if share is None else share
        self._recent.update(came[-1], came[-1] - missed[-1])
        return replace(decisions, measured=measured)

    def drained(self, late: int) -> None:
        """Count events that turned out to be late when what was held had to leave."""
        self._recent.update(0, -late)

    def get(self) -> float | None:
        """Return the share over the period before the last decision; None where nothing arrived."""
        return self._recent.get()

    def snapshot(self) -> dict[str, Any]:
        """Return all that is needed to go on, as values that JSON can hold."""
        return {"kept": self._recent.snapshot()}
