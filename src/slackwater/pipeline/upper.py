"""An aggregate over the results of another one: the upper levels of a plan.

A result of the level below is an event at the last microsecond of its window. The horizon here follows from what is
closed below, so that nothing is late. A prod sweeps the plan from below (PROD Sec. 3.3): each level shows its open
windows to the next one, which counts them in for that one answer. PROD's rule R1, who purges and who keeps: a level
*keeps* what it has shown, and the level above forgets it; unless that does to the values what gave them, such as a sum
of sums: then the level *hands over* what it has, once, and begins anew.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from slackwater.core.aggregate import WindowAggregate
from slackwater.core.cells import Cells, Input
from slackwater.core.prods import ALL_WINDOWS, Ask
from slackwater.core.punctuations import Punctuation
from slackwater.events import Events
from slackwater.time import Duration, last_closed_end, last_instant, last_window_until, window_end

if TYPE_CHECKING:
    from slackwater.core.aggregate import Extra
    from slackwater.core.aggregate_state import AggregateState
    from slackwater.core.closing import Closed
    from slackwater.pipeline.groups import Regroup
    from slackwater.plan.nodes import AggregateNode
    from slackwater.time import Times


class Upper:
    """One level above the first, driven stage by stage."""

    def __init__(self, node: AggregateNode, regroup: Regroup, state: AggregateState | None = None) -> None:
        assert node.below is not None
        functions = tuple(value.algebra for _, value in node.values)
        self._logic = WindowAggregate(node.panes, functions, node.early is not None).build(state)
        self._node, self._below = node, node.below
        self._regroup = regroup  # for each group below, the group that it is part of here
        names = [name for name, _ in node.below.values]
        self._columns = [None if value.column is None else names.index(value.column) for _, value in node.values]

    def take_in(self, results: Cells) -> None:
        """Add results of the level below for good."""
        time, group, inputs = self._read(results)
        together = np.zeros(len(time), np.int64)
        arrivals = self._logic.arrive(Events(time, together, np.arange(len(time))))
        self._logic.on_batch(arrivals, group, inputs, slack=Duration.MAX.microseconds)

    def close(self, until: int) -> Closed:
        """Close what ends up to this time: no result below can come to it any more."""
        return self._logic.on_punctuation(Punctuation(until))

    def show(self, asks: Sequence[Ask], shown: Cells | None) -> tuple[Closed, list[int]]:
        """Show open windows, counting in what the level below shows just now."""
        return self._logic.on_prod(asks, None if shown is None else self._read(shown))

    def hand_over(self, asks: Sequence[Ask]) -> Cells | None:
        """Return open windows, and begin them anew."""
        return self._logic.hand_over(max(ask.last for ask in asks))

    def on_end(self) -> Closed:
        """Close every window that has events."""
        return self._logic.on_end()

    def close_until(self, time: int) -> None:
        """Close windows that end up to this time; they have no events."""
        self._logic.close_until(time)

    @property
    def open_from(self) -> int:
        """The earliest time that is in a window which is still open: what happens before is in none."""
        return self._logic.open_from

    def asks_below(self, asks: Sequence[Ask]) -> list[Ask]:
        """Return what must be asked of the level below: all groups, up to the end of the last window."""
        last = max(ask.last for ask in asks)
        if last >= ALL_WINDOWS:
            return [Ask()]
        end = window_end(last, self._node.panes.slide)
        return [Ask(last=last_window_until(end, self._below.panes.slide))]

    @property
    def closed_end(self) -> int:
        """The end of the last window that is closed for all."""
        return self._logic.closed_end

    def steps_of(self, closed: Closed, ends: Times) -> tuple[Closed, Times]:
        """Say after which step of the batch windows left, given the last closed end below; also the same of here."""
        slide = self._node.panes.slide
        if closed.windows is not None and len(ends):
            closed = replace(closed, step=np.searchsorted(ends, self._node.panes.ends(closed.windows.place)))
        return closed, last_closed_end(ends, slide)

    def snapshot(self) -> AggregateState:
        """Return all that is needed to go on."""
        return self._logic.snapshot()

    def _read(self, results: Cells) -> Extra:
        """Return results of the level below as events: times, groups, and what each function is asked about."""
        lowered = [
            value.algebra.lower(state) for (_, value), state in zip(self._below.values, results.states, strict=True)
        ]
        nothing = Input(np.zeros(len(results), np.int8))
        inputs = [nothing if column is None else Input(*lowered[column]) for column in self._columns]
        time = last_instant(self._below.panes.ends(results.place))
        return time, self._regroup[results.group], inputs
