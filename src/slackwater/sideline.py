"""When rows of a burst are set aside, and how fast they are worked off: a frozen value, checked at construction."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from slackwater.errors import ParameterError

_TIMES_OVER = 100  # so many full batches are set aside at most, unless said otherwise


@dataclass(frozen=True, init=False)
class Sideline:
    """Rows of a burst wait, so that the windows after it are on time (PROD Sec. 6.2a); none is dropped.

    Args:
        over: a batch of more rows than this is a burst: the rest of it is set aside. A batch is what one call takes in:
            `live().feed(...)` in process, on Spark a micro-batch of one bucket.
        one_in: at least one row that was set aside is worked off for every so many new ones, however busy it is;
            batches below `over` are filled up with such rows.
        at_most: how many rows are set aside at most; left out, 100 times `over`. What is above is taken in at once.

    A batch takes in at most `over` + `over` / `one_in` rows, rounded up, as long as fewer than `at_most` wait.

    >>> Sideline(over=3_000)
    Sideline(over=3000, one_in=3, at_most=300000)
    >>> Sideline(over=30, one_in=3).worked_off(new=27, waiting=50), Sideline(over=30).set_aside(new=45, waiting=50)
    (9, 15)
    """

    over: int
    one_in: int
    at_most: int

    def __init__(self, *, over: int, one_in: int = 3, at_most: int | None = None) -> None:
        object.__setattr__(self, "over", _counted("over", over, "1000 rows is what a batch can take in on time"))
        object.__setattr__(self, "one_in", _counted("one_in", one_in, "3 is one row set aside for every 3 new ones"))
        most = _TIMES_OVER * over if at_most is None else at_most
        object.__setattr__(self, "at_most", _counted("at_most", most, "leave it out for 100 times over"))

    def worked_off(self, *, new: int, waiting: int) -> int:
        """Return how many rows that wait a batch of new ones works off."""
        return min(waiting, self._share(new))

    def set_aside(self, *, new: int, waiting: int) -> int:
        """Return how many rows of a batch are set aside; `waiting` is how many were before it."""
        unused = self._share(new) - self.worked_off(new=new, waiting=waiting)
        room = self.at_most - waiting + self.worked_off(new=new, waiting=waiting)
        return max(0, min(new - self.over - unused, room))

    def _share(self, new: int) -> int:
        taken_in = min(new, self.over)
        return max(self.over - taken_in, -(-taken_in // self.one_in))


def _counted(parameter: str, value: Any, remedy: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise ParameterError(parameter, value, must="be a whole number >= 1", remedy=remedy)
    return value
