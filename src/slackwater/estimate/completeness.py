"""How complete the recent past is: which share of the events of a moment has come, once the clock is so far past it.

PROD Sec. 3.4 leaves it open ("hard to compute the percentage of window data that contributes"). We look: when a result
is asked for, the events that have come are counted by how far they lie behind the clock; when all of them have come,
the same stretches of time are counted again. The quotient holds for delays of any kind, for events that come in batches
and for coarse event times, since it was learned at moments like those at which it is needed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from slackwater.estimate.arrays import Floats, pack, unpack
from slackwater.estimate.slots import SlotCounts, Slots

if TYPE_CHECKING:
    from slackwater.events import Rows
    from slackwater.time import Mask, Times

PARTS = 4  # of the slot that the clock is in: how much of it can have come depends on where the clock is
MOST_LOOKS = 64  # that wait for the rest of their events
FORGET = 0.5 ** (1 / 64)  # what a look weighs after the next one
TRUST = 2.0  # events: how much weighs what one expects of a stream in order, before there is any look


class Completeness:
    """Counts events, and remembers what share of them was there at past looks, by their distance from the clock.

    Holds a number for each slot of the recent past, and some forty for each of at most 64 looks.

    >>> counted = Completeness(Slots(slide=10, per_slide=1, remembered=64))
    >>> counted.update(np.arange(0, 1000, 2))
    >>> counted.look(998)
    >>> counted.update(np.arange(961, 1000, 2))  # the odd ones come late
    >>> counted.settle(2000)
    >>> counted.visible(np.array([3, 8])).round(1).tolist()
    [0.6, 1.0]
    """

    def __init__(self, slots: Slots, state: dict[str, Any] | None = None) -> None:
        state = state or {}
        self.counts = SlotCounts(slots, state.get("counts"))
        self._edges = _edges(slots.remembered)
        bins = len(self._edges) - 1 + PARTS
        self._at: list[float] = list(state.get("at", []))  # where the clock was at each look, in slots
        self._seen: Floats = unpack(state["seen"], np.float64).reshape(-1, bins) if "seen" in state else _none(bins)
        self._tally: Floats = unpack(state["tally"], np.float64).reshape(2, bins) if "tally" in state else _prior(bins)

    def update(self, times: Times) -> None:
        """Count events that are used."""
        self.counts.update(times)

    def look(self, clock: int) -> None:
        """Note what has come; one look at a clock is enough, and more than 64 that wait are too many."""
        at = self.counts.slots.position(clock)
        if len(self._at) < MOST_LOOKS and at not in self._at:
            self._at.append(at)
            self._seen = np.concatenate((self._seen, self._counted(at)[None]))

    def settle(self, complete_to: int) -> None:
        """Learn from the looks whose events have all come: those at clocks up to here."""
        done = [number for number, at in enumerate(self._at) if at <= self.counts.slots.position(complete_to)]
        for number in done:
            self._tally *= FORGET
            self._tally += np.where(
                self._remembered(self._at[number]), (self._seen[number], self._counted(self._at[number])), 0
            )
        if done:
            self._at = [at for number, at in enumerate(self._at) if number not in done]
            self._seen = np.delete(self._seen, done, axis=0)

    def visible(self, behind: Rows, *, part: float = 0.5) -> Floats:
        """Return the share that has come of slots so many behind that of the clock; 0 is its own, negative is to come.

        `part` is how much of its own slot the clock has passed.
        """
        seen, came = self._tally
        expected = np.concatenate(((np.arange(PARTS) + 0.5) / PARTS, np.ones(len(seen) - PARTS)))
        share = (seen + TRUST * expected) / (came + TRUST)
        later = np.maximum.accumulate(share[PARTS:])
        own = min(share[min(int(part * PARTS), PARTS - 1)], 1.0)
        old = later[np.clip(np.searchsorted(self._edges, behind, side="right") - 1, 0, len(later) - 1)]
        out: Floats = np.where(behind > 0, np.minimum(old, 1.0), np.where(behind == 0, own, 0.0))
        return out

    def snapshot(self) -> dict[str, Any]:
        """Return all that is needed to go on, as values that JSON can hold."""
        return {
            "counts": self.counts.snapshot(),
            "at": list(self._at),
            "seen": pack(self._seen),
            "tally": pack(self._tally),
        }

    def _remembered(self, at: float) -> Mask:
        """Whether all slots of a bin are still remembered: a look that waited for long has lost its oldest."""
        return np.concatenate((np.ones(PARTS, np.bool_), at // 1 - self._edges[1:] >= self.counts.oldest))

    def _counted(self, at: float) -> Floats:
        """Return how many events there are now, by how far they lie behind a clock."""
        slot = int(at // 1)
        behind = self.counts.between(slot - int(self._edges[-1]) + 1, slot)[::-1]
        own = np.zeros(PARTS)
        own[min(int((at - slot) * PARTS), PARTS - 1)] = self.counts.between(slot, slot + 1)[0]
        return np.concatenate((own, np.add.reduceat(behind, self._edges[:-1] - 1)))


def _edges(remembered: int) -> Rows:
    """Return the bounds of bins of distances, in slots: 1, 2, 3 ... and then ever wider ones.

    >>> _edges(64).tolist()
    [1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 15, 19, 24, 30, 32]
    """
    wide = np.unique((8 * 1.25 ** np.arange(48)).astype(np.int64))
    narrow = np.concatenate((np.arange(1, 8), wide))
    return np.append(narrow[narrow < remembered // 2], remembered // 2)


def _none(bins: int) -> Floats:
    return np.zeros((0, bins))


def _prior(bins: int) -> Floats:
    return np.zeros((2, bins))
