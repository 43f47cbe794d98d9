"""What controllers share that search for a slack at every boundary, by a model of the results."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from slackwater.control.held import Held

if TYPE_CHECKING:
    from slackwater.contracts import Goal


class Searching(Held):
    """Holds what the last search found; what is remembered besides is the others'."""

    learns_from = "results"
    needs_cross = True

    def __init__(self, bin_size: int, goal: Goal, state: dict[str, Any]) -> None:
        super().__init__(state)
        self._bin_size = bin_size
        self._goal = goal

    def snapshot(self) -> dict[str, Any]:
        """Return the slack, and what the memories are counted in."""
        return {**super().snapshot(), "granularity": self._bin_size}
