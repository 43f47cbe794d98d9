"""Prods of the clock whose aggressiveness follows how accurate early results were: `Early(accuracy=0.98)`.

How early a window is shown is settled when the one before is shown, from the windows that are final by then. So it does
not depend on how the stream is cut into batches.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING, Any

from slackwater.control.aggressiveness import LEAST, Aggressiveness
from slackwater.core.prods import ALL_WINDOWS, Ask
from slackwater.time import first_unshown_window

if TYPE_CHECKING:
    from slackwater.early import Early
    from slackwater.estimate.arrays import Floats
    from slackwater.time import Times

START = 0.25  # of the slide, if nothing else is said


class ChosenProds:
    """Asks for each window once, as early as the accuracy allows.

    >>> import numpy as np
    >>> from slackwater.early import Early
    >>> chosen = ChosenProds(Early(accuracy=0.9, aggressiveness=0.5), slide=10, functions=1)
    >>> clock = np.array([4, 6, 16])
    >>> chosen.due(clock, 0), chosen.ask(4).last  # the first event shows what was due before it
    (0, -1)
    >>> chosen.due(clock, 1), chosen.ask(6).last
    (1, 0)
    """

    def __init__(self, early: Early, *, slide: int, functions: int, state: dict[str, Any] | None = None) -> None:
        assert early.accuracy is not None
        state = state or {}
        start = max(START if early.aggressiveness is None else early.aggressiveness, LEAST)
        self._chosen = Aggressiveness(
            accuracy=early.accuracy, functions=functions, start=start, state=state.get("chosen")
        )
        self._slide = slide
        self._lead: int = state.get("lead", self._chosen_lead())
        self._next: int = state.get("next", -ALL_WINDOWS)  # the first window that was not shown

    def due(self, clock: Times, start: int) -> int | None:
        """Return the first step from `start` on after which windows are to be shown; `clock` is that after each."""
        step = bisect_right(clock, self._next, lo=start, key=self._unshown)
        return step if step < len(clock) else None

    def ask(self, clock: int) -> Ask:
        """Return which windows are to be shown at this clock; later ones are next."""
        first, self._next = self._next, self._unshown(clock)
        return Ask(first, self._next - 1)

    def choose(self) -> None:
        """Settle how early the next window is shown."""
        self._lead = self._chosen_lead()

    def observe(self, errors: Floats) -> None:
        """Take in how wrong the early results of a window were."""
        self._chosen.observe(errors)

    def snapshot(self) -> dict[str, Any]:
        """Return all that is needed to go on, as values that JSON can hold."""
        return {"chosen": self._chosen.snapshot(), "lead": self._lead, "next": self._next}

    def _unshown(self, clock: int) -> int:
        return first_unshown_window(int(clock), self._lead, self._slide)

    def _chosen_lead(self) -> int:
        return round(self._chosen.get() * self._slide)
