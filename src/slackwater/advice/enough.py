"""Whether a sample is long enough to say anything about a wish, and how long it would have to be."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from slackwater.time import Duration

if TYPE_CHECKING:
    from slackwater.advice.needed import Needed

MISSES = 10  # so many events or results must be allowed to be missed: one more or less is then 10 %
PERIODS = 10


@dataclass(frozen=True, kw_only=True)
class Enough:
    """How long the sample is, and how long it should be; durations in us of event time."""

    total: float
    total_needed: int
    periods: int
    typical_period: float  # events or results in a period, the median
    length: int
    length_needed: int

    @property
    def is_enough(self) -> bool:
        """Whether the sample says something about the wish."""
        return self.total >= self.total_needed and self.periods >= PERIODS

    def warnings(self, what: str, allowed: float, period: int) -> list[str]:
        """Say in sentences what is too short, of `what` there are too few."""
        found = []
        if not self.is_enough:
            found.append(
                f"Your sample is too short for this target: {self.total:,.0f} {what} in {self.periods:,} periods of "
                f"{Duration(period)}, and it takes some {self.total_needed:,} {what} and {PERIODS} periods. Some "
                f"{_rounded(self.length_needed)} of event time would do; take what follows as a first guess."
            )
        if 0 < self.typical_period < 1 / allowed:
            longer = _rounded(math.ceil(period / (allowed * self.typical_period)))
            found.append(
                f"A period has {self.typical_period:,.0f} {what}, so a single one missed is more than {allowed:.3g} of "
                f'them: over="{longer}" would make the target one that can be met other than by missing nothing.'
            )
        return found


def enough_of(needed: Needed, allowed: float, period: int) -> Enough:
    """Compare a sample with what a target takes: 10 that may be missed, and 10 periods.

    >>> from slackwater.advice.needed import Needed
    >>> found = enough_of(Needed.of(np.arange(100), np.zeros(100, np.int64)), allowed=0.01, period=20)
    >>> found.total_needed, found.periods, found.length_needed, found.is_enough
    (1000, 5, 1000, False)
    """
    length = int(needed.at[-1] - needed.at[0]) + 1 if len(needed.at) else 0
    totals = np.bincount((needed.at - needed.at[0]) // period, weights=needed.weight) if length else np.zeros(0)
    used = totals[totals > 0]
    wanted = math.ceil(MISSES / allowed - 1e-6)
    by_total = length * wanted / needed.total if needed.total else 0.0
    return Enough(
        total=needed.total,
        total_needed=wanted,
        periods=len(used),
        typical_period=float(np.median(used)) if len(used) else 0.0,
        length=length,
        length_needed=math.ceil(max(by_total, PERIODS * period)),
    )


_STEPS = (1, 2, 5, 10, 15, 20, 30)
_UNITS = (("us", 1), ("ms", 1_000), ("second", 1_000_000), ("minute", 60_000_000), ("hour", 3_600_000_000))


def _rounded(duration: int) -> Duration:
    """Return a duration that people would choose, at least as long.

    >>> str(_rounded(61_000_000)), str(_rounded(7_300_000_000)), str(_rounded(100_000_000_000))
    ('2 minutes', '5 hours', '2 days')
    """
    day = 86_400_000_000
    choices = [step * size for _, size in _UNITS for step in _STEPS if step * size < day]
    choices += [day * step for step in (1, 2, 5, 7, 14, 30, 60, 90, 180, 365)]
    fitting = [each for each in sorted(set(choices)) if each >= duration]
    return Duration(fitting[0] if fitting else -(-duration // (365 * day)) * 365 * day)
