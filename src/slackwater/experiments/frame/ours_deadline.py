"""Deadlines: streams merged at a gate under each of their controllers, beside hindsight.

Of a deadline more slack is better, until it is missed: what is bought with it is that events leave in their order for
good. Hindsight is the smallest constant slack with which as many of them do.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from slackwater.contracts import ControllerConfig
from slackwater.control import DeadlineSlack, Fixed, MaxTimestamp, SLTuner, StaticHigh, StaticLow, Tcp
from slackwater.control.operator_model import TunedOperator
from slackwater.deadline import Deadline
from slackwater.experiments.deadline import policy_for
from slackwater.experiments.frame.description import Cell, Column
from slackwater.experiments.frame.joins import SECOND
from slackwater.experiments.frame.ours import DEFAULT, TABLE, Tracked, compared
from slackwater.experiments.gate_run import OPERATOR, SETTINGS, Gated, GateRun
from slackwater.sources.catalog import load
from slackwater.sources.dataset import Dataset
from slackwater.time import Duration

DEADLINES = (DEFAULT, "SLTuner", "SLTuner, eq. 6", "StaticLow", "StaticHigh", "MaxTimestamp", "Tcp")
DEADLINE_TABLE = (
    Column("fulfilled", "intervals within the deadline", "%"),
    Column("ready", "events that were ready", "%"),
    *TABLE,
)
_GRID = 16  # constants up to the limit; and as many above it


def run_deadline(cell: Cell) -> Tracked:
    """Merge the streams of the cell under its policy."""
    setting = SETTINGS[cell["set"]]
    contract = setting.contract()
    ran = _gated(cell["set"], cell.config.get("duration"), cell.seed, _controller(cell["policy"], contract))
    limit, slack = contract.limit.microseconds, float(ran.slack.mean()) / SECOND
    kept = ran.latency <= limit
    best = float(np.minimum(ran.spread, contract.left.microseconds).mean()) / SECOND
    row = {
        "contract": "Deadline",
        "limit": setting.limit,
        "fulfilled": float(kept.mean()),
        "ready": ran.share_ready,
        "average_slack_s": slack,
        "latency_s": ran.mean_latency / SECOND,
        "worst_s": float(ran.latency.max()) / SECOND,
        "cost_us": ran.took / max(int(ran.left.sum()), 1) * 1e6,
        **compared(slack, _hindsight(cell, contract, ran.share_ready) / SECOND, best),
    }
    return Tracked(row, ran.at, ran.slack, ran.at, kept)


def _hindsight(cell: Cell, contract: Deadline, ready: float) -> float:
    """Return the smallest constant of a grid with which as many events are ready: more slack, more of them are."""
    unit = contract.limit.microseconds / _GRID
    low, high = 0, 2 * _GRID
    while low < high:
        middle = (low + high) // 2
        constant = Fixed(Duration(round(middle * unit)))
        if _gated(cell["set"], cell.config.get("duration"), cell.seed, constant).share_ready >= ready:
            high = middle
        else:
            low = middle + 1
    return low * unit


def _controller(policy: str, contract: Deadline) -> Any:
    """Return who decides; the two that never change wait a sixth of the limit, and twice as long as it."""
    limit = contract.limit.microseconds
    controllers: dict[str, ControllerConfig] = {
        DEFAULT: DeadlineSlack(),
        "SLTuner": SLTuner(step=Duration(limit // 64)),
        "SLTuner, eq. 6": SLTuner(step=Duration(limit // 64), with_spread=False, guard=False),
        "StaticLow": StaticLow(Duration(limit // 6)),
        "StaticHigh": StaticHigh(Duration(2 * limit)),
        "MaxTimestamp": MaxTimestamp(),
        "Tcp": Tcp(step=Duration(limit // 12)),
    }
    return controllers[policy]


@lru_cache(maxsize=4)
def _dataset(name: str, duration: str | None, seed: int) -> Dataset:
    return load(name, seed=seed, duration=duration)


@lru_cache(maxsize=256)
def _gated(name: str, duration: str | None, seed: int, controller: Any) -> Gated:
    setting = SETTINGS[name]
    contract = setting.contract()
    policy = policy_for((TunedOperator(OPERATOR),), controller, contract)
    return GateRun(_dataset(name, duration, seed), setting, contract, policy).run()
