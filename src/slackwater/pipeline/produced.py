"""The recall of a join as decisions show it: what was produced is counted, and so is what was missed, up to a limit.

A controller has to know the recall before anything is joined, so it estimates it from a small sample of arrivals
(`pipeline/foresight.py`). Once a batch is joined one knows more: how many results it gave, and which events came behind
the join. These alone complete results that are missed, and they are few: all of them are looked at, unless an interval
has hundreds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from slackwater.estimate.known_misses import KnownMisses
from slackwater.time import BEFORE_ALL_TIME

if TYPE_CHECKING:
    from collections.abc import Callable

    from slackwater.core.join import Processed
    from slackwater.core.needs import NeedsProfile
    from slackwater.estimate.known_misses import Told
    from slackwater.events import Rows
    from slackwater.measurement import Numbers
    from slackwater.time import Times


class ProducedShare:
    """Counts results by their event time: when they are produced, or when a late event tells that they are missed."""

    def __init__(self, profile: NeedsProfile, period: int, state: dict[str, Any] | None = None) -> None:
        self._profile = profile
        self._known = KnownMisses(period, state)

    def on_processed(self, processed: Processed) -> None:
        """Count what the join has made."""
        self._known.made(self._made(processed, np.empty(0, np.int64))[0])

    def on_batch(
        self,
        interval: Rows,
        intervals: Rows,
        processed: Processed,
        done: Rows,
        watermark: Times,
        passed_on: Callable[[Rows], Times],
    ) -> Numbers:
        """Return the recall at each decision, nan where nothing was due: the worst one, where it stands for several.

        `interval` numbers that of each step of the batch, `intervals` is how many end with each decision, `done` how
        much was processed then, `watermark` the join's time then; `passed_on` says it before steps.
        """
        made = self._made(processed, done)
        needs = self._profile.missed(passed_on)
        missed = self._known.by_part(interval[needs.step], needs.time, needs.weight, len(done) + 1)
        measured = np.full(len(done), np.nan)
        ended = [*intervals.tolist(), 0]
        for number, at in enumerate([*watermark.tolist(), BEFORE_ALL_TIME]):
            self._known.made(made[number])
            self._known.miss(missed[number])
            if at > BEFORE_ALL_TIME:
                measured[number] = self._known.worst(at, intervals=ended[number])
        return measured

    def _made(self, processed: Processed, done: Rows) -> Told:
        """Return the results of each interval by part; the join's time after each event is that of its results."""
        if not len(processed.events):
            return [[] for _ in range(len(done) + 1)]
        return self._known.ascending_by_part(done, processed.times[1:], processed.completed_by)

    def snapshot(self) -> dict[str, Any]:
        """Return all that is needed to go on, as values that JSON can hold."""
        return self._known.snapshot()
