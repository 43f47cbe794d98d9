"""What share of an aggregate's results is within a bound: at every slack, and in truth, decision by decision.

The ledger judges all windows of a batch beforehand, from arrivals alone; what it found is told to the controller when
the clock has come to it. So decisions do not depend on how the stream is cut into batches.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from slackwater.contracts import RelativeError
from slackwater.core.ledger import Judged, LedgerState, ResultLedger
from slackwater.estimate.recent_results import RecentResults
from slackwater.measurement import RecentWindows

if TYPE_CHECKING:
    from slackwater.core.arrivals import Arrivals
    from slackwater.core.cells import Cells, Input
    from slackwater.events import Rows
    from slackwater.pipeline.boundaries import Decisions
    from slackwater.plan.nodes import AggregateNode
    from slackwater.time import Times

_MISSES = 20  # that the windows remembered may have, one result each: fewer say little about a share
_FEWEST, _MOST = 64, 512  # windows
_NONE = np.empty(0, np.int64)


class _Part(NamedTuple):
    """What closes in a part of a batch."""

    clock: Times  # after each step
    ends: Times  # of windows that close
    step: Rows  # and at which step each does
    waited: Times  # and how long it was waited for


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
        self._part = _Part(_NONE, _NONE, _NONE, _NONE)
        self._clock: int = state.get("ledger", {}).get("clock") or 0  # nothing waited before the first event

    @classmethod
    def of(cls, node: AggregateNode, state: dict[str, Any], windows: Mapping[int, Cells] | None) -> WithinBound | None:
        """Build it for a contract on values; others have nothing to be compared."""
        return cls(node, state.get("within", {}), windows or {}) if isinstance(node.contract, RelativeError) else None

    def on_batch(self, arrivals: Arrivals, group: Rows, inputs: Sequence[Input]) -> None:
        """Take in all events of a batch, before the first decision in it."""
        self._judged, self._told = self._ledger.on_batch(arrivals, group, inputs), 0
        self._ends = self._ledger.ends

    def on_part(self, part: Arrivals, reached: Times, closed_to: int, promised: Times) -> None:
        """Find what closes in a part of the batch, which `follow` then goes through.

        `reached` is how far windows are closed after each step, `closed_to` how far before the first; `promised` how
        far the input has closed them before each step, when the clock was still that of the step before. A window
        without events counts too: if some come to it later, its result is one that was never emitted.
        """
        all_ends = self._ledger.ends_reached(part.clock, np.minimum(reached, part.clock), closed_to)
        ends = np.union1d(self._closing(closed_to, int(reached[-1])), all_ends)
        step = np.searchsorted(reached, ends, side="left")
        clock = np.where(ends <= promised[step], part.before[step], part.clock[step])
        self._part, self._clock = _Part(part.clock, ends, step, np.maximum(clock - ends, 0)), int(part.clock[-1])

    def follow(self, steps: Rows, decisions: Decisions) -> Decisions:
        """Go through the part, and write down what was measured at each decision; `steps` are theirs."""
        measured = np.full(len(decisions), np.nan)
        start = 0
        for number, step in enumerate(steps.tolist()):
            self._tell(start, step + 1)
            share = self._recent.get(int(self._part.clock[step])).share
            measured[number] = np.nan if share is None else share
            start = step + 1
        self._tell(start, len(self._part.clock))
        return replace(decisions, measured=measured)

    def measure(self, clock: int, *, closes: bool) -> RecentWindows:
        """Return what is known of recent windows, and what has become known since it was asked before.

        Where no interval `closes`, nothing is told: what is known at the end of a batch would depend on the batches.
        """
        if not closes:
            return RecentWindows(_NONE, np.empty(0), np.empty((0, 1)), changed=False)
        windows = self._recent.get(clock)
        self._recent.told()
        return windows

    def on_batch_end(self, closed_to: int, promised: int) -> None:
        """Note what punctuations close after the last step, and let go of windows that no row can reach any more."""
        for end in self._closing(closed_to, promised).tolist():
            self._recent.emitted(end, max(self._clock - end, 0))
        self._ledger.forget()
        self._recent.forget(self._ledger.gone)

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

    def _closing(self, closed_to: int, reached: int) -> Times:
        """Return the ends of windows that close between two times."""
        first, stop = np.searchsorted(self._ends, [closed_to, reached], side="right").tolist()
        return self._ends[first:stop]

    def _tell(self, start: int, stop: int) -> None:
        """Remember the windows that were emitted, and those that came of an age, in the steps `[start, stop)`."""
        part, judged = self._part, self._judged
        for place in range(*np.searchsorted(part.step, [start, stop]).tolist()):
            self._recent.emitted(int(part.ends[place]), int(part.waited[place]))
        if judged is None or stop <= start:
            return
        upto = int(np.searchsorted(judged.due, part.clock[stop - 1], side="right"))
        for number in range(self._told, upto):
            self._recent.update(int(judged.end[number]), judged.of(number))
        self._told = max(self._told, upto)
