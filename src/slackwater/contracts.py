"""What the user asks for: frozen values, checked at construction. How it is kept is a controller's business."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import numpy.typing as npt

from slackwater.concise import concise
from slackwater.errors import ParameterError
from slackwater.goal import NO_GOAL, ControllerConfig, Goal, check_config
from slackwater.time import Duration, DurationLike, Mask, Times

if TYPE_CHECKING:
    from slackwater.deadline import Deadline

__all__ = [  # with what a contract tells its controller, so that both come from one place
    "NO_GOAL",
    "Contract",
    "ControllerConfig",
    "DropRatio",
    "FixedSlack",
    "Goal",
    "MaxSlack",
    "NoSlack",
    "PerPeriod",
    "Punctuated",
    "Recall",
    "RelativeError",
    "Shares",
    "check_config",
]

Shares: TypeAlias = npt.NDArray[np.float64]


@dataclass(frozen=True, kw_only=True, repr=False)
class Contract:
    """What all contracts share.

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

    def goal(self, windows: tuple[int, ...] = ()) -> Goal:
        """Return what a controller is to reach for an operator with these windows, in us."""
        cap = None if self.longest_wait is None else self.longest_wait.microseconds
        return Goal(self.quality, self.period.microseconds, self.interval.microseconds, windows, cap)


@dataclass(frozen=True, repr=False)
class NoSlack(Contract):
    """Never wait: whatever is out of order is late.

    >>> NoSlack().cap is None
    True
    """


@dataclass(frozen=True, repr=False)
class FixedSlack(Contract):
    """Wait the same event-time duration for every event: what a watermark delay does elsewhere.

    A join can wait differently for each stream, by name, although one slack for all can do the same (JI16 Theorem 1).

    >>> FixedSlack("2 seconds").slack
    Duration('2 seconds')
    >>> FixedSlack({"bus": "2 seconds", "scats": "3 seconds"}).slack
    Duration('3 seconds')
    """

    slack: Duration
    by_stream: tuple[tuple[str, Duration], ...]  # empty: the same for all

    def __init__(
        self,
        slack: DurationLike | Mapping[str, DurationLike],
        *,
        cap: DurationLike | None = None,
        adaptation_interval: DurationLike = "1 second",
        controller: ControllerConfig | None = None,
    ) -> None:
        each = slack if isinstance(slack, Mapping) else {}
        by_stream = tuple((name, Duration.of(own, parameter="slack")) for name, own in each.items())
        if isinstance(slack, Mapping) and not by_stream:
            raise ParameterError("slack", slack, must="name a stream", remedy='such as {"bus": "2 seconds"}')
        longest = max((own for _, own in by_stream), default=Duration.ZERO)
        if not isinstance(slack, Mapping):
            longest = Duration.of(slack, parameter="slack")
        object.__setattr__(self, "slack", longest)
        object.__setattr__(self, "by_stream", by_stream)
        super().__init__(cap=cap, adaptation_interval=adaptation_interval, controller=controller)

    def __repr__(self) -> str:
        each = {name: str(own) for name, own in self.by_stream}
        return concise(self, given={"slack": each} if each else {})


@dataclass(frozen=True, repr=False)
class MaxSlack(Contract):
    """Wait as long as the largest delay seen so far: JI16 Max-K-slack, SUN15 adaptive K-slack.

    >>> MaxSlack(cap="30 seconds").cap
    Duration('30 seconds')
    """


@dataclass(frozen=True, repr=False)
class Punctuated(Contract):
    """Wait for punctuations: the input itself says when a window of an aggregate is complete; `cap` waits no longer.

    >>> Punctuated(cap="1 hour").cap
    Duration('1 hour')
    """


@dataclass(frozen=True, repr=False)
class PerPeriod(Contract):
    """What contracts share that name a target, to be kept in every period of event time."""

    target: float
    over: DurationLike = "1 minute"

    def __init__(
        self,
        target: float,
        *,
        over: DurationLike = "1 minute",
        cap: DurationLike | None = None,
        adaptation_interval: DurationLike = "1 second",
        controller: ControllerConfig | None = None,
    ) -> None:
        object.__setattr__(self, "target", target)
        object.__setattr__(self, "over", Duration.of(over, parameter="over"))
        super().__init__(cap=cap, adaptation_interval=adaptation_interval, controller=controller)

    def __post_init__(self) -> None:
        """Check the target and the period."""
        super().__post_init__()
        self._check_target()
        if self.period < self.interval:
            raise ParameterError(
                "over",
                str(self.period),
                must=f"be at least the adaptation interval ({self.interval})",
                remedy="measure over a longer period, or adapt more often",
            )

    @property
    def stated(self) -> float:
        """The target."""
        return self.target

    @property
    def period(self) -> Duration:
        """The measurement period."""
        return Duration.of(self.over)

    def _check_target(self) -> None:
        """Refuse what is no share."""

    def _is_share(self) -> bool:
        """Whether the target is a number above 0 and at most 1."""
        return not isinstance(self.target, bool) and isinstance(self.target, int | float) and 0 < self.target <= 1


@dataclass(frozen=True, init=False, repr=False)
class Recall(PerPeriod):
    """Produce this share of the results that sorted input would give, in every period of this length.

    A period counts as kept from 99 % of the target on, as in JI16 (Phi(.99 Γ)); `NeededSlack(tolerance=0)` is
    stricter. A target of 1 has no such tolerance.

    >>> Recall(0.99, over="1 minute").over
    Duration('1 minute')
    >>> Recall(1.2)
    Traceback (most recent call last):
        ...
    slackwater.errors.ParameterError: target must be > 0 and <= 1, got 1.2; 0.99 lets one result in 100 go missing
    """

    @property
    def quality(self) -> float:
        """The recall to reach."""
        return self.target

    def _check_target(self) -> None:
        if not self._is_share():
            raise ParameterError(
                "target", self.target, must="be > 0 and <= 1", remedy="0.99 lets one result in 100 go missing"
            )


@dataclass(frozen=True, init=False, repr=False)
class DropRatio(PerPeriod):
    """Let at most this share of the rows come too late, in every period of this length (KIM's DRATIO).

    It is late / arrived, over the rows of all streams; rows without a usable time, or from the future, are neither.
    There is no tolerance: a period with one row more than that is not kept. Controllers see the share to be kept,
    1 - target; decisions show the share that was late.

    >>> DropRatio(0.01, over="1 minute").target
    0.01
    >>> DropRatio(1)
    Traceback (most recent call last):
        ...
    slackwater.errors.ParameterError: target must be > 0 and < 1, got 1; 0.01 lets one row in 100 come too late
    """

    @property
    def quality(self) -> float:
        """The share of the rows to be used in time: what every controller understands, more is better."""
        return 1 - self.target

    @property
    def counts_events(self) -> bool:
        """The target is about rows, not about the results that they make."""
        return True

    def shown(self, quality: Shares) -> Shares:
        """Return the share that is late; rounded, or 1 - 0.99 would not show as 0.01."""
        return np.round(1 - quality, 12)

    def _check_target(self) -> None:
        if not self._is_share() or self.target >= 1:
            raise ParameterError(
                "target", self.target, must="be > 0 and < 1", remedy="0.01 lets one row in 100 come too late"
            )


@dataclass(frozen=True, init=False, repr=False)
class RelativeError(Contract):
    """Let the values of an aggregate be this close to what all their rows would give, for this share of the results.

    The error of a value is `|emitted - true| / |true|`: infinite where just one of the two is null, NaN or infinite, or
    the true one alone is zero, and 0 where both are the same. That of a result is the largest of its values; of one
    that was never emitted, because all its rows came too late, it is infinite. The share is that of all results, in the
    long run: single windows, and bad times, may be worse.

    Args:
        bound: the largest error, as a share of the true value.
        confidence: the share of the results that must keep it.
        of: the values that count, by their names; all that are numbers unless given.

    >>> RelativeError(0.03, confidence=0.95).bound
    0.03
    >>> RelativeError(3)
    Traceback (most recent call last):
        ...
    slackwater.errors.ParameterError: bound must be > 0 and < 1, got 3; 0.03 lets a value be 3 % off
    """

    bound: float
    confidence: float = 0.95
    of: tuple[str, ...] = ()  # empty: all numbers

    def __init__(
        self,
        bound: float,
        *,
        confidence: float = 0.95,
        of: str | Sequence[str] = (),
        cap: DurationLike | None = None,
        adaptation_interval: DurationLike = "1 second",
        controller: ControllerConfig | None = None,
    ) -> None:
        object.__setattr__(self, "bound", bound)
        object.__setattr__(self, "confidence", confidence)
        object.__setattr__(self, "of", (of,) if isinstance(of, str) else tuple(of))
        super().__init__(cap=cap, adaptation_interval=adaptation_interval, controller=controller)

    def __post_init__(self) -> None:
        """Check the bound and the confidence."""
        super().__post_init__()
        remedies = {"bound": "0.03 lets a value be 3 % off", "confidence": "0.95 lets one result in 20 be further off"}
        for name, remedy in remedies.items():
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < 1:
                raise ParameterError(name, value, must="be > 0 and < 1", remedy=remedy)

    @property
    def quality(self) -> float:
        """The share of the results to be within the bound."""
        return self.confidence

    @property
    def stated(self) -> float:
        """The share of the results, as in `estimated` and `measured`; the bound is in the contract alone."""
        return self.confidence
