"""The largest delay of recent intervals that had events: what a silence does not make forget."""

from __future__ import annotations

from collections import deque
from typing import Any

_MOST_PARTS = 64  # that intervals are remembered in


class RecentPeak:
    """Remembers the largest value of the last `intervals` or a few more, in at most 64 parts. O(1) for each interval.

    >>> recent = RecentPeak(2)
    >>> for value in (5, 1, 2):
    ...     recent.update(value)
    ...     recent.close()
    >>> recent.get()
    2
    """

    def __init__(self, intervals: int, state: dict[str, Any] | None = None) -> None:
        state = state or {}
        self._each = -(-intervals // _MOST_PARTS)  # intervals of a part
        self._parts: deque[int] = deque(state.get("parts", []), maxlen=-(-intervals // self._each))
        self._open, self._closed = state.get("open", 0), state.get("closed", 0)

    def update(self, value: int) -> None:
        """Take in a value of the interval under way."""
        self._open = max(self._open, value)

    def close(self) -> None:
        """End an interval."""
        self._closed += 1
        if self._closed >= self._each:  # more where fewer intervals are remembered than when it was saved
            self._parts.append(self._open)
            self._open = self._closed = 0

    def get(self) -> int:
        """Return the largest value."""
        largest: int = max(self._open, max(self._parts, default=0))
        return largest

    def snapshot(self) -> dict[str, Any]:
        """Return all that is needed to go on, as values that JSON can hold."""
        return {"parts": list(self._parts), "open": self._open, "closed": self._closed}
