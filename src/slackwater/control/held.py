"""What controllers share that decide at boundaries, and hold the slack until the next."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from slackwater.time import Duration

if TYPE_CHECKING:
    from slackwater.time import Times


class Held:
    """Holds the slack that was decided last, and what was expected of it; nothing is waited for before that."""

    def __init__(self, state: dict[str, Any]) -> None:
        self._slack: int = state.get("slack", 0)
        self._estimated: float | None = state.get("estimated")

    @property
    def estimated(self) -> float | None:
        """The quality to expect with the slack in force; None before the first decision."""
        return self._estimated

    def next_slack(self) -> Duration:
        """Return what was decided last."""
        return Duration(min(self._slack, Duration.MAX.microseconds))

    def slack_path(self, largest_delay: Times) -> None:
        """Follow no arrival."""

    def snapshot(self) -> dict[str, Any]:
        """Return the slack, and what was expected of it."""
        return {"slack": self._slack, "estimated": self._estimated}
