"""A burst of an aggregate, batch by batch: what is set aside, what is worked off, and what that leaves to say."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from slackwater.core.sidelined import SidelinedLogic, SidelinedState, Waiting
from slackwater.events import PUNCTUATION
from slackwater.measurement import Counts
from slackwater.pipeline.emitted import Emitted
from slackwater.pipeline.marks import Answer, Mark
from slackwater.time import BEFORE_ALL_TIME
from slackwater.wording import time_in_words

if TYPE_CHECKING:
    from slackwater.core.aggregate import WindowAggregateLogic
    from slackwater.core.arrivals import Arrivals
    from slackwater.core.cells import Cells, Input
    from slackwater.events import Rows
    from slackwater.pipeline.boundaries import Decisions
    from slackwater.plan.nodes import AggregateNode
    from slackwater.time import Times

_NONE = np.empty(0, np.int64)


class Sidelined:
    """Keeps rows of bursts out of the way of an aggregate. Without a `sideline=` it works off what a former plan left.

    `on_batch` comes before a batch is run, and `withhold` says of its results what is final.
    """

    def __init__(
        self,
        node: AggregateNode,
        logic: WindowAggregateLogic,
        state: SidelinedState | None,
        came: Mapping[str, int],
    ) -> None:
        self._asked, self._panes, self._logic = node.sideline, node.panes, logic
        functions = [value.algebra for _, value in node.values]
        state = replace(
            state or SidelinedState(Waiting.none()), came={int(slide): count for slide, count in came.items()}
        )
        self._rows = SidelinedLogic(node.panes, functions, logic, state)
        self._answers: list[Answer] = []

    def on_batch(
        self, arrivals: Arrivals, slack: Times, group: Rows, inputs: Sequence[Input]
    ) -> tuple[Emitted | None, Rows]:
        """Work off a share of what waits, and set events of a batch aside: return what is final, and their positions.

        What would be worked off in the same batch is not set aside.
        """
        asked, waiting, crowded = self._asked, len(self._rows), _NONE
        if asked is None or (not waiting and not arrivals.steps):
            return self.work_off(), crowded
        passed = 0
        if arrivals.steps:
            crowded = self._rows.crowded(arrivals, slack, asked.limit(self._panes.slide))
            passed = int(arrivals.clock[-1]) - max(int(arrivals.before[0]), int(arrivals.events.time.min()))
        share = asked.share(new=len(arrivals.events) - len(crowded), passed=max(0, passed))
        final = self.work_off(min(share, waiting))
        count = min(len(crowded) - max(0, share - waiting), asked.at_most - len(self._rows))
        aside = crowded[len(crowded) - max(0, count) :]
        self._rows.set_aside(aside, arrivals.events.time, group, inputs)
        return final, aside

    def work_off(self, count: int | None = None) -> Emitted | None:
        """Take in rows that wait (None: all), the oldest first; return the windows that are final by that."""
        found = self._rows.work_off(len(self._rows) if count is None else count)
        self._answers = [] if found is None else self._said_of(found[0])
        if found is None:
            return None
        cells, number = found
        clock = BEFORE_ALL_TIME if self._logic.clock is None else self._logic.clock
        before = np.full(len(cells), -1)
        return Emitted(cells, np.ones(len(cells), np.bool_), number, before, np.full(len(cells), clock))

    def withhold(self, emitted: Emitted | None) -> Emitted | None:
        """Return results, of which those that wait for rows are early ones."""
        if emitted is None or not len(self._rows):
            return emitted
        return replace(emitted, final=self._rows.withhold(emitted.cells, emitted.number, emitted.final))

    def count(self, decisions: Decisions, arrivals: Arrivals, steps: Rows, aside: Rows) -> Decisions:
        """Return decisions at these steps of a batch, in which rows that wait are not released."""
        came = np.searchsorted(arrivals.step_of(aside), steps, side="right")
        return replace(decisions, released=decisions.released - (len(self._rows) - len(aside)) - came)

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
