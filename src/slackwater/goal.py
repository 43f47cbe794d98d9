"""What a controller is to reach, and what describes one: where contracts and controllers meet."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

from slackwater.errors import ParameterError


@dataclass(frozen=True, slots=True)
class Goal:
    """What a controller is to reach, and for what: the contract and the plan in numbers. Durations are in us."""

    target: float | None = None  # the share to be produced or kept: of a drop ratio, its complement
    period: int = 0  # over which the target is to be reached (P in the documents)
    interval: int = 1_000_000  # between two decisions (L in the documents)
    windows: tuple[int, ...] = ()  # of each stream of a join
    cap: int | None = None  # the longest wait
    deadline: int | None = None  # the longest latency
    latency: int = 0  # what of the deadline is not there for waiting, as far as is known before the start


NO_GOAL = Goal()


class ControllerConfig(Protocol):
    """A frozen description of a controller; `build` makes the controller itself, anew or from its snapshot."""

    def build(self, state: dict[str, Any] | None = None, goal: Goal = NO_GOAL) -> Any:
        """Make the controller; what it is, is said by `slackwater.control`."""


def check_config(parameter: str, config: object) -> None:
    """Check that a value can build a controller."""
    if isinstance(config, type) or not callable(getattr(config, "build", None)):
        raise ParameterError(
            parameter,
            config,
            must="be a controller's configuration",
            remedy="such as sw.control.ModelSearch() or sw.control.MaxDelay()",
        )
