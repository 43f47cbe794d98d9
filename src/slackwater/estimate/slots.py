"""How many events each stretch of event time has: slots, a few in every slide, over the recent past."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from slackwater.estimate.arrays import Floats, pack, unpack

if TYPE_CHECKING:
    from slackwater.events import Rows
    from slackwater.time import Times

PER_SLIDE = 16
MOST_PER_WINDOW = 512
SLIDES_REMEMBERED = 64


@dataclass(frozen=True, slots=True)
class Slots:
    """Slot number n is [n * slide / per_slide, (n + 1) * slide / per_slide). All durations in us.

    >>> slots = Slots.of(size=30, slide=10)
    >>> slots.per_slide, slots.number(np.array([9, 10])).tolist(), slots.position(15)
    (16, [14, 16], 24.0)
    """

    slide: int
    per_slide: int
    remembered: int  # slots

    @classmethod
    def of(cls, size: int, slide: int) -> Slots:
        """Choose slots for windows: fewer in a slide where a window has many slides."""
        slides = -(-size // slide)
        per_slide = max(1, min(PER_SLIDE, MOST_PER_WINDOW // slides))
        return cls(slide, per_slide, per_slide * max(SLIDES_REMEMBERED, 2 * slides))

    def number(self, times: Times) -> Rows:
        """Return the slot of each event."""
        return times * self.per_slide // self.slide

    def position(self, time: int) -> float:
        """Return where a time lies, in slots: a whole number where a slot begins."""
        whole, rest = divmod(time * self.per_slide, self.slide)
        return whole + rest / self.slide


class SlotCounts:
    """Counts events by slot; holds the last `slots.remembered` slots up to the latest event. O(batch).

    >>> counts = SlotCounts(Slots(slide=10, per_slide=1, remembered=4))
    >>> counts.update(np.array([15, 21, 3, 22]))
    >>> counts.between(0, 4).tolist(), counts.between(-2, 1).tolist()
    ([1.0, 1.0, 2.0, 0.0], [0.0, 0.0, 1.0])
    """

    def __init__(self, slots: Slots, state: dict[str, Any] | None = None) -> None:
        self.slots = slots
        self._counts: Floats = unpack(state["counts"], np.float64) if state else np.zeros(slots.remembered)
        self._next: int | None = state["next"] if state else None  # the slot after the latest
        self._since: int | None = state["since"] if state else None  # the first slot that had an event

    def update(self, times: Times) -> None:
        """Count events."""
        if not len(times):
            return
        number = self.slots.number(times)
        first = int(number.min())
        self._move_to(int(number.max()) + 1)
        self._since = first if self._since is None else min(self._since, first)
        number -= self.oldest
        place = number if first >= self.oldest else number[number >= 0]
        self._counts += np.bincount(place, minlength=len(self._counts))

    def between(self, start: int, stop: int) -> Floats:
        """Return the counts of the slots [start, stop); 0 for those that are not remembered."""
        out = np.zeros(max(stop - start, 0))
        if self._next is None:
            return out
        low, high = max(start, self.oldest), min(stop, self._next)
        if high > low:
            out[low - start : high - start] = self._counts[low - self.oldest : high - self.oldest]
        return out

    @property
    def since(self) -> int | None:
        """The first slot that is known: that of the first event, or the oldest that is remembered."""
        return None if self._since is None else max(self._since, self.oldest)

    def snapshot(self) -> dict[str, Any]:
        """Return all that is needed to go on, as values that JSON can hold."""
        return {"counts": pack(self._counts), "next": self._next, "since": self._since}

    @property
    def oldest(self) -> int:
        """The first slot that is remembered."""
        return (self._next or 0) - len(self._counts)

    def _move_to(self, stop: int) -> None:
        """Make room for the slots up to `stop`, and forget as many of the oldest."""
        if self._next is None:
            self._next = stop
        by = min(stop - self._next, len(self._counts))
        if by > 0:
            self._counts = np.concatenate((self._counts[by:], np.zeros(by)))
            self._next = stop
