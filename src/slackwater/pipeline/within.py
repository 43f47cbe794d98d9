"""What share of an aggregate's results is within a bound: at every slack, and in truth, decision by decision.

The ledger judges all windows of a batch beforehand, from arrivals alone; what it found is told to the controller when
the clock has come to it. So decisions do not depend on how the stream is cut into batches.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from slackwater.contracts import RelativeError
from slackwater.core.ledger import Judged, LedgerState, ResultLedger
from slackwater.estimate.recent_results import RecentResults

if TYPE_CHECKING:
    from slackwater.core.arrivals import Arrivals
    from slackwater.core.cells import Cells, Input
    from slackwater.events import Rows
    from slackwater.measurement import RecentWindows
    from slackwater.pipeline.boundaries import Decisions
    from slackwater.plan.nodes import AggregateNode
    from slackwater.time import Times

_MISSES = 20  # that the windows remembered may have, one result each: fewer say little about a share
_FEWEST, _MOST = 64, 512  # windows


class WithinBound:
    """Follows the results of an aggregate whose contract is about their values."""

    def __init__(self, node: AggregateNode, state: dict[str, Any], windows: Mapping[int, Cells]) -> None:
        assert isinstance(node.contract, RelativeError)
        interval, cap = node.contract.interval.microseconds, node.contract.longest_wait
        config = ResultLedger(
            panes=node.panes,
            functions=tuple(value.algebra for _, value in node.values),
            counted=tuple(name in node.counted for name, _ in node.values),
            bound=node.contract.bound,
            youngest=interval,
            most=None if cap is None else cap.microseconds,
        )
        ledger = LedgerState(**state["ledger"], windows=windows) if "ledger" in state else None
        self._ledger = config.build(ledger)
        most = min(max(math.ceil(_MISSES / (1 - node.contract.confidence)), _FEWEST), _MOST)
        self._about = [node.contract.bound, *node.counted]
        recent = state.get("recent") if state.get("about") == self._about else None  # another bound's mean nothing
        self._recent = RecentResults(most=most, youngest=interval, state=recent)
        self._judged: Judged | None = None
        self._ends = self._ledger.ends  # of the windows that are watched, during a batch
        self._told = 0

    @classmethod
    def of(cls, node: AggregateNode, state: dict[str, Any], windows: Mapping[int, Cells] | None) -> WithinBound | None:
        """Build it for a contract on values; others have nothing to be compared."""
        return cls(node, state.get("within", {}), windows or {}) if isinstance(node.contract, RelativeError) else None

    def on_batch(self, arrivals: Arrivals, group: Rows, inputs: Sequence[Input]) -> None:
        """Take in all events of a batch, before the first decision in it."""
        self._judged, self._told = self._ledger.on_batch(arrivals, group, inputs), 0
        self._ends = self._ledger.ends

    def follow(self, clock: Times, reached: Times, closed_to: int, steps: Rows, decisions: Decisions) -> Decisions:
        """Go through a part of the batch, and write down what was measured at each decision.

        `reached` is how far windows are closed after each step, `closed_to` how far before; `steps` are those of the
        decisions.
        """
        ends = self._ends[slice(*np.searchsorted(self._ends, [closed_to, reached[-1]], side="right"))]
        closing = np.searchsorted(reached, ends, side="left")
        measured = np.full(len(decisions), np.nan)
        start = 0
        for number, step in enumerate(steps.tolist()):
            self._tell(clock, ends, closing, start, step + 1)
            share = self._recent.get(int(clock[step])).share
            measured[number] = np.nan if share is None else share
            start = step + 1
        self._tell(clock, ends, closing, start, len(clock))
        return replace(decisions, measured=measured)

    def measure(self, clock: int) -> RecentWindows:
        """Return what is known of recent windows, and what has become known since it was asked before."""
        windows = self._recent.get(clock)
        self._recent.told()
        return windows

    def on_batch_end(self) -> None:
        """Let go of windows that no row can reach any more."""
        self._ledger.forget()

    def on_end(self) -> None:
        """Let go of all windows."""
        self._ledger.on_end()

    @property
    def windows(self) -> Mapping[int, Cells]:
        """The cells of the windows that are watched; those that a batch leaves alone stay the same objects."""
        return self._ledger.snapshot().windows

    def snapshot(self) -> dict[str, Any]:
        """Return all that is needed to go on besides the cells, as values that JSON can hold."""
        held = self._ledger.snapshot()
        ledger = {"clock": held.clock, "whole": held.whole, "longest": held.longest, "gone": held.gone}
        return {"within": {"about": self._about, "ledger": ledger, "recent": self._recent.snapshot()}}

    def _tell(self, clock: Times, ends: Times, closing: Rows, start: int, stop: int) -> None:
        """Remember the windows that were emitted, and those that came of an age, in the steps `[start, stop)`."""
        for place in range(*np.searchsorted(closing, [start, stop]).tolist()):
            self._recent.emitted(int(ends[place]), int(clock[closing[place]] - ends[place]))
        judged = self._judged
        if judged is None or stop <= start:
            return
        upto = int(np.searchsorted(judged.due, clock[stop - 1], side="right"))
        for number in range(self._told, upto):
            self._recent.update(int(judged.end[number]), judged.of(number))
        self._told = max(self._told, upto)
