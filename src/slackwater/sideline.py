"""When rows of a burst are set aside, and how fast they are worked off: a frozen value, checked at construction."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from slackwater.errors import ParameterError

_SECOND = 1_000_000  # us
_SECONDS = 1_000  # so many seconds of rows are set aside at most, unless said otherwise


@dataclass(frozen=True, init=False)
class Sideline:
    """Rows of a burst wait, so that the windows after it are on time (PROD Sec. 6.2a); none is dropped.

    Args:
        over: more rows than this in a second of event time are a burst. What comes to a slide of the windows after so
            many rows is set aside: its windows wait, others do not.
        pace: how many rows a second are taken in without trouble, new ones and those set aside; left out, `over`. A
            batch of fewer, by the time that the clock passed in it, is filled up with rows that were set aside.
        one_in: at least one row that was set aside is worked off for every so many new ones, however busy it is. The
            new rows and this share together should stay below what can be taken in, or all windows come to wait.
        at_most: how many rows are set aside at most; left out, those of 1000 seconds. What is above is taken in.

    On Spark, these are the rows of one bucket. A call without rows is a pause: it works off a second's rows.

    >>> Sideline(over=300)
    Sideline(over=300, pace=300, one_in=3, at_most=300000)
    >>> Sideline(over=400, pace=300, one_in=10).share(new=280, passed=1_000_000)
    28
    """

    over: int
    pace: int
    one_in: int
    at_most: int

    def __init__(self, *, over: int, pace: int | None = None, one_in: int = 3, at_most: int | None = None) -> None:
        fields = {
            "over": _counted("over", over, "1000 rows a second is such a number"),
            "pace": over if pace is None else _counted("pace", pace, "leave it out for the same as over"),
            "one_in": _counted("one_in", one_in, "3 is one row that was set aside for every 3 new ones"),
            "at_most": _SECONDS * over if at_most is None else _counted("at_most", at_most, "leave it out"),
        }
        for name, value in fields.items():
            object.__setattr__(self, name, value)

    def limit(self, slide: int) -> int:
        """Return how many rows of a slide, in us, are taken in at once."""
        return max(1, self.over * slide // _SECOND)

    def share(self, *, new: int, passed: int) -> int:
        """Return how many rows may be worked off beside so many new ones, while the clock passes so many us."""
        spare = self.pace * (passed if new else _SECOND) // _SECOND - new
        return max(spare, -(-new // self.one_in))


def _counted(parameter: str, value: Any, remedy: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise ParameterError(parameter, value, must="be a whole number >= 1", remedy=remedy)
    return value
