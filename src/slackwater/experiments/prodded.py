"""Runs an aggregate and prods every window once: early results beside final ones, as columns."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from slackwater.core.aggregate import WindowAggregate, WindowAggregateLogic
from slackwater.core.algebra import Algebra, Count, Max, Mean, Min, Sum, Variance
from slackwater.core.cells import Cells, Input
from slackwater.core.rollup import windows_of
from slackwater.estimate.early_accuracy import accuracy_of
from slackwater.events import Events
from slackwater.pipeline.early_estimates import EarlyEstimates
from slackwater.time import first_open_window, running_clock

if TYPE_CHECKING:
    from slackwater.core.panes import Panes
    from slackwater.estimate.arrays import Floats
    from slackwater.events import Rows
    from slackwater.models.early_estimate import Kind
    from slackwater.time import Times

FUNCTIONS: dict[str, tuple[Algebra, Kind]] = {
    "count": (Count(), "count"),
    "sum": (Sum(), "total"),
    "mean": (Mean(), "other"),
    "max": (Max(), "most"),
    "min": (Min(), "least"),
    "variance": (Variance(), "other"),
}
NAMES = tuple(FUNCTIONS)


@dataclass(frozen=True, slots=True)
class Prodded:
    """Early and final results of the same windows and groups, in the order of windows; a row for each function."""

    window: Rows
    group: Rows
    prodded_at: Floats  # aggressiveness with which each window was prodded
    rows: Floats  # that had come
    raw: Floats
    value: Floats
    low: Floats
    high: Floats
    coverage: Floats
    final: Floats

    @property
    def accuracy(self) -> Floats:
        """How near early values are to the final ones: PROD Sec. 4.4."""
        return accuracy_of(self.value, self.final)

    @property
    def held(self) -> Floats:
        """Whether each interval holds the final value, 1 or 0; NaN where there is none."""
        inside = ((self.low <= self.final) & (self.final <= self.high)).astype(np.float64)
        return np.where(np.isnan(self.low) | np.isnan(self.high), np.nan, inside)


def run_prodded(
    times: Times,
    values: Floats,
    panes: Panes,
    *,
    aggressiveness: float | Callable[[Floats | None], float],
    group: Rows | None = None,
    slack: int = 0,
    before: int = 0,
    now: Times | None = None,
    estimate: str = "corrected",
    confidence: float = 0.9,
) -> Prodded:
    """Aggregate events in arrival order; prod each window before the first event at `end - aggressiveness * slide`.

    `before` (us) prods earlier still: PROD's prods act one second before the tuples of their second. Prods go by the
    clock, or by `now`, the processing time of each event. A function instead of a number is asked for each window, and
    told the errors of the windows that have become final since.
    """
    run = _Run(
        panes,
        slack,
        EarlyEstimates(panes, [kind for _, kind in FUNCTIONS.values()], confidence=confidence, estimate=estimate),
    )
    group = np.zeros(len(times), np.int64) if group is None else group
    clock = running_clock(times, None)
    choose = aggressiveness if callable(aggressiveness) else (lambda _: aggressiveness)
    start, first = 0, int(times.min() // panes.slide) + panes.size // panes.slide
    for window in range(first, int(clock[-1] // panes.slide)):
        share = float(choose(run.learned()))
        due = (window + 1) * panes.slide - int(share * panes.slide) - before
        stop = int(np.searchsorted(clock if now is None else now, due, side="left"))
        if stop > start:
            run.feed(times[start:stop], group[start:stop], values[start:stop])
            start = stop
        run.prod(window, share)
    run.feed(times[start:], group[start:], values[start:])
    run.end()
    return run.joined()


class _Run:
    def __init__(self, panes: Panes, slack: int, estimates: EarlyEstimates) -> None:
        self.panes, self.slack, self.estimates = panes, slack, estimates
        self.functions = tuple(algebra for algebra, _ in FUNCTIONS.values())
        self.logic: WindowAggregateLogic = WindowAggregate(panes, self.functions).build()
        self.early: dict[int, tuple[Any, ...]] = {}
        self.done: list[tuple[Any, ...]] = []
        self.errors: list[Floats] = []

    def feed(self, times: Times, group: Rows, values: Floats) -> None:
        if not len(times):
            return
        arrivals = self.logic.arrive(Events.of(times))
        closed = self.logic.on_batch(arrivals, group, [Input(values)] * len(self.functions), slack=self.slack)
        self.estimates.update(np.delete(times, closed.late))
        self.finish(closed.windows)

    def prod(self, window: int, share: float) -> None:
        held = self.logic.snapshot()
        if held.clock is None or not held.panes or window < first_open_window(self.logic.closed_to, self.panes.slide):
            return
        cells = Cells.concat([held.panes[pane] for pane in sorted(held.panes)])
        found = windows_of(cells, self.panes, self.functions, start=window, stop=window + 1)
        if not len(found):
            return
        values = self.lowered(found)
        out = self.estimates.early(window, found.group, values[0], values, clock=held.clock, slack=self.slack)
        share_of = np.full(len(found), share)
        self.early[window] = (found.group, share_of, values[0], values, out.value, out.low, out.high, out.coverage)

    def finish(self, windows: Cells | None) -> None:
        if windows is None:
            return
        for window in np.unique(windows.place).tolist():
            cells = windows[windows.place == window]
            values = self.lowered(cells)
            learned = self.estimates.final(window, cells.group, values[0], values, closed_to=self.logic.closed_to)
            if window in self.early:
                self.errors.append(learned.errors)
                group, *rest = self.early.pop(window)
                at = np.searchsorted(cells.group, group)
                self.done.append((np.full(len(group), window), group, *rest, values[:, at]))

    def end(self) -> None:
        self.finish(self.logic.on_end().windows)

    def learned(self) -> Floats | None:
        """Return the errors of the windows that have become final since the last time."""
        errors, self.errors = self.errors, []
        return np.stack(errors) if errors else None

    def lowered(self, cells: Cells) -> Floats:
        columns = []
        for function, state in zip(self.functions, cells.states, strict=True):
            value, valid = function.lower(state)
            columns.append(value.astype(np.float64) if valid is None else np.where(valid, value, np.nan))
        return np.stack(columns)

    def joined(self) -> Prodded:
        return Prodded(*(np.concatenate(parts, axis=-1) for parts in zip(*self.done, strict=True)))
