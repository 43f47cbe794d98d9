"""Joins for experiments: data sets are loaded once and shared, runs under the same contract too."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from slackwater.experiments.on_spark import count_on_spark
from slackwater.experiments.queries import JoinQuery, query_for
from slackwater.experiments.replay import Replay
from slackwater.experiments.subject import subject_of_dataset
from slackwater.time import Duration

if TYPE_CHECKING:
    from slackwater.contracts import Contract
    from slackwater.experiments.frame.description import Cell, Row
    from slackwater.experiments.replay import Measured

Way: TypeAlias = Literal["ours", "ji16", "sun15", "sun15-unsynchronized"]

MOST_POINTS = 240  # of a series: enough for a figure
SECOND = 1_000_000
_SHARED = 8  # data sets in memory

# SUN15 Sec. 6.3.1: no condition, windows of 2 and 3 s; a late event still joins partners at the windows' end.
_SUN15 = JoinQuery(
    streams=("team_a", "team_b"),
    within={"team_a": "2 seconds", "team_b": "3 seconds"},
    period="1 second",
    granularity="1 ms",
    options={"closed": "right", "situation2": True},
)


def query_of(name: str, way: Way) -> JoinQuery:
    """Return the join of a data set, joined as a document joins."""
    match way:
        case "ours":
            return query_for(name)
        case "ji16":
            return replace(query_for(name), options={"release": "clock"})
        case "sun15":
            return _SUN15
        case _:
            return replace(_SUN15, options={**_SUN15.options, "synchronize": False})


def replay_of(cell: Cell, way: Way = "ours") -> Replay:
    """Return the join of a cell's data set; whoever asks again gets the same, with what it has run already."""
    return _replay(cell["set"], cell.config.get("duration"), cell.seed, way, cell.engine)


@lru_cache(maxsize=_SHARED)
def _replay(name: str, duration: str | None, seed: int, way: Way, engine: str) -> Replay:
    subject = subject_of_dataset(name, seed=seed, duration=duration, query=query_of(name, way))
    return Replay(subject, run=count_on_spark if engine == "spark" else None)


def figures(measured: Measured, target: float | None) -> Row:
    """Return a run in numbers; the slack in s."""
    recall = measured.recall[measured.counts]
    phi = None if target is None else measured.phi(target)
    return {
        "phi": None if phi is None else phi.target,
        "phi_nearly": None if phi is None else phi.nearly,
        "average_slack_s": measured.average_slack / SECOND,
        "share": measured.share,
        "mean_recall": float(recall.mean()),
        "lowest_recall": float(recall.min()),
        "measurements": len(recall),
    }


def run(cell: Cell, contract: Contract, *, way: Way = "ours", period: str | None = None) -> Measured:
    """Run a cell's join under a contract, and measure its recall over a period: the contract's, or the query's."""
    replay = replay_of(cell, way)
    over = Duration.of(period or replay.subject.query.period).microseconds
    return replay.measure(contract, contract.period.microseconds or over)


def thinned(values: Any, reduce: Any = np.minimum) -> list[float]:
    """Return at most `MOST_POINTS` of a series; neighbors are joined by `reduce`, so that extremes stay.

    >>> len(thinned(np.ones(1_000)))
    200
    """
    group = max(1, -(-len(values) // MOST_POINTS))
    joined = reduce.reduceat(values, np.arange(0, len(values), group)) if len(values) else values
    return [round(float(value), 6) for value in joined]
