"""When windows are to be shown before they are final: a frozen value, checked at construction."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

from slackwater.errors import ParameterError
from slackwater.time import Duration, DurationLike


@dataclass(frozen=True, init=False)
class Early:
    """Early results of the windows of an aggregate (PROD's prods); what is left out is not done.

    Args:
        aggressiveness: show each window once, this share of the slide before its end: 0.25 of a slide of two minutes is
            half a minute (PROD's PAggr). 0 is at its end, before the slack has passed.
        every: show all open windows whenever the clock passes a multiple of this.
        at: show each window when the clock is this long past its start; one duration, or several.
        estimate: "raw" is what the rows so far add up to.
        accuracy: for estimates that adjust themselves; not possible yet.
        confidence: of intervals around estimates.

    `Early()` alone shows windows when a prod asks for them: a row of the input, of a stream of prods, or a control
    record. Times are those of the stream's clock: a stream that is silent prods nothing.

    >>> Early(aggressiveness=0.25)
    Early(aggressiveness=0.25)
    >>> Early(every="10 seconds", at=["1 minute"])
    Early(every='10 seconds', at=('1 minute',))
    """

    aggressiveness: float | None
    every: Duration | None
    at: tuple[Duration, ...]  # times after the window's start
    estimate: Literal["raw", "corrected"]
    accuracy: float | None
    confidence: float

    def __init__(
        self,
        *,
        aggressiveness: float | None = None,
        every: DurationLike | None = None,
        at: DurationLike | Iterable[DurationLike] = (),
        estimate: Literal["raw", "corrected"] = "raw",
        accuracy: float | None = None,
        confidence: float = 0.9,
    ) -> None:
        fields = {
            "aggressiveness": _checked_share("aggressiveness", aggressiveness),
            "every": None if every is None else _above_zero("every", every),
            "at": tuple(_above_zero("at", each) for each in _several(at)),
            "estimate": _checked_estimate(estimate),
            "accuracy": _checked_accuracy(accuracy),
            "confidence": _checked_share("confidence", confidence),
        }
        for name, value in fields.items():
            object.__setattr__(self, name, value)

    def __repr__(self) -> str:
        at = tuple(map(str, self.at))
        shown = {"aggressiveness": self.aggressiveness, "every": self.every and str(self.every), "at": at or None}
        return f"Early({', '.join(f'{name}={value!r}' for name, value in shown.items() if value is not None)})"

    def leads(self, size: int, slide: int) -> tuple[int, ...]:
        """Return how long before its end a window is shown, in us; negative: after it.

        >>> Early(aggressiveness=0.25, at="20 seconds").leads(30_000_000, 10_000_000)
        (2500000, 10000000)
        """
        share = () if self.aggressiveness is None else (round(self.aggressiveness * slide),)
        return (*share, *(size - each.microseconds for each in self.at))


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
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise ParameterError(
            parameter,
            value,
            must="be >= 0 and <= 1",
            remedy="0.25 is a quarter of the slide; at= shows windows earlier than that"
            if parameter == "aggressiveness"
            else "0.9 is right nine times in ten",
        )
    return float(value)


def _checked_estimate(estimate: Any) -> Any:
    if estimate != "raw":
        raise ParameterError("estimate", estimate, must='be "raw"', remedy="corrected estimates are not possible yet")
    return estimate


def _checked_accuracy(accuracy: Any) -> Any:
    if accuracy is not None:
        raise ParameterError(
            "accuracy", accuracy, must="be left out", remedy="say aggressiveness=0.25; it does not adjust itself yet"
        )
    return accuracy
