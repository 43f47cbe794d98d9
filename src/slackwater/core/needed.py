"""What results need, as columns, and what is remembered to find it: see `core/needs.py`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from slackwater.core.sample import SampleState
from slackwater.time import BEFORE_ALL_TIME

if TYPE_CHECKING:
    from slackwater.events import Rows
    from slackwater.measurement import Numbers
    from slackwater.time import Times


@dataclass(frozen=True, slots=True)
class Needs:
    """Results, or samples of them, at the arrival of their last member."""

    step: Rows  # of that arrival
    time: Times  # of the result
    slack: Times  # that it needs
    weight: Numbers  # how many results it stands for
    gone: Times  # the join's time from which on it cannot be produced any more

    def __len__(self) -> int:
        return len(self.step)

    def __getitem__(self, which: slice | Rows) -> Needs:
        return Needs(self.step[which], self.time[which], self.slack[which], self.weight[which], self.gone[which])

    @property
    def any_slack(self) -> bool:
        """Whether any needs one."""
        return bool(self.slack[0]) if len(self.slack) == 1 else bool(self.slack.any())

    @property
    def total(self) -> float:
        """How many results they stand for."""
        return float(self.weight[0]) if len(self.weight) == 1 else float(self.weight.sum())

    def by_step(self) -> Needs:
        """The same in the order of the arrivals."""
        return self[np.argsort(self.step, kind="stable")]

    @classmethod
    def none(cls) -> Needs:
        """No results."""
        empty = np.empty(0, np.int64)
        return cls(empty, empty, empty, np.empty(0), empty)

    @classmethod
    def concat(cls, parts: Sequence[Needs]) -> Needs:
        """Put needs one after the other."""
        columns = zip(*((part.step, part.time, part.slack, part.weight, part.gone) for part in parts), strict=True)
        return cls(*map(np.concatenate, columns))


@dataclass(frozen=True, slots=True)
class NeedsState:
    """All that a profile remembers besides the events it has seen."""

    longest_lag: int = 0  # the longest that an event has come behind the slowest clock
    remembered_from: int = BEFORE_ALL_TIME  # the time from which on events are remembered, but for their windows
    samples: tuple[tuple[SampleState, SampleState], ...] = ()  # of each stream: late arrivals, others
    looking: bool = False  # whether the others are looked at in the interval under way
    late: int = 0  # late arrivals of that interval so far
    others: int = 0  # and others
    results: float = 0.0  # that those completed
    results_per_event: float = 1.0  # of events that are not late, over the last ten or so intervals with a look at them
    lost: tuple[SampleState, ...] = ()  # of each stream: those that came behind the join
