"""When slacks are tuned, and how: laxity and greedy hill climbing, SSG17 Sec. 5.2.2 and 5.2.3.

A *position* has one whole number for each operator: how many steps its slack is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal, TypeAlias

Reason: TypeAlias = Literal["violated", "room"]
Position: TypeAlias = tuple[int, ...]


def reason_to_tune(latency: float, deadline: float, *, alpha: float) -> Reason | None:
    """Return why the slacks have to be searched anew, given the latency to be expected; None if they need not.

    Eq. 9: no laxity is left. Eq. 10: at least `alpha` of the deadline is left, so that slacks may grow.

    >>> [reason_to_tune(latency, 6_000, alpha=0.3) for latency in (6_000, 1_000, 5_000)]
    ['violated', 'room', None]
    """
    laxity = deadline - latency
    if laxity <= 0:
        return "violated"
    return "room" if laxity >= alpha * deadline else None


def climb(
    start: Position,
    *,
    slack_ready: Callable[[Position], float],
    valid: Callable[[Position], bool],
    highest: Sequence[int],
    allow_plateau: bool = False,
) -> Position:
    """Raise one slack at a time, the one that leaves the fewest slack-ready events, while a valid one helps.

    A raise helps if it strictly lowers the count; with `allow_plateau` also if it leaves it as it is, and then the
    lowest slack is raised first. Ties go to the first operator. `highest` is the last step of each operator. The start
    is returned where no raise is valid, even if it is not valid itself. O(sum of `highest` x operators) predictions.

    >>> def few(position):
    ...     a, b = (50 * step for step in position)
    ...     return max(0, 500 - a) + max(0, 300 - 2 * b)
    >>> def in_time(position):
    ...     return 100 + 50 * sum(position) < 451
    >>> [50 * step for step in climb((0, 0), slack_ready=few, valid=in_time, highest=(99, 99))]
    [200, 150]
    """
    position, count = start, slack_ready(start)
    while True:
        raised = [_raised(position, which) for which, last in enumerate(highest) if position[which] < last]
        found = [(slack_ready(each), sum(_squares(each)), each) for each in raised if valid(each)]
        if not found:
            return position
        best, _, where = min(found, key=lambda one: one[:2])
        if best > count or (best == count and not allow_plateau):
            return position
        position, count = where, best


def _raised(position: Position, which: int) -> Position:
    return (*position[:which], position[which] + 1, *position[which + 1 :])


def _squares(position: Position) -> Position:
    return tuple(step * step for step in position)
