"""What controllers share that search for a slack at every boundary, and hold it until the next."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from slackwater.time import Duration

if TYPE_CHECKING:
    from slackwater.contracts import Goal
    from slackwater.time import Times


class Searching:
    """Holds the slack that the last search found, and what was expected of it; what is remembered is the others'."""

    learns_from = "results"
    needs_cross = True

    def __init__(self, bin_size: int, goal: Goal, state: dict[str, Any]) -> None:
        self._bin_size = bin_size
        self._goal = goal
        self._slack: int = state.get("slack", 0)
        self._estimated: float | None = state.get("estimated")

    @property
    def estimated(self) -> float | None:
        """The quality that the slack in force is predicted to give; None before the first search."""
        return self._estimated

    def next_slack(self) -> Duration:
        """Return what the last search found; nothing is waited for before the first."""
        return Duration(self._slack)

    def slack_path(self, largest_delay: Times) -> None:
        """Follow no arrival."""

    def snapshot(self) -> dict[str, Any]:
        """Return the slack, and what the memories are counted in."""
        return {"slack": self._slack, "granularity": self._bin_size, "estimated": self._estimated}
