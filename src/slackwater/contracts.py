"""What the user asks for: frozen values, checked at construction. How it is kept is a controller's business."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from slackwater.concise import concise
from slackwater.contract import Contract, Shares
from slackwater.errors import ParameterError
from slackwater.goal import NO_GOAL, ControllerConfig, Goal, check_config
from slackwater.time import Duration, DurationLike
from slackwater.wording import as_share

__all__ = [  # with what all share, and what they tell their controllers, so that all comes from one place
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


@dataclass(frozen=True, repr=False)
class NoSlack(Contract):
    """Never wait, from the first row on: whatever is out of order is late.

    >>> NoSlack().cap is None
    True
    """


@dataclass(frozen=True, repr=False)
class FixedSlack(Contract):
    """Wait the same event-time duration for every event, from the first on: what a watermark delay does elsewhere.

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

    It begins with no wait; each row that is out of order counts from its own arrival on.

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

    Nothing is waited for until the first adaptation interval has passed; then, until a sixth of the period has passed
    (and at least two intervals), as long as any row needed so far, but no longer than a period; then what was learned.

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
            remedy = f"{as_share(self.target)}0.99 lets one result in 100 go missing"
            raise ParameterError("target", self.target, must="be > 0 and <= 1", remedy=remedy)


@dataclass(frozen=True, init=False, repr=False)
class DropRatio(PerPeriod):
    """Let at most this share of the rows come too late, in every period of this length (KIM's DRATIO).

    It is late / arrived, over the rows of all streams; rows without a usable time, or from the future, are neither.
    There is no tolerance: a period with one row more than that is not kept. Controllers see the share to be kept,
    1 - target; decisions show the share that was late.

    It begins as `MaxSlack` does, because the first rows are so few that hardly one of them may be late, and waits less
    once a sixth of the period has passed and some may.

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
            remedy = f"{as_share(self.target)}0.01 lets one row in 100 come too late"
            raise ParameterError("target", self.target, must="be > 0 and < 1", remedy=remedy)


@dataclass(frozen=True, init=False, repr=False)
class RelativeError(Contract):
    """Let the values of an aggregate be this close to what all their rows would give, for this share of the results.

    The error of a value is `|emitted - true| / |true|`: infinite where just one of the two is null, NaN or infinite, or
    the true one alone is zero, and 0 where both are the same. That of a result is the largest of its values; of one
    that was never emitted, because all its rows came too late, it is infinite. The share is that of all results, in the
    long run: single windows, and bad times, may be worse.

    Nothing is waited for until the first adaptation interval has passed; then the largest delay so far, until the first
    windows can be compared with all their rows.

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
                raise ParameterError(name, value, must="be > 0 and < 1", remedy=f"{as_share(value)}{remedy}")

    @property
    def quality(self) -> float:
        """The share of the results to be within the bound."""
        return self.confidence

    @property
    def stated(self) -> float:
        """The share of the results, as in `estimated` and `measured`; the bound is in the contract alone."""
        return self.confidence
