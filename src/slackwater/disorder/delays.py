"""The delays of some events: how many there are of each length, and what a slack would do for them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from slackwater.estimate.needed_slack import bin_of, slack_of_bin
from slackwater.time import Duration, DurationLike

if TYPE_CHECKING:
    from slackwater.estimate.arrays import Floats
    from slackwater.events import Rows
    from slackwater.time import Times

QUANTILES = (0.5, 0.9, 0.99, 0.999)


@dataclass(frozen=True, eq=False, repr=False)
class Delays:
    """How many events had each delay. Delays are kept in bins that grow by 2 %; counts and the largest are exact.

    >>> delays = Delays.of(np.array([0, 0, 0, 1_000_000]))
    >>> delays.out_of_order, delays.share_out_of_order, delays.quantile(0.5), delays.quantile(0.99)
    (1, 0.25, 0, 1000000)
    >>> delays.share_late("900 ms"), delays.share_late("1 second")
    (0.25, 0.0)
    """

    events: int
    out_of_order: int
    largest: int  # us
    counts: Rows | None  # by bin, up to the last that has any; None where too many parts were followed to keep them

    @classmethod
    def counted(cls, counts: Rows, largest: int) -> Delays:
        """Return the delays of these counts by bin."""
        used = counts[: int(np.flatnonzero(counts)[-1]) + 1] if counts.any() else counts[:0]
        events = int(counts.sum())
        return cls(events, events - int(counts[0]) if len(counts) else 0, largest, used)

    @classmethod
    def of(cls, delays: Times) -> Delays:
        """Return these delays, in us."""
        return cls.counted(np.bincount(bin_of(delays)), int(delays.max(initial=0)))

    @property
    def share_out_of_order(self) -> float:
        """The share of events with a delay; 0 where there are no events."""
        return self.out_of_order / self.events if self.events else 0.0

    def quantile(self, share: float) -> int | None:
        """Return a delay in us, at most 2 % too large, that this share of events does not exceed; None if unknown."""
        if self.counts is None or not self.events:
            return None
        place = int(np.searchsorted(np.cumsum(self.counts), share * self.events - 1e-9))
        return min(slack_of_bin(min(place, len(self.counts) - 1)), self.largest)

    def share_late(self, slack: DurationLike) -> float | None:
        """Return the share of events with a longer delay: the most that this constant slack can make late.

        Events in the same bin as the slack (2 %) count as in time.
        """
        if self.counts is None or not self.events:
            return None
        at = bin_of(np.array([Duration.of(slack, parameter="slack").microseconds]))[0]
        return float(self.counts[at + 1 :].sum() / self.events)

    def curve(self) -> tuple[Times, Floats]:
        """Return slacks in us, from none to the largest delay, and the share of events with a longer delay."""
        if self.counts is None or not self.events:
            return np.zeros(0, np.int64), np.zeros(0)
        slack = np.array([min(slack_of_bin(each), self.largest) for each in range(len(self.counts))], np.int64)
        return slack, 1 - np.cumsum(self.counts) / self.events

    def __repr__(self) -> str:
        share = f"{self.share_out_of_order:.1%}"
        return f"<Delays of {self.events:,} events, {share} out of order, at most {self.largest:,} us>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Delays) and self.to_dict() == other.to_dict()

    __hash__ = None  # type: ignore[assignment]

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as values that JSON can hold; the histogram as pairs of longest delay (us) and events."""
        found = {f"p{100 * share:g}_us": self.quantile(share) for share in QUANTILES}
        histogram = None
        if self.counts is not None:
            histogram = [[slack_of_bin(int(each)), int(self.counts[each])] for each in np.flatnonzero(self.counts)]
        return {
            "events": self.events,
            "out_of_order": self.out_of_order,
            "share_out_of_order": self.share_out_of_order,
            "largest_us": self.largest,
            **found,
            "histogram": histogram,
        }
