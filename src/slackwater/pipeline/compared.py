"""Compares early results of an aggregate with the final ones: what they are worth, and how early they can be.

Events and final windows are taken in step by step, as they came: what is learned does not depend on how the stream is
cut into batches.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from slackwater.core.algebra import Count, Max, Min, Sum
from slackwater.core.cells import Cells
from slackwater.pipeline.early_chosen import ChosenProds
from slackwater.pipeline.early_estimates import EarlyEstimates, Estimates, joined_estimates, no_estimates

if TYPE_CHECKING:
    from slackwater.core.algebra import Algebra
    from slackwater.core.arrivals import Arrivals
    from slackwater.core.closing import Closed
    from slackwater.estimate.arrays import Floats
    from slackwater.events import Rows
    from slackwater.models.early_estimate import Kind
    from slackwater.plan.nodes import AggregateNode


@dataclass(frozen=True, slots=True)
class Compared:
    """A window that became final after it was shown early."""

    clock: int  # of the stream, when it became final
    past: int  # how far the clock was past its end when it was last shown, in us; negative: before it
    accuracy: Floats  # the running accuracy of each value that is compared; NaN: unknown


class ComparedEarly:
    """Drives the estimates of one aggregate, and chooses when windows are shown if an accuracy is asked for."""

    def __init__(self, node: AggregateNode, state: dict[str, Any], known: Cells | None) -> None:
        assert node.early is not None
        self._node, self._functions = node, tuple(value.algebra for _, value in node.computed)
        self._places = [place for place, (name, _) in enumerate(node.values) if name in node.estimated]
        self._estimates = EarlyEstimates(
            node.panes,
            [kind_of(self._functions[place]) for place in self._places],
            confidence=node.early.confidence,
            estimate=node.early.estimate,
            state=state.get("estimates"),
            known=np.empty(0, np.int64) if known is None else known.group,
        )
        self._slack: int = state.get("slack", 0)  # of the last step
        self.chosen: ChosenProds | None = None
        if node.early.accuracy is not None:
            count, slide = len(self._places), node.panes.slide
            self.chosen = ChosenProds(node.early, slide=slide, functions=count, state=state.get("chosen"))
        self._told: list[Compared] = []

    @classmethod
    def of(cls, node: AggregateNode, state: dict[str, Any] | None, known: Cells | None) -> ComparedEarly | None:
        """Build it where early results are compared."""
        return cls(node, state or {}, known) if node.compares_early else None

    def on_batch(self, arrivals: Arrivals, closed: Closed, *, slack: int) -> None:
        """Take in events, and the windows that they closed, step by step; `slack` is that of the last step."""
        self._slack = slack
        times, start = arrivals.events.time, 0
        times = np.delete(times, closed.late) if len(closed.late) else times
        for step, windows in _by_step(closed):
            arrived = int(arrivals.arrived_by(np.array([step]))[0])
            stop = arrived - int(np.searchsorted(closed.late, arrived))
            self._estimates.update(times[start:stop])
            self._learn(windows, int(closed.reached[step]), int(arrivals.clock[step]))
            start = stop
        self._estimates.update(times[start:])

    def on_closed(self, closed: Closed, closed_to: int, clock: int) -> None:
        """Take in windows that something else than an event closed."""
        if closed.windows is not None:
            self._learn(closed.windows, closed_to, clock)

    def on_shown(self, windows: Cells, *, clock: int, some: bool) -> Estimates | None:
        """Estimate windows that are shown; `some` says that there are groups that are not among them."""
        parts = []
        for window, cells in _by_window(windows):
            rows, values = self._lowered(cells)
            parts.append(
                self._estimates.early(window, cells.group, rows, values, clock=clock, slack=self._slack, some=some)
            )
        return joined_estimates(parts)

    def leaving(self, closed: Closed, estimates: Estimates | None) -> tuple[Closed, Estimates | None]:
        """Return results as they leave: without what was computed for us alone, and with estimates if asked for."""
        windows = closed.windows
        if windows is None:
            return closed, None
        visible = Cells(windows.place, windows.group, windows.states[: len(self._node.values)])
        if not self._node.corrects_early:
            return replace(closed, windows=visible), None
        return replace(closed, windows=visible), estimates or no_estimates(len(self._places), len(windows))

    def told(self) -> tuple[Compared, ...]:
        """Return the windows that became final since it was asked before."""
        told, self._told = tuple(self._told), []
        return told

    @property
    def known(self) -> Cells | None:
        """The groups that something is known of; the snapshot speaks of them by their places."""
        group = self._estimates.known
        return Cells(np.arange(len(group)), group, ()) if len(group) else None

    def snapshot(self) -> dict[str, Any]:
        """Return all that is needed to go on besides `known`, as values that JSON can hold."""
        chosen = {} if self.chosen is None else {"chosen": self.chosen.snapshot()}
        return {"estimates": self._estimates.snapshot(), "slack": self._slack, **chosen}

    def _learn(self, windows: Cells, closed_to: int, clock: int) -> None:
        for window, cells in _by_window(windows):
            rows, values = self._lowered(cells)
            learned = self._estimates.final(window, cells.group, rows, values, closed_to=closed_to)
            if learned.past is None:
                continue
            if self.chosen is not None:
                self.chosen.observe(learned.errors)
            self._told.append(Compared(clock, learned.past, self._estimates.accuracy.get()))

    def _lowered(self, cells: Cells) -> tuple[Floats, Floats]:
        """Return how many rows each group has, and a row of numbers for each value that is compared."""
        rows = self._functions[self._node.row_count].lower(cells.states[self._node.row_count])[0]
        values = np.empty((len(self._places), len(cells)))
        for number, place in enumerate(self._places):
            value, valid = self._functions[place].lower(cells.states[place])
            known = np.isfinite(value) if valid is None else np.isfinite(value) & valid
            values[number] = np.where(known, value, np.nan)
        return rows.astype(np.float64), values


def kind_of(function: Algebra) -> Kind:
    """Return what a function does with more rows."""
    kinds: dict[type, Kind] = {Count: "count", Sum: "total", Max: "most", Min: "least"}
    return kinds.get(type(function), "other")


def _by_window(windows: Cells) -> Iterator[tuple[int, Cells]]:
    yield from ((int(cells.place[0]), cells) for cells in _parted(windows, windows.place))


def _by_step(closed: Closed) -> Iterator[tuple[int, Cells]]:
    if closed.windows is not None:
        steps = _starts(closed.step)
        yield from zip(closed.step[steps].tolist(), _parted(closed.windows, closed.step), strict=True)


def _parted(cells: Cells, column: Rows) -> Iterator[Cells]:
    """Yield the stretches of cells in which a column, which does not fall, is the same."""
    starts = _starts(column)
    for start, stop in zip(starts, np.append(starts[1:], len(column)), strict=True):
        yield cells if stop - start == len(cells) else cells[start:stop]


def _starts(column: Rows) -> Rows:
    return np.flatnonzero(np.diff(column, prepend=column[:1] - 1))
