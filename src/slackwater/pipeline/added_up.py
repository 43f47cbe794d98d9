"""Rows of a batch that were added up by pane and group before they came: one event stands for all of a cell.

All events of a pane are in the same windows. So where a batch arrives in one step, as on Spark without an `arrival`
column, it does not matter which of them came first: all are in time for the same windows, and need the same slack so as
not to be late. Late ones must come as rows, which the late output shows, and so must those that the guard turns away.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from slackwater.core.algebra import Algebra, Reducing, State, joined_states
from slackwater.core.cells import Input
from slackwater.core.lifted import Lifted
from slackwater.errors import InvariantError
from slackwater.events import Events
from slackwater.pipeline.guard import Incoming
from slackwater.time import MAX_TIME, is_future

if TYPE_CHECKING:
    from slackwater.core.aggregate import WindowAggregateLogic
    from slackwater.core.arrivals import Arrivals
    from slackwater.core.segments import Column, Reduction
    from slackwater.events import Rows
    from slackwater.plan.nodes import StreamNode
    from slackwater.time import Mask, Times


@dataclass(frozen=True)
class Span(Reducing):
    """How many events there are, and the earliest and the latest time of them.

    >>> [column.tolist() for column in Span().lift(np.array([7, 8]), None)]
    [[1, 1], [7, 8], [7, 8]]
    """

    reductions: tuple[Reduction, ...] = ("add", "least", "most")

    def lift(self, values: Column, valid: Mask | None) -> State:
        """Return (1, time, time)."""
        return np.ones(len(values), np.int64), values, values

    def lower(self, state: State) -> tuple[Column, Mask | None]:
        """Return the count."""
        return state[0], None


@dataclass(frozen=True, slots=True)
class AddedUp:
    """Cells behind the rows of a batch: row numbers go on where those of the rows end."""

    rows: int
    count: Rows  # of each cell, how many events it stands for
    earliest: Times
    latest: Times
    states: Sequence[State]  # of each function

    def join(self, incoming: Incoming, stream: StreamNode) -> Incoming:
        """Put the cells behind the rows of a batch, each at its earliest time."""
        self._check_future(incoming, stream)
        row = self.rows + np.arange(len(self.count))
        events = Events.concat([incoming.events, Events(self.earliest, row, row)])
        known, arrived_at = incoming.has_time, incoming.processing_time
        if known is not None:
            known = np.concatenate((known, np.ones(len(row), np.bool_)))
        if not isinstance(arrived_at, int):
            arrived_at = np.concatenate((arrived_at, np.full(len(row), MAX_TIME)))
        return Incoming(events, known, arrived_at)

    def inputs(self, functions: Sequence[Algebra], inputs: Sequence[Input]) -> list[Input]:
        """Return what each function is asked about: the states of the rows, then those of the cells."""
        if not self.rows:
            return [Input(Lifted(state)) for state in self.states]
        each = zip(functions, inputs, self.states, strict=True)
        return [Input(Lifted(joined_states([_lifted(function, own), state]))) for function, own, state in each]

    def arrive(self, logic: WindowAggregateLogic, events: Events) -> Arrivals:
        """Let the events of a batch arrive in one step."""
        weight = np.concatenate((np.ones(self.rows, np.int64), self.count))
        return logic.arrive_together(events, weight=weight[events.row], latest=int(self.latest.max()))

    def check(self, late: Events) -> None:
        """Raise InvariantError if a cell is late: its rows are not there to be shown."""
        cells = late.row >= self.rows
        if cells.any():
            raise InvariantError(
                "the horizon behind which rows were added up",
                found=f"past {int(late.time[cells].min())} us",
                expected="known when they were sent; started again, the query sends all rows",
            )

    def _check_future(self, incoming: Incoming, stream: StreamNode) -> None:
        """Raise InvariantError if the guard would have turned rows away: the clock of processing time went back."""
        ahead = None if stream.max_ahead is None else stream.max_ahead.microseconds
        if isinstance(incoming.processing_time, int) and is_future(self.latest, incoming.processing_time, ahead).any():
            raise InvariantError(
                "the time of rows that were added up",
                found=f"{int(self.latest.max())} us",
                expected=f"at most {stream.max_ahead} past the batch; started again, the query sends all rows",
            )


def _lifted(function: Algebra, rows: Input) -> State:
    assert not isinstance(rows.values, Lifted)
    return function.lift(rows.values, rows.valid)
