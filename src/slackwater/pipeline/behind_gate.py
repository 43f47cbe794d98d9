"""The recall of a join behind a gate that does not wait for slow streams as long as results would need.

What slacks lose is known from arrivals alone (`pipeline/foresight.py`). What a deadline loses is not: it depends on
what the gate has let pass. A result is lost if the join had gone past it when its last member came.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from slackwater.estimate.recent_recall import RecentRecall

if TYPE_CHECKING:
    from collections.abc import Callable

    from slackwater.core.needed import Needs
    from slackwater.events import Rows
    from slackwater.measurement import Numbers
    from slackwater.time import Times


class BehindGate:
    """Counts what was due and what was produced over the last period, from a sample of events; in us."""

    def __init__(self, period: int, state: dict[str, Any] | None = None) -> None:
        self._recent = RecentRecall(period, state)

    def on_batch(self, needs: Needs, interval: Rows, clock: Times, passed_on: Callable[[Rows], Times]) -> Numbers:
        """Return the recall at each boundary, nan where nothing was due.

        `interval` numbers that of each step, `clock` has that of each boundary, `passed_on` says the join's time before
        steps.
        """
        produced = passed_on(needs.step) < needs.gone
        count = len(clock) + 1
        due = np.bincount(interval[needs.step], weights=needs.weight, minlength=count)
        made = np.bincount(interval[needs.step], weights=needs.weight * produced, minlength=count)
        measured = np.full(len(clock), np.nan)
        for number, at in enumerate(clock.tolist()):
            self._recent.update(float(due[number]), float(made[number]))
            self._recent.close(at)
            recall = self._recent.get()
            measured[number] = np.nan if recall is None else recall
        self._recent.update(float(due[-1]), float(made[-1]))
        return measured

    def snapshot(self) -> dict[str, Any]:
        """Return all that is needed to go on, as values that JSON can hold."""
        return self._recent.snapshot()
