"""A controller for tests: it follows a script."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from slackwater.contracts import NO_GOAL, Goal
from slackwater.errors import ParameterError
from slackwater.time import Duration, DurationLike

if TYPE_CHECKING:
    from slackwater.measurement import Measurement
    from slackwater.time import Times


@dataclass(frozen=True)
class Scripted:
    """Waits for each slack of a script in turn: the next from each decision on, the last for ever.

    >>> Scripted(("1 second", "3 seconds")).build().next_slack()
    Duration('1 second')
    """

    slacks: tuple[DurationLike, ...]
    skipped_laws: ClassVar[Mapping[str, str]] = {
        "any order within the slack gives the in-order output": "a script may lower the slack while events wait"
    }

    def __post_init__(self) -> None:
        """Check the script."""
        if not self.slacks:
            raise ParameterError("slacks", self.slacks, must="have at least one slack", remedy='use ("0 seconds",)')
        checked = tuple(Duration.of(slack, parameter="slacks") for slack in self.slacks)
        object.__setattr__(self, "slacks", checked)

    def build(self, state: dict[str, Any] | None = None, goal: Goal = NO_GOAL) -> ScriptedController:
        """Make the controller, at the start of the script or where its snapshot left it."""
        return ScriptedController(tuple(Duration.of(s) for s in self.slacks), (state or {}).get("turn", 0))


class ScriptedController:
    """Logic of `Scripted`. It gives no path, so the pipeline has to ask it at every boundary."""

    def __init__(self, slacks: tuple[Duration, ...], turn: int) -> None:
        self._slacks = slacks
        self._turn = turn

    def observe(self, measurement: Measurement) -> None:
        """Go on to the next slack, if a boundary was crossed."""
        if measurement.intervals:
            self._turn += 1

    def next_slack(self) -> Duration:
        """Return the slack of this turn."""
        return self._slacks[min(self._turn, len(self._slacks) - 1)]

    def slack_path(self, largest_delay: Times) -> None:
        """Follow no arrival."""

    def snapshot(self) -> dict[str, Any]:
        """Return how far the script got."""
        return {"turn": self._turn}
