"""How often each coarse delay was seen: JI16 Sec. IV-A (H_i), SUN15 Alg. 3 and 4 (late degree monitor)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from slackwater.estimate.arrays import Floats, add, pack, unpack

if TYPE_CHECKING:
    import numpy.typing as npt

    from slackwater.time import Times

MOST_BINS = 1 << 15  # what bounds the memory; the last bin also holds all larger delays


def coarse_delay(delays: Times, granularity: int) -> Times:
    """Return delays in units of the granularity g, rounded up: 0 -> 0, (0, g] -> 1, (g, 2g] -> 2 ...

    >>> coarse_delay(np.array([0, 1, 10, 11, 20, 21]), 10).tolist()
    [0, 1, 1, 2, 2, 3]
    """
    return -(-delays // granularity)


def bins_of(delays: Times, granularity: int) -> Times:
    """Return the bin of each delay; those past the last bin share it."""
    return np.minimum(coarse_delay(delays, granularity), MOST_BINS - 1)


class DelayHistogram:
    """Counts delays by their bin, in O(batch). Holds at most `MOST_BINS` numbers.

    >>> histogram = DelayHistogram(granularity=10)
    >>> histogram.update(np.array([0, 0, 7, 15]))
    >>> histogram.get().tolist()
    [0.5, 0.25, 0.25]
    """

    def __init__(self, granularity: int, state: dict[str, Any] | None = None) -> None:
        self._granularity = granularity
        self._counts: Floats = unpack(state["counts"], np.float64) if state else np.zeros(0)

    def update(self, delays: Times) -> None:
        """Count these delays."""
        self.add(np.bincount(bins_of(delays, self._granularity)))

    def get(self) -> Floats:
        """Return the share of each bin, up to the largest that was seen; nothing before the first delay."""
        seen = np.flatnonzero(self._counts)
        if not len(seen):
            return np.zeros(0)
        counts = self._counts[: seen[-1] + 1]
        shares: Floats = counts / counts.sum()
        return shares

    def add(self, counts: npt.NDArray[Any]) -> None:
        """Count delays that were binned already."""
        self._counts = add(self._counts, counts)

    def remove(self, counts: npt.NDArray[Any]) -> None:
        """Forget delays that were counted before."""
        self._counts[: len(counts)] -= counts

    def decay(self, factor: float) -> None:
        """Let all that was counted so far weigh less: SUN15 Alg. 4."""
        self._counts *= factor

    def snapshot(self) -> dict[str, Any]:
        """Return the counts."""
        return {"counts": pack(self._counts)}
