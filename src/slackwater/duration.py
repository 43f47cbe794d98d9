"""Spans of event time, read from text with a unit."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from decimal import Decimal
from typing import ClassVar, TypeAlias

from slackwater.errors import ParameterError
from slackwater.units import EXAMPLES, UNITS, in_units, parsed

MIN_TIME = -62_135_596_800_000_000  # 0001-01-01, the earliest time that Spark and Arrow can both show
MAX_TIME = 253_402_300_799_999_999  # 9999-12-31 23:59:59.999999


@dataclass(frozen=True, order=True, slots=True)
class Duration:
    """A span of event time, in whole microseconds and never negative.

    >>> Duration.of("1 minute 30 seconds")
    Duration('90 seconds')
    >>> Duration.of("250 ms") < Duration.of(dt.timedelta(seconds=1))
    True
    """

    microseconds: int
    ZERO: ClassVar[Duration]
    MAX: ClassVar[Duration]

    def __post_init__(self) -> None:
        """Refuse negative spans and those that could overflow the arithmetic of event times."""
        if not isinstance(self.microseconds, int) or not 0 <= self.microseconds <= MAX_TIME - MIN_TIME:
            raise ParameterError(
                "duration",
                self.microseconds,
                must="be a whole number of us, >= 0 and below 10,000 years",
                remedy=EXAMPLES,
            )

    @classmethod
    def of(cls, value: DurationLike, *, parameter: str = "duration") -> Duration:
        """Read a duration from text with a unit, a timedelta or a Duration; `parameter` names it in errors."""
        if isinstance(value, Duration):
            return value
        if isinstance(value, dt.timedelta):
            return cls._checked(value // dt.timedelta(microseconds=1), value, parameter)
        if isinstance(value, str):
            return cls._checked(parsed(value, parameter), value, parameter)
        raise ParameterError(parameter, value, must="be a duration", remedy=EXAMPLES)

    @classmethod
    def _checked(cls, microseconds: int, value: object, parameter: str) -> Duration:
        if not 0 <= microseconds <= MAX_TIME - MIN_TIME:
            raise ParameterError(parameter, value, must="be >= 0 and below 10,000 years", remedy=EXAMPLES)
        return cls(microseconds)

    def __str__(self) -> str:
        """Text that `Duration.of` reads back.

        >>> str(Duration(1_500_000)), str(Duration(2_000)), str(Duration.of("24 hours")), str(Duration.ZERO)
        ('1.5 seconds', '2 ms', '1 day', '0 seconds')
        """
        for unit in ("day", "hour", "minute"):
            if self and self.microseconds % UNITS[unit] == 0:
                return in_units(self.microseconds // UNITS[unit], unit)
        if self.microseconds >= 1_000_000 or not self:
            return in_units((Decimal(self.microseconds) / 1_000_000).normalize(), "second")
        if self.microseconds >= 1_000:
            return f"{(Decimal(self.microseconds) / 1_000).normalize():f} ms"
        return f"{self.microseconds} us"

    def __repr__(self) -> str:
        return f"Duration('{self}')"

    def __bool__(self) -> bool:
        return self.microseconds > 0


DurationLike: TypeAlias = Duration | dt.timedelta | str
Duration.ZERO = Duration(0)
Duration.MAX = Duration(MAX_TIME - MIN_TIME)
