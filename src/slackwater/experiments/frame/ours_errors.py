"""Relative errors: windows over a stream under each of their controllers, beside hindsight."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import pyarrow as pa

from slackwater.contracts import Contract, DropRatio, MaxSlack, NoSlack, RelativeError
from slackwater.control import AlphaPD
from slackwater.experiments.errors import ErrorRun, kept_by
from slackwater.experiments.frame.description import Cell, Column
from slackwater.experiments.frame.joins import SECOND
from slackwater.experiments.frame.ours import DEFAULT, TABLE, Tracked, compared
from slackwater.experiments.window_stream import WindowStream, windows_of_dataset
from slackwater.models.relative_error import is_within
from slackwater.time import Duration

ERRORS = (DEFAULT, "AlphaPD", "DropRatio of the bound", "MaxSlack", "NoSlack")
ERRORS_TABLE = (
    Column("fulfilled", "results within the bound", "%"),
    Column("error_p95", "error, 95th percentile", "%"),
    *TABLE,
)
_PERIOD = 20  # windows over which the share of those within the bound is followed: 19 of them are 95 %


def windows_of(cell: Cell) -> WindowStream:
    """Return the windows of a cell's data set."""
    return _windows(cell["set"], cell.config.get("duration"), cell.seed)


@lru_cache(maxsize=4)
def _windows(name: str, duration: str | None, seed: int) -> WindowStream:
    return windows_of_dataset(name, seed=seed, duration=duration)


def run_errors(cell: Cell, contract: Contract | None = None) -> Tracked:
    """Run the windows under the policy of the cell, or another contract."""
    windows = windows_of(cell)
    goal = RelativeError(cell["target"], adaptation_interval=windows.every)
    contract = _contract(cell, goal) if contract is None else contract
    run = ErrorRun(cell["policy"], "contract", goal, windows, windows.run(contract))
    found, series = run.figures(), run.series()
    slack = found["average_slack_us"] / SECOND
    hindsight = windows.hindsight(goal, found["within"] or 1e-9) / SECOND
    best = float(windows.best_per_window(goal).mean()) / SECOND
    row = {
        "contract": "RelativeError",
        "fulfilled": found["within"],
        "error_p95": found["p95"],
        "average_slack_s": slack,
        "latency_s": found["latency_us"] / SECOND,
        "cost_us": run.emitted.took / windows.rows * 1e6,
        "results": found["results"],
        **compared(slack, hindsight, best),
    }
    at = series["at"].cast(pa.int64()).to_numpy()
    within = np.cumsum(np.append(0, is_within(series["error"].to_numpy(), goal.bound)))
    kept = within[_PERIOD:] - within[:-_PERIOD] >= goal.confidence * _PERIOD
    return Tracked(row, run.emitted.at, run.emitted.slack, at[_PERIOD - 1 :], kept)


def _contract(cell: Cell, goal: RelativeError) -> Contract:
    interval = goal.interval
    match cell["policy"]:
        case "AlphaPD":
            return kept_by(goal, AlphaPD())
        case "DropRatio of the bound":
            period = Duration(max(60_000_000, 10 * interval.microseconds))
            return DropRatio(goal.bound, over=period, adaptation_interval=interval)
        case "MaxSlack":
            return MaxSlack(adaptation_interval=interval)
        case "NoSlack":
            return NoSlack(adaptation_interval=interval)
        case _:
            return goal
