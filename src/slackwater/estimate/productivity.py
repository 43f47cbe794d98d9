"""How productive events were, by their delay: JI16 Sec. IV-B, the tuple-productivity profiler."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from slackwater.estimate.arrays import Floats, add, pack, unpack
from slackwater.estimate.delay_histogram import bins_of

if TYPE_CHECKING:
    from slackwater.measurement import Joined

OutOfOrder: TypeAlias = Literal["max", "mean"]


@dataclass(frozen=True, slots=True)
class Profile:
    """Combinations offered and results completed by the events of each coarse delay, in one interval."""

    cross: Floats
    results: Floats


@dataclass(frozen=True, slots=True)
class IntervalSizes:
    """Results of one interval: those produced, and those that in-order input would have given, by estimate."""

    produced: float
    true: float


class Productivity:
    """Profiles the last adaptation interval in which an event came to the join in order.

    An out-of-order event is not probed, so its productivity is a guess: the largest of all in-order events of its
    interval (as the document says; this overstates what was missed), or their mean (which understates it).
    Holds four numbers for each coarse delay.

    >>> from slackwater.measurement import Joined
    >>> profiler = Productivity(granularity=10)
    >>> delay, in_order = np.array([0, 5, 25]), np.array([True, True, False])
    >>> profiler.update(Joined(delay, in_order, cross=np.array([4, 2, 0]), results=np.array([3, 1, 0])))
    >>> profiler.close()
    IntervalSizes(produced=4.0, true=7.0)
    >>> profiler.get().cross.tolist()
    [4.0, 2.0, 0.0, 4.0]
    """

    def __init__(self, granularity: int, out_of_order: OutOfOrder = "max", state: dict[str, Any] | None = None) -> None:
        self._granularity = granularity
        self._out_of_order = out_of_order
        self._profile = _profile(state["profile"]) if state else Profile(np.zeros(0), np.zeros(0))
        self._open = _OpenInterval.restored(state["open"]) if state else _OpenInterval.new()

    def update(self, joined: Joined) -> None:
        """Take in what came to the join, in an interval or a part of one."""
        self._open.update(joined, bins_of(joined.delay, self._granularity))

    def close(self) -> IntervalSizes:
        """End the interval. One without in-order events counts for nothing and leaves the profile as it was."""
        ended, self._open = self._open, _OpenInterval.new()
        if not ended.in_order:
            return IntervalSizes(0.0, 0.0)
        self._profile = ended.profile(self._out_of_order)
        return IntervalSizes(float(ended.results.sum()), float(self._profile.results.sum()))

    def get(self) -> Profile:
        """Return the profile; it is empty before the first interval ends."""
        return self._profile

    def snapshot(self) -> dict[str, Any]:
        """Return the profile and what is known of the open interval."""
        return {
            "profile": [pack(self._profile.cross), pack(self._profile.results)],
            "open": self._open.snapshot(),
        }


def _profile(state: list[str]) -> Profile:
    return Profile(unpack(state[0], np.float64), unpack(state[1], np.float64))


@dataclass(slots=True)
class _OpenInterval:
    """Sums over the interval that has not ended: by coarse delay, and the largest productivity of an event."""

    cross: Floats
    results: Floats
    missed: Floats  # how many events came out of order
    in_order: int = 0
    most_cross: float = 0.0
    most_results: float = 0.0

    @classmethod
    def new(cls) -> _OpenInterval:
        return cls(np.zeros(0), np.zeros(0), np.zeros(0))

    @classmethod
    def restored(cls, state: dict[str, Any]) -> _OpenInterval:
        cross, results, missed = (unpack(text, np.float64) for text in state["columns"])
        return cls(cross, results, missed, *state["numbers"])

    def update(self, joined: Joined, bins: Any) -> None:
        in_order = joined.in_order
        probed = bins[in_order]
        self.cross = add(self.cross, np.bincount(probed, weights=joined.cross[in_order]))
        self.results = add(self.results, np.bincount(probed, weights=joined.results[in_order]))
        self.missed = add(self.missed, np.bincount(bins[~in_order]))
        self.in_order += len(probed)
        self.most_cross = max(self.most_cross, float(joined.cross.max(initial=0)))
        self.most_results = max(self.most_results, float(joined.results.max(initial=0)))

    def profile(self, out_of_order: OutOfOrder) -> Profile:
        """Add the guess for the out-of-order events to what the in-order ones really did."""
        if out_of_order == "max":
            return self._with_missed(self.most_cross, self.most_results)
        return self._with_missed(self.cross.sum() / self.in_order, self.results.sum() / self.in_order)

    def _with_missed(self, cross: float, results: float) -> Profile:
        return Profile(add(self.cross, self.missed * cross), add(self.results, self.missed * results))

    def snapshot(self) -> dict[str, Any]:
        return {
            "columns": [pack(self.cross), pack(self.results), pack(self.missed)],
            "numbers": [self.in_order, self.most_cross, self.most_results],
        }
