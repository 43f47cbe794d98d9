"""What must hold after every batch, whatever the plan: cheap enough to be checked always.

Results are in order and behind nothing that has left, clocks do not go back, a window that is closed stays closed. One
comparison of neighbors for each result; that every event is accounted for is checked by `Counts.check`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from slackwater.errors import InvariantError
from slackwater.measurement import Counts

if TYPE_CHECKING:
    from slackwater.time import Times


def check_order(times: Times, since: int | None, *, what: str) -> None:
    """Raise InvariantError unless times do not fall, from the last one that left before on.

    >>> check_order(np.array([3, 3, 7]), 3, what="results of bus")
    >>> check_order(np.array([3, 2]), None, what="results of bus")
    Traceback (most recent call last):
        ...
    slackwater.errors.InvariantError: the event time of results of bus is 2 us, expected 3 us or later; nothing of \
this batch was written: please report it with its data
    """
    if not len(times):
        return
    if since is not None and times[0] < since:
        raise _earlier(f"the event time of {what}", int(times[0]), since)
    falls = times[1:] < times[:-1]
    if falls.any():
        place = int(np.argmax(falls))
        raise _earlier(f"the event time of {what}", int(times[place + 1]), int(times[place]))


def check_clock(now: int | None, before: int | None, *, what: str) -> None:
    """Raise InvariantError if a clock went back, or was forgotten."""
    if before is not None and (now is None or now < before):
        raise _earlier(what, now, before)


def check_streams(
    left: Sequence[Times], clock: tuple[int | None, int | None], time: tuple[int | None, int | None], *, what: str
) -> None:
    """Check an operator over several streams: what left it, part by part, its clock and its time, now and before."""
    check_clock(*clock, what=f"the clock of the {what}")
    check_clock(*time, what=f"the time of the {what}")
    for times in left:
        check_order(times, time[1], what=f"what left the {what}")


def check_still_closed(ends: Times, closed_to: int, *, what: str) -> None:
    """Raise InvariantError if a window is final that was closed before the batch; `ends` are those of finals."""
    if len(ends) and int(ends.min()) <= closed_to:
        raise _earlier(f"the end of a final window of {what}", int(ends.min()), closed_to + 1)


def check_foreseen(foreseen: Counts, found: Counts) -> None:
    """Raise InvariantError if a controller was told beforehand of other departures than there were.

    >>> check_foreseen(Counts(3, 2, 1), Counts(3, 3, 0))
    Traceback (most recent call last):
        ...
    slackwater.errors.InvariantError: what left the buffer is 3 released, 0 late and \
0 buffered of 3, expected 2 released, 1 late and 0 buffered of 3; \
nothing of this batch was written: please report it with its data
    """
    if found != foreseen:
        raise InvariantError("what left the buffer", found=_in_words(found), expected=_in_words(foreseen))


def _in_words(counts: Counts) -> str:
    return f"{counts.released} released, {counts.late} late and {counts.buffered} buffered of {counts.arrived}"


def _earlier(what: str, found: int | None, expected: int) -> InvariantError:
    shown = "unknown" if found is None else f"{found} us"
    return InvariantError(what, found=shown, expected=f"{expected} us or later")
