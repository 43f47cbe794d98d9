"""SUN15 Table 6.3: what deciding costs, on sorted input."""

from __future__ import annotations

import time
from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from slackwater.api import Stream, stream
from slackwater.contracts import Contract, NoSlack, Recall
from slackwater.control import LateDegreeModel
from slackwater.experiments.frame.claims import Claim, Judged
from slackwater.experiments.frame.description import Cell, Column, Experiment, Plot, Row, grid
from slackwater.experiments.frame.joins import replay_of
from slackwater.experiments.frame.rows import Rows
from slackwater.experiments.subject import Subject

_SECOND = "1 second"
_WITH, _WITHOUT = "with the components", "without"
_QUOTED = {_WITH: 1369.130, _WITHOUT: 1369.308}


def run_cell(cell: Cell) -> Iterator[Row]:
    """Run the join of sorted streams with and without the controller, in turn."""
    subject = in_order(replay_of(cell, "sun15").subject)
    model = Recall(0.9, over=_SECOND, adaptation_interval=_SECOND, controller=LateDegreeModel())
    contracts: dict[str, Contract] = {_WITH: model, _WITHOUT: NoSlack(adaptation_interval=_SECOND)}
    took: dict[str, list[float]] = {name: [] for name in contracts}
    for turn in range(cell["runs"] + 1):
        for name, contract in list(contracts.items())[:: 1 if turn % 2 else -1]:
            started = time.perf_counter()
            for _ in subject.run(contract):
                pass
            if turn:  # the first warms caches
                took[name].append(time.perf_counter() - started)
    for name, each in took.items():
        error = float(np.std(each, ddof=1) / np.sqrt(len(each))) if len(each) > 1 else 0.0
        yield {"policy": name, "mean_s": float(np.mean(each)), "standard_error_s": error}


def in_order(subject: Subject) -> Subject:
    """Return the same streams as they would have come without any disorder."""
    times = [each.frame["event_time"].cast(pa.int64()).to_numpy() for each in subject.streams]
    rank = np.argsort(np.argsort(np.concatenate(times), kind="stable"), kind="stable")
    ranks = np.split(rank, np.cumsum([len(each) for each in times])[:-1])
    sorted_streams = tuple(_sorted(each, own) for each, own in zip(subject.streams, ranks, strict=True))
    return Subject(subject.name, subject.description, subject.query, sorted_streams, subject.config)


def _sorted(given: Stream, rank: np.ndarray) -> Stream:
    place = given.frame.column_names.index("arrival")
    table = given.frame.set_column(place, "arrival", pa.array(rank)).sort_by("arrival")
    return stream(table, name=given.node.name, event_time="event_time", arrival="arrival", max_ahead=None)


def _negligible(rows: Rows) -> Judged:
    own, bare = (rows.where(policy=name).mean("mean_s") for name in (_WITH, _WITHOUT))
    return Judged(f"{own / bare - 1:+.1%} ({own:.3g} s against {bare:.3g} s)", own / bare < 1.02)


EXPERIMENT = Experiment(
    document="SUN15",
    section="Sec. 6.3.3, Table 6.3",
    title="Overhead of the disorder handling components",
    about="Sorted soccer-23min, the join with and without late degrees, quality tracker and adaptation; results are "
    "counted. The document lists its results one by one, which takes 23 minutes: as long as the game.",
    grids={
        "smoke": grid(set=["soccer-23min"], duration=["10 seconds"], runs=[1]),
        "small": grid(set=["soccer-23min"], duration=["1 minute"], runs=[2]),
        "paper": grid(set=["soccer-23min"], duration=[None], runs=[5]),
    },
    seeds={"smoke": (1,), "small": (1,), "paper": (1,)},
    run=run_cell,
    claims=(
        Claim(
            f"the overhead is negligible: {_QUOTED[_WITH]} s with the components, {_QUOTED[_WITHOUT]} s without",
            "Table 6.3",
            _negligible,
            why="Our join takes less than a tenth of a second for a minute of the game, as it counts. Against so "
            "little work deciding shows; it is cut at every decision as well, as this controller learns from results.",
        ),
    ),
    table=(Column("mean_s", "mean", "s"), Column("standard_error_s", "standard error", "s")),
    plots=(
        Plot(
            kind="bars",
            heading="Execution time",
            caption="Of the whole join, on this machine.",
            x=Column("policy", "components"),
            y=Column("mean_s", "execution time", "s"),
        ),
    ),
    timed=True,
    in_process_only="it is about the time that our code takes.",
)
