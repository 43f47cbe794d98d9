"""What all contracts share."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import numpy.typing as npt

from slackwater.concise import concise
from slackwater.displayed import Displayed, pairs
from slackwater.errors import ParameterError
from slackwater.goal import ControllerConfig, Goal, check_config
from slackwater.time import Duration, DurationLike, Mask, Times

if TYPE_CHECKING:
    from slackwater.deadline import Deadline

Shares: TypeAlias = npt.NDArray[np.float64]


@dataclass(frozen=True, kw_only=True, repr=False)
class Contract(Displayed):
    """What all contracts share.

    A contract with a target learns how long to wait, so its first seconds are different: each says what is waited until
    then. A slack to begin with cannot be set, but how soon it learns can: a shorter `adaptation_interval` decides
    earlier, a shorter `over` knows its period earlier; `cap` holds from the first row on. A query that goes on from
    its checkpoint, on Spark, does not begin again.

    Args:
        cap: never wait longer than this, whatever the controller would like.
        adaptation_interval: event time between two decisions about the slack (L in the documents).
        controller: how the contract is to be kept; each contract has a good default.
    """

    cap: DurationLike | None = None
    adaptation_interval: DurationLike = "1 second"
    controller: ControllerConfig | None = None

    def __post_init__(self) -> None:
        """Check and normalize the durations."""
        if self.cap is not None:
            object.__setattr__(self, "cap", Duration.of(self.cap, parameter="cap"))
        interval = Duration.of(self.adaptation_interval, parameter="adaptation_interval")
        if not interval:
            raise ParameterError("adaptation_interval", "0", must="be > 0", remedy='use "1 second"')
        object.__setattr__(self, "adaptation_interval", interval)
        if self.controller is not None:
            check_config("controller", self.controller)

    def __repr__(self) -> str:
        return concise(self, always=("over",))

    def _shown(self) -> Iterable[str]:
        known = {
            "target": self.stated,
            "over": self.period or None,
            "cap": self.longest_wait or "none",
            "decides every": f"{self.interval} of event time",
            "controller": "the default" if self.controller is None else repr(self.controller),
        }
        yield pairs({name: value for name, value in known.items() if value is not None})

    @property
    def longest_wait(self) -> Duration | None:
        """The cap, where there is one."""
        return None if self.cap is None else Duration.of(self.cap)

    @property
    def interval(self) -> Duration:
        """The adaptation interval."""
        return Duration.of(self.adaptation_interval)

    @property
    def quality(self) -> float | None:
        """The quality to reach, where the contract has one."""
        return None

    @property
    def stated(self) -> float | None:
        """The target as the contract states it, which decisions show; None where it has none."""
        return None

    @property
    def counts_events(self) -> bool:
        """Whether the quality is a share of events, rather than of the results that an operator makes of them."""
        return False

    def shown(self, quality: Shares) -> Shares:
        """Return qualities in the contract's own terms, which decisions show."""
        return quality

    @property
    def period(self) -> Duration:
        """Over how much event time the quality is measured; zero where the contract has none."""
        return Duration.ZERO

    @property
    def promise(self) -> Contract:
        """What is promised of the results: of two contracts, the one with a target."""
        return self

    @property
    def deadline(self) -> Deadline | None:
        """The deadline, where there is one: then streams are read through a gate that waits no longer."""
        return None

    @property
    def patience(self) -> Duration | None:
        """For how much processing time a silent stream may hold others back; None: for ever."""
        return None

    def gate(self, slack: Times) -> tuple[Times | None, Times | int]:
        """Return how long a gate waits for slower streams (None: for ever), and for stragglers of each."""
        return slack, 0

    def is_past(self, ready: Mask, stall: Times) -> Mask:
        """Whether events that left a gate were past the deadline, which did not let them wait until they were ready."""
        return ~ready

    def slack_ready(self, past: Times) -> Times | None:
        """Return how many events left before they were ready, given how many were past a deadline."""
        return None if self.deadline is None else past

    def after(self, latency: Duration) -> Contract:
        """Return the same where more of a deadline is no waiting."""
        return self

    def ruled(self, slack: Times, past: Times) -> list[str] | None:
        """Return which of two contracts said how long was waited; `past` counts events past the deadline."""
        return None

    def __and__(self, other: Contract) -> Contract:
        """Combine with another contract: this one is kept as far as the other allows; see `slackwater.combined`."""
        from slackwater.combined import Combined

        return Combined(self, other)

    def __bool__(self) -> bool:
        """Refuse `first and second`, which Python would take for the second alone."""
        raise ParameterError(
            "contract",
            self,
            must="not be used as true or false",
            remedy='combine two by &: Recall(0.99) & Deadline("5 seconds"); ask for one by `is not None`',
        )

    def goal(self, windows: tuple[int, ...] = ()) -> Goal:
        """Return what a controller is to reach for an operator with these windows, in us."""
        cap = None if self.longest_wait is None else self.longest_wait.microseconds
        return Goal(self.quality, self.period.microseconds, self.interval.microseconds, windows, cap)
