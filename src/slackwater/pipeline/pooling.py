"""One controller for all buckets of a join: it sees the sum of what they report, and decides one slack."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from slackwater.control.choose import controller_for, controller_state
from slackwater.control.controller import estimated_by
from slackwater.decisions import decisions_table
from slackwater.estimate.pool import Pool, Statistics
from slackwater.estimate.recent_recall import RecentRecall
from slackwater.measurement import Counts, Measurement, NeededSlacks

if TYPE_CHECKING:
    from slackwater.plan.nodes import JoinNode

_NO_TIMES = np.empty(0, np.int64)


@dataclass(frozen=True, slots=True)
class PooledDecision:
    """What was decided at a boundary, for all buckets."""

    at: int  # the boundary, in event time
    slack: int
    estimated: float | None  # of that slack
    measured: float | None  # over the period before, in all buckets together


class PooledSlack:
    """Decides from reports. Its snapshot is all that there is to save."""

    def __init__(self, node: JoinNode, state: dict[str, Any] | None = None) -> None:
        state = state or {}
        windows = tuple(window.microseconds for window in node.windows)
        self._node = node
        self._controller = controller_for(node.contract, state.get("controller"), windows=windows)
        self._pool = Pool(node.contract.interval.microseconds, len(windows), state.get("pool"))
        self._recent = RecentRecall(node.contract.period.microseconds, state.get("recent"))
        self._at: int | None = state.get("at")  # of the last decision

    def on_batch(self, reports: Sequence[tuple[Statistics, int]]) -> list[PooledDecision]:
        """Add up what buckets report, each with its clock; decide once for every interval that ends with it."""
        if not reports:
            return []
        self._pool.update([statistics for statistics, _ in reports])
        closed = self._pool.close(max(clock for _, clock in reports))
        return [self._decide(at, needs) for at, needs in closed]

    def snapshot(self) -> dict[str, Any]:
        """Return all that is needed to go on, as values that JSON can hold."""
        return {
            "controller": controller_state(self._node.contract, self._controller),
            "pool": self._pool.snapshot(),
            "recent": self._recent.snapshot(),
            "at": self._at,
        }

    def _decide(self, at: int, needs: NeededSlacks) -> PooledDecision:
        self._recent.update(float(needs.weight.sum()), needs.made)
        self._recent.close(at)
        recall = self._recent.get()
        intervals = 1 if self._at is None else (at - self._at) // self._node.contract.interval.microseconds
        self._at = at
        self._controller.observe(
            Measurement(
                at=at,
                intervals=max(intervals, 1),  # at least the one that ended, also where a contract changed its length
                slack=0,
                max_delay=0,
                delays=_NO_TIMES,
                counts=Counts(),
                needs=replace(needs, recall=recall),
            )
        )
        slack = self._controller.next_slack().microseconds
        return PooledDecision(at, slack, estimated_by(self._controller), recall)


def pooled_table(node: JoinNode, decided: Sequence[PooledDecision]) -> pa.Table:
    """Return the decisions for all buckets as a table: they have no bucket, and the counts are in those that have."""
    known = {"operator": node.operator, "stream": "all", "target": node.contract.stated}
    columns = {
        "at": np.array([each.at for each in decided], np.int64),
        "slack": np.array([each.slack for each in decided], np.int64),
        "estimated": pa.array([each.estimated for each in decided], pa.float64()),
        "measured": pa.array([each.measured for each in decided], pa.float64()),
    }
    return decisions_table({**known, **columns}, len(decided))
