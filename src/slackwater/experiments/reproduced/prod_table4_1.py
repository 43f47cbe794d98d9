"""PROD Table 4.1: the latency of final results with and without prods."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa

from slackwater.api import stream
from slackwater.api_aggregate import aggregate
from slackwater.contracts import NoSlack
from slackwater.core.panes import Panes
from slackwater.early import Early
from slackwater.estimate.arrays import Floats
from slackwater.experiments.frame.claims import Claim, Judged, number
from slackwater.experiments.frame.description import Cell, Column, Experiment, Plot, Row, grid
from slackwater.experiments.frame.prod import latencies
from slackwater.experiments.frame.prod_delayed import PRODDED, WINDOWS, Delayed, uniform
from slackwater.experiments.frame.rows import Rows
from slackwater.plan import values

_WITH, _WITHOUT = "with prods", "without"
_EARLY = {_WITH: Early(aggressiveness=PRODDED), _WITHOUT: None}
_CLOSE = 0.02
_LATENCY = Column("latency_s", "latency of final results", "s")
_WORK = Column("work_ms", "work for a window", "ms")


def run_cell(cell: Cell) -> Iterator[Row]:
    """Aggregate the same stream with and without early results, in turn."""
    made = Delayed.of(uniform(cell["duration"], cell.seed), "value")
    waited = _waited(made)
    took: dict[str, list[float]] = {name: [] for name in _EARLY}
    for turn in range(cell["runs"] + 1):
        for name in list(_EARLY)[:: 1 if turn % 2 else -1]:
            started = time.perf_counter()
            _aggregate(made, _EARLY[name])
            if turn:  # the first warms caches
                took[name].append(time.perf_counter() - started)
    for name, each in took.items():
        work = float(np.median(each)) / len(waited)
        yield {"policy": name, "latency_s": float(waited.mean()) + work, "work_ms": 1e3 * work}


def _waited(made: Delayed) -> Floats:
    """Return how long it takes from the first event of a slide until one ends it."""
    slides = Panes(WINDOWS.slide, WINDOWS.slide)
    complete = np.arange(1, int(made.times[-1]) // slides.slide)
    return latencies(complete, made.times, made.arrived, slides, lambda ends: ends).final


def _aggregate(made: Delayed, early: Early | None) -> int:
    times: pa.Array[Any] = pa.array(made.times, pa.timestamp("us", tz="UTC"))
    table = pa.table({"event_time": times, "value": pa.array(made.values)})
    given = stream(table, name="s", event_time="event_time")
    results = aggregate(
        given,
        size="30 seconds",
        slide="10 seconds",
        values={"most": values.max("value")},
        contract=NoSlack(),
        early=early,
    ).results
    return int(results.num_rows)


def _very_close(rows: Rows) -> Judged:
    own, bare = (rows.where(policy=name) for name in _EARLY)
    more = own.mean("latency_s") / bare.mean("latency_s") - 1
    work = own.mean("work_ms") - bare.mean("work_ms")
    return Judged(f"{more:+.2%}; {work:+.2g} ms of work for a window", abs(more) <= _CLOSE)


EXPERIMENT = Experiment(
    document="PROD",
    section="Sec. 4.2, Table 4.1",
    title="Overhead of prods",
    about="Uniform 1500 of Table 4.2: from the first event of the last slide of a window until the window is closed, "
    "and the work for it. (From the first event of the window, as Sec. 4.1 defines it, no latency of a window of 30 s "
    "could be 11 s.) We run the whole stream at once, and divide. The two bursty streams are not there yet. In process "
    "only: Spark's own time would hide the difference.",
    grids={
        "smoke": grid(set=["Uniform 1500"], duration=["100 seconds"], runs=[1]),
        "small": grid(set=["Uniform 1500"], duration=["1500 seconds"], runs=[5]),
        "paper": grid(set=["Uniform 1500"], duration=["1500 seconds"], runs=[25]),
    },
    run=run_cell,
    claims=(
        Claim("with prodding: 11 s", "Table 4.1", number(11, "latency_s", "s", policy=_WITH)),
        Claim("without prodding: 11 s", "Table 4.1", number(11, "latency_s", "s", policy=_WITHOUT)),
        Claim("the latencies with and without prodding are very close", "Sec. 4.2", _very_close),
    ),
    table=(_LATENCY, _WORK),
    plots=(
        Plot(
            kind="bars",
            heading="Work for a window",
            caption="On this machine; the rest of the latency is the stream's.",
            x=Column("policy", "prods"),
            y=_WORK,
        ),
    ),
    timed=True,
    spark=False,
)
