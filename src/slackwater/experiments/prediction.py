"""How well latency and slack-ready events of the traffic join are predicted: SSG17 Table 1.

The application runs with constant slacks, and one half of the intervals predicts the other. Halves at random, as in
the document, only ask to fill gaps: the neighbors of each interval are known. To predict the later half from the
earlier one is what a tuner needs, and harder.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from slackwater.control.fixed import Fixed
from slackwater.control.history import history_rows
from slackwater.experiments.replay import Notice, nobody
from slackwater.experiments.traffic_graph import WINDOW
from slackwater.experiments.traffic_run import Controlled, Ran, TrafficRun
from slackwater.models.latency import FEATURES, WITH_SPREAD, normalized_error
from slackwater.models.regression import METHODS, predictor
from slackwater.sources.dataset import Dataset
from slackwater.time import Duration, Mask

SLACKS = ("500 ms", "1 second", "2 seconds", "4 seconds", "6 seconds", "8 seconds")


def logged_runs(dataset: Dataset, slacks: Sequence[str] = SLACKS, *, notice: Notice = nobody) -> pa.Table:
    """Run the traffic join once with each slack; return a history, a row for each interval of each run."""
    tables = []
    for number, slack in enumerate(slacks):
        notice(f"slack {Duration.of(slack)}", number, len(slacks))
        tables.append(history_of(TrafficRun(dataset, Controlled({"jams": Fixed(slack).build()})).run()))
    return pa.concat_tables(tables)


def history_of(ran: Ran, operator: str = "jams") -> pa.Table:
    """Return what a run measured of an operator, as a tuner's history."""
    same = np.ones(len(ran.at), np.int64)
    measured = {name: ran.column(operator, name) for name in ("spread", "latency", "slack_ready")}
    known = {"at": ran.at, "slack": ran.slack[operator], "parallelism": same, "window": same * WINDOW}
    return pa.table({name: pa.array(column) for name, column in {**known, **measured}.items()})


def compare_predictors(history: pa.Table, *, seed: int = 1) -> list[dict[str, Any]]:
    """Return for each predictor, set of features and way to halve the error of both predictions, and the seconds."""
    at = history["at"].to_numpy()
    halves = {
        "random": np.random.default_rng(seed).permutation(len(at)) < len(at) // 2,
        "earlier": at < np.median(at),
    }
    return [
        {"method": method, "features": name, "trained_on": half, **_errors(rows, method, first, beyond=beyond)}
        for half, first in halves.items()
        for name, rows, beyond in (
            ("SSG17 eq. 6", history_rows(history, FEATURES), False),
            ("with spread", history_rows(history, WITH_SPREAD), False),
            ("beyond the wait", history_rows(history, WITH_SPREAD), True),
        )
        for method in METHODS
    ]


def _errors(rows: Any, method: str, half: Mask, *, beyond: bool) -> dict[str, Any]:
    """Train and predict; `beyond` takes out of the latency how long events had to wait, which a tuner knows."""
    train, test = rows[half], rows[~half]
    found: dict[str, Any] = {"intervals": len(train), "seconds": 0.0}
    for name, column in (("latency", -2), ("slack_ready", -1)):
        began = time.perf_counter()
        learned = predictor(method)
        known = _waited if beyond and name == "latency" else _nothing
        learned.fit(train[:, :-2], train[:, column] - known(train))
        found["seconds"] += time.perf_counter() - began
        found[name] = normalized_error(learned.predict(test[:, :-2]) + known(test), test[:, column])
    return found


def _waited(rows: Any) -> Any:
    """Return the smaller of slack and spread, which are in seconds, in us."""
    return 1e6 * np.minimum(rows[:, 0], rows[:, -3])


def _nothing(rows: Any) -> Any:
    return np.zeros(len(rows))
