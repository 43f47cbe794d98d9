"""The recall of the last period: what was due and what was produced, interval by interval."""

from __future__ import annotations

from collections import deque
from typing import Any

_MOST_PARTS = 64  # that a period is remembered in: shorter intervals are put together


class RecentRecall:
    """Remembers the intervals of the last `period` of event time, in us. O(1) for each interval.

    >>> recent = RecentRecall(10)
    >>> recent.update(4, 3)
    >>> recent.close(5)
    >>> recent.get()
    0.75
    >>> recent.close(15)
    >>> recent.get()
    """

    def __init__(self, period: int, state: dict[str, Any] | None = None) -> None:
        state = state or {}
        self._period = period
        self._closed = deque(tuple(each) for each in state.get("closed", []))  # (clock, due, made, first clock)
        self._due, self._made = state.get("open", (0.0, 0.0))
        self._total = state.get("total", (0.0, 0.0))  # over the closed ones

    def update(self, due: float, made: float) -> None:
        """Take in results of the interval under way."""
        self._due, self._made = self._due + due, self._made + made

    def close(self, clock: int) -> None:
        """End an interval, and forget those that are a period old."""
        if self._closed and clock - self._closed[-1][3] < self._period // _MOST_PARTS:
            _, before_due, before_made, since = self._closed.pop()
            self._closed.append((clock, before_due + self._due, before_made + self._made, since))
        else:
            self._closed.append((clock, self._due, self._made, clock))
        due, made = self._total[0] + self._due, self._total[1] + self._made
        self._due = self._made = 0.0
        while self._closed and self._closed[0][0] <= clock - self._period:
            _, gone_due, gone_made, _ = self._closed.popleft()
            due, made = due - gone_due, made - gone_made
        self._total = (due, made) if due > 1e-9 else (0.0, 0.0)  # what rounding leaves of nothing is nothing

    def get(self) -> float | None:
        """Return the recall over the closed intervals; None where nothing was due."""
        due, made = self._total
        return made / due if due > 0 else None

    def counts(self) -> tuple[float, float]:
        """Return what was due and what was made of it over the closed intervals."""
        due, made = self._total
        return due, made

    def snapshot(self) -> dict[str, Any]:
        """Return all that is needed to go on, as values that JSON can hold."""
        return {"closed": [list(each) for each in self._closed], "open": [self._due, self._made], "total": self._total}
