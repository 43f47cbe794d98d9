"""The event times that a profile counts, kept in arrival order: for what a histogram cannot tell."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from slackwater.disorder.tally import Tally

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from slackwater.events import Rows
    from slackwater.time import Mask, Times


class Collected:
    """The times of usable rows, in arrival order, and where known their arrival: 8 or 16 bytes a row.

    Memory grows with the rows, which that of a profile does not.
    """

    def __init__(self) -> None:
        self._times: list[Times] = []
        self._arrivals: list[Times] = []

    def tally(self, kinds: Sequence[str]) -> Tally:
        """Return a tally that keeps what it counts here; what was kept before is forgotten."""
        self._times, self._arrivals = [], []
        return _Keeping(kinds, self)

    @property
    def times(self) -> Times:
        """Event times in us."""
        return np.concatenate(self._times) if self._times else np.zeros(0, np.int64)

    @property
    def arrivals(self) -> Times | None:
        """What orders them: equal values arrived together. None where each row came by itself."""
        return np.concatenate(self._arrivals) if self._arrivals else None

    def add(self, times: Times, arrivals: Times | None) -> None:
        """Keep the rows of a batch."""
        self._times.append(times.copy())
        if arrivals is not None:
            self._arrivals.append(arrivals.copy())


class _Keeping(Tally):
    def __init__(self, kinds: Sequence[str], collected: Collected) -> None:
        super().__init__(kinds)
        self._collected = collected

    def on_batch(
        self,
        times: Times,
        *,
        usable: Mask | None,
        arrivals: Times | None = None,
        codes: Mapping[str, Rows] | None = None,
    ) -> None:
        which: Mask | slice = slice(None) if usable is None else usable
        self._collected.add(times[which], None if arrivals is None else arrivals[which])
        super().on_batch(times, usable=usable, arrivals=arrivals, codes=codes)
