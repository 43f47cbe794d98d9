"""When windows are to be shown before they are final: a frozen value, checked at construction."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal, Never

from slackwater.concise import concise
from slackwater.errors import ParameterError
from slackwater.time import Duration, DurationLike

_USUAL = 0.9  # confidence


@dataclass(frozen=True, init=False, repr=False)
class Early:
    """Early results of the windows of an aggregate (PROD's prods); what is left out is not done.

    Args:
        aggressiveness: show each window once, this share of the slide before its end: 0.25 of a slide of two minutes is
            half a minute (PROD's PAggr). 0 is at its end, before the slack has passed.
        every: show all open windows whenever the clock passes a multiple of this.
        at: show each window when the clock is this long past its start; one duration, or several.
        estimate: "corrected" is what is expected in the end, with an interval, from how complete past windows were at
            that age; "raw" is what the rows so far add up to.
        accuracy: choose the aggressiveness yourself, as early as early values are this near to the final ones on
            average, of each function: 0.98. `aggressiveness` is then where to begin (0.25 if left out).
        confidence: which share of the intervals is to hold the final value.

    `Early()` alone shows windows when a prod asks for them: a row of the input, of a stream of prods, or a control
    record. Times are those of the stream's clock: a stream that is silent prods nothing.

    >>> Early(aggressiveness=0.25)
    Early(aggressiveness=0.25)
    >>> Early(every="10 seconds", at=["1 minute"], estimate="raw")
    Early(every='10 seconds', at=('1 minute',), estimate='raw')
    >>> Early(accuracy=0.98)
    Early(accuracy=0.98)
    """

    aggressiveness: float | None
    every: Duration | None
    at: tuple[Duration, ...]  # times after the window's start
    estimate: Literal["raw", "corrected"]
    accuracy: float | None
    confidence: float

    def __init__(
        self,
        *unnamed: Never,  # so that the answer is a remedy
        aggressiveness: float | None = None,
        every: DurationLike | None = None,
        at: DurationLike | Iterable[DurationLike] = (),
        estimate: Literal["raw", "corrected"] = "corrected",
        accuracy: float | None = None,
        confidence: float = _USUAL,
    ) -> None:
        _check_named(unnamed)
        fields = {
            "aggressiveness": _checked_share("aggressiveness", aggressiveness),
            "every": None if every is None else _above_zero("every", every),
            "at": tuple(_above_zero("at", each) for each in _several(at)),
            "estimate": _checked_estimate(estimate),
            "accuracy": _checked_accuracy(accuracy),
            "confidence": _inside("confidence", confidence, remedy="0.9 is right nine times in ten"),
        }
        if accuracy is not None and (fields["every"] or fields["at"]):
            remedy = "it says by itself when to show windows"
            raise ParameterError("accuracy", accuracy, must="be used without every= and at=", remedy=remedy)
        for name, value in fields.items():
            object.__setattr__(self, name, value)

    def __repr__(self) -> str:
        return concise(self)

    def leads(self, size: int, slide: int) -> tuple[int, ...]:
        """Return how long before its end a window is shown, in us; negative: after it. Not that which is chosen.

        >>> Early(aggressiveness=0.25, at="20 seconds").leads(30_000_000, 10_000_000)
        (2500000, 10000000)
        """
        fixed = None if self.accuracy is not None else self.aggressiveness
        share = () if fixed is None else (round(fixed * slide),)
        return (*share, *(size - each.microseconds for each in self.at))


def _check_named(unnamed: tuple[Any, ...]) -> None:
    if unnamed:
        remedy = 'Early(aggressiveness=0.25), Early(every="10 seconds"), Early(at="1 minute") or Early(accuracy=0.98)'
        raise ParameterError("early", unnamed[0], must="say by name what the value is", remedy=f"write {remedy}")


def _several(at: DurationLike | Iterable[DurationLike]) -> list[DurationLike]:
    return list(at) if isinstance(at, Iterable) and not isinstance(at, str) else [at]


def _above_zero(parameter: str, value: DurationLike) -> Duration:
    duration = Duration.of(value, parameter=parameter)
    if not duration:
        raise ParameterError(parameter, "0 seconds", must="be > 0", remedy='write a duration such as "10 seconds"')
    return duration


def _checked_share(parameter: str, value: Any) -> float | None:
    if value is None:
        return None
    if not _is_number(value) or not 0 <= value <= 1:
        remedy = "0.25 is a quarter of the slide; at= shows windows earlier than that"
        raise ParameterError(parameter, value, must="be >= 0 and <= 1", remedy=remedy)
    return float(value)


def _inside(parameter: str, value: Any, *, remedy: str) -> float:
    if not _is_number(value) or not 0 < value < 1:
        raise ParameterError(parameter, value, must="be > 0 and < 1", remedy=remedy)
    return float(value)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _checked_estimate(estimate: Any) -> Any:
    if estimate not in ("raw", "corrected"):
        remedy = '"corrected" is what is expected in the end, "raw" what has come'
        raise ParameterError("estimate", estimate, must='be "corrected" or "raw"', remedy=remedy)
    return estimate


def _checked_accuracy(accuracy: Any) -> float | None:
    if accuracy is None:
        return None
    return _inside("accuracy", accuracy, remedy="0.98 is 2 % off on average; leave it out for a fixed aggressiveness")
