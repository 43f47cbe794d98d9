"""A burst of an aggregate, batch by batch: what is set aside, what is worked off, and what that leaves to say."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from slackwater.core.sidelined import SidelinedLogic, SidelinedState
from slackwater.errors import time_in_words
from slackwater.events import PUNCTUATION
from slackwater.measurement import Counts
from slackwater.pipeline.emitted import Emitted
from slackwater.pipeline.marks import Answer, Mark
from slackwater.time import BEFORE_ALL_TIME

if TYPE_CHECKING:
    from slackwater.core.aggregate import WindowAggregateLogic
    from slackwater.core.arrivals import Arrivals
    from slackwater.core.cells import Cells, Input
    from slackwater.events import Rows
    from slackwater.pipeline.boundaries import Decisions
    from slackwater.plan.nodes import AggregateNode
    from slackwater.time import Mask, Times


class Sidelined:
    """Keeps rows of bursts out of the way of an aggregate. Without a `sideline=` it works off what a former plan left.

    A batch first works rows off, then sets its own aside, then is run; at last `withhold` says what is final.
    """

    def __init__(self, node: AggregateNode, logic: WindowAggregateLogic, state: SidelinedState | None) -> None:
        self._asked, self._panes, self._logic = node.sideline, node.panes, logic
        self._rows = SidelinedLogic(node.panes, [value.algebra for _, value in node.values], state)
        self._set_aside, self._answers = 0, list[Answer]()

    def work_off(self, new: int | None = None) -> Emitted | None:
        """Take in rows that wait, before so many new ones (None: all); return the windows that are final by that."""
        count = waiting = len(self._rows)
        if self._asked is not None and new is not None:
            count = self._asked.worked_off(new=new, waiting=waiting)
            self._set_aside = self._asked.set_aside(new=new, waiting=waiting)
        found = self._rows.work_off(self._logic, count)
        self._answers = [] if found is None else self._said_of(found[0])
        if found is None:
            return None
        cells, number = found
        clock = BEFORE_ALL_TIME if self._logic.clock is None else self._logic.clock
        before = np.full(len(cells), -1)
        return Emitted(cells, np.ones(len(cells), np.bool_), number, before, np.full(len(cells), clock))

    def set_aside(self, arrivals: Arrivals, slack: Times, group: Rows, inputs: Sequence[Input]) -> Mask | None:
        """Return which events of a batch are set aside; None: none is."""
        chosen = self._rows.choose(arrivals, slack, self._logic.closed_to, self._set_aside)
        self._set_aside = 0
        self._rows.set_aside(chosen, arrivals.events.time, group, inputs)
        return chosen

    def withhold(self, emitted: Emitted | None) -> Emitted | None:
        """Return results, of which those that wait for rows are early ones."""
        if emitted is None or not len(self._rows):
            return emitted
        return replace(emitted, final=self._rows.withhold(emitted.cells, emitted.number, emitted.final))

    def count(self, decisions: Decisions, arrivals: Arrivals, steps: Rows, chosen: Mask | None) -> Decisions:
        """Return decisions at these steps of a batch, in which rows that wait are not released."""
        positions = np.empty(0, np.int64) if chosen is None else np.flatnonzero(chosen)
        came = np.searchsorted(arrivals.step_of(positions), steps, side="right")
        return replace(decisions, released=decisions.released - (len(self._rows) - len(positions)) - came)

    def counts(self, counts: Counts) -> Counts:
        """Return where events are, given where they would be if none waited."""
        waiting = len(self._rows)
        return Counts(counts.arrived, counts.released - waiting, counts.late, waiting)

    @property
    def answers(self) -> tuple[Answer, ...]:
        """What was said of windows that became final in this batch: range punctuations (PROD Sec. 6.2)."""
        return tuple(self._answers)

    @property
    def state(self) -> SidelinedState:
        """All that is needed to go on."""
        return self._rows.snapshot()

    def _said_of(self, done: Cells) -> list[Answer]:
        windows, results = np.unique(done.place, return_counts=True)
        bounds = zip(self._panes.starts(windows).tolist(), self._panes.ends(windows).tolist(), strict=True)
        return [
            Answer(Mark(PUNCTUATION, 0, until, since, words=_range(since, until)), self._logic.clock, count)
            for (since, until), count in zip(bounds, results.tolist(), strict=True)
        ]


def _range(since: int, until: int) -> str:
    return f"[{time_in_words(since)}, {time_in_words(until)})"
