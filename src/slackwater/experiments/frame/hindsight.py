"""What a constant slack would have given, from what each result needs: exact for our joins, and nothing has to be run.

Periods are stretches of result time, one every adaptation interval; runs are measured at the join's time instead, so
the two differ by where periods begin.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from slackwater.experiments.frame.joins import SECOND, replay_of
from slackwater.experiments.needs import needs_of
from slackwater.quality.recall import NEARLY
from slackwater.time import Duration

if TYPE_CHECKING:
    from slackwater.advice.needed import Needed, Periods
    from slackwater.experiments.frame.description import Cell, Row
    from slackwater.experiments.replay import Replay
    from slackwater.time import Times

_ROUNDING = 1e-9


@dataclass(frozen=True)
class Hindsight:
    """The periods of a join, and the smallest slack with which each of them is nearly kept, in us."""

    periods: Periods
    target: float
    smallest: Times

    @classmethod
    def of(cls, cell: Cell, target: float) -> Hindsight:
        """Look back on the join of a cell."""
        replay = replay_of(cell, "ours")
        query = replay.subject.query
        spans = [Duration.of(each).microseconds for each in (query.period, query.adaptation_interval)]
        periods = _needs(replay).periods(*spans)
        return cls(periods, target, periods.smallest(1 - NEARLY * target))

    def constant(self, share: float) -> int:
        """Return the smallest constant slack that nearly keeps this share of the periods."""
        each = np.sort(self.smallest)
        return int(each[max(math.ceil(share * len(each) - _ROUNDING), 1) - 1]) if len(each) else 0

    @property
    def best_per_interval(self) -> float:
        """The mean of what each period would have needed by itself."""
        return float(self.smallest.mean()) if len(self.smallest) else 0.0

    def figures(self, slack: int) -> Row:
        """Return what a constant slack gives, as runs are shown."""
        found = 1 - self.periods.missed(slack)
        return {
            "phi": float((found >= self.target - _ROUNDING).mean()),
            "phi_nearly": float((found >= NEARLY * self.target - _ROUNDING).mean()),
            "average_slack_s": slack / SECOND,
            "share": 1 - self.periods.needed.missed(slack),
            "mean_recall": float(found.mean()),
            "lowest_recall": float(found.min()),
            "measurements": len(found),
        }


@lru_cache(maxsize=8)
def _needs(replay: Replay) -> Needed:
    return needs_of(replay.subject.plan)
