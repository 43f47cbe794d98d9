"""What controllers that wrap another one share: they let it learn, and change what it says."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from slackwater.control.controller import learns_from, needs_cross

if TYPE_CHECKING:
    from slackwater.control.controller import Controller
    from slackwater.measurement import Measurement


class Around:
    """Learns as the inner controller does; what wraps it is configuration, so its snapshot is the inner one."""

    def __init__(self, inner: Controller) -> None:
        self._inner = inner

    @property
    def learns_from(self) -> str:
        """As the inner controller."""
        return learns_from(self._inner)

    @property
    def needs_cross(self) -> bool:
        """As the inner controller."""
        return needs_cross(self._inner)

    def observe(self, measurement: Measurement) -> None:
        """Let the inner controller learn."""
        self._inner.observe(measurement)

    def snapshot(self) -> dict[str, Any]:
        """Return the inner snapshot."""
        return self._inner.snapshot()
