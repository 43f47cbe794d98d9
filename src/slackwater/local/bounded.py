"""What the outputs of plans over bounded tables share."""

from __future__ import annotations

from typing import Any, NoReturn

from slackwater.errors import ParameterError


class BoundedOutput:
    """It runs when the first output is asked for."""

    def start(self, **_: Any) -> NoReturn:
        """Say that there is nothing to start."""
        raise ParameterError(
            "frame", "a bounded table", must="be a streaming DataFrame to be started", remedy="read .results and .late"
        )
