"""SSG17 Fig. 8: what reading costs, from a gate with and without a slack, and from a K-slack with a lock."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator

from slackwater.core.gate_threads import ThreadGate
from slackwater.experiments.frame.claims import NEAR, Claim, Judged
from slackwater.experiments.frame.description import Cell, Column, Experiment, Plot, Row, grid
from slackwater.experiments.frame.rows import Rows, shown
from slackwater.experiments.reading import SLACK, WRITERS, LockedKSlack, Structure, reading_time

_GATE, _SLACK_GATE, _LOCKED = "ScaleGate (no limit)", "SSG (with a limit)", "K-slack with a lock"
_MAKE: dict[str, Callable[[int], Structure]] = {
    _GATE: lambda readers: ThreadGate(writers=WRITERS, readers=readers),
    _SLACK_GATE: lambda readers: ThreadGate(writers=WRITERS, readers=readers, limit=SLACK),
    _LOCKED: LockedKSlack,
}
_READERS = [1, 2, 4, 8]
_TIME = Column("reading_us", "average reading time", "us")
_ONE_LOCK = (
    "Threads of CPython take turns (the document runs Java), so an average holds whose turn it was, and with more "
    "threads than cores mostly that: the two gates are the same code, and still differ."
)


def run_cell(cell: Cell) -> Iterator[Row]:
    """Read with so many threads, from each structure in turn."""
    took: dict[str, list[float]] = {name: [] for name in _MAKE}
    for _ in range(cell["runs"]):
        for name, make in _MAKE.items():
            took[name].append(reading_time(make(cell["readers"]), cell["readers"], cell["events"]))
    for name, each in took.items():
        yield {"policy": name, "reading_us": statistics.median(each)}


def _compared(lower: str, higher: str, margin: float) -> Callable[[Rows], Judged]:
    """Return a check of whether one structure reads faster than another, by a margin, for every number of readers."""

    def check(rows: Rows) -> Judged:
        ratios = []
        for readers in rows.distinct("readers"):
            same = rows.where(readers=readers)
            ratios.append(same.where(policy=lower).mean("reading_us") / same.where(policy=higher).mean("reading_us"))
        return Judged(f"{min(ratios):.2f} to {max(ratios):.2f} of its time", max(ratios) < 1 - margin)

    return check


def _below(rows: Rows) -> Judged:
    took = rows.where(policy=_SLACK_GATE, readers=8).mean("reading_us")
    return Judged(f"{shown(took / 1e3)} ms", took < 2)


EXPERIMENT = Experiment(
    document="SSG17",
    section="Sec. 6, Fig. 8",
    title="What reading costs, by the number of readers",
    about="Two writers of 20,000 events each, and readers that only read, each all events. Our gate for threads has no "
    "slack or one; the K-slack is one lock and a heap for each reader. From a reader's first event to its last, so "
    "it holds waiting for others.",
    grids={
        "smoke": grid(readers=[1, 2], events=[1_000], runs=[1]),
        "small": grid(readers=_READERS, events=[5_000], runs=[3]),
        "paper": grid(readers=_READERS, events=[20_000], runs=[5]),
    },
    seeds={"smoke": (1,), "small": (1,), "paper": (1,)},
    run=run_cell,
    claims=(
        Claim(
            "ScaleGate has lower average reading time than SSG",
            "Sec. 6, Fig. 8",
            _compared(_GATE, _SLACK_GATE, 0.0),
            why="Ours compares with the limit whether there is one or not: it is the same code, so this is chance.",
        ),
        Claim(
            "with 8 threads the average reading time of SSG is less than 0.002 ms",
            "Sec. 6, Fig. 8",
            _below,
            why=_ONE_LOCK,
        ),
        Claim(
            "SSG has significantly lower reading time than K-slack",
            "Sec. 6, Fig. 8",
            _compared(_SLACK_GATE, _LOCKED, NEAR),
            why=_ONE_LOCK,
        ),
    ),
    table=(_TIME,),
    plots=(
        Plot(
            heading="Average reading time",
            caption="Of an event, by the number of threads that read.",
            x=Column("readers", "readers"),
            y=_TIME,
            lines=("policy",),
            x_log=True,
        ),
    ),
    timed=True,
    in_process_only="it is about threads of one process.",
)
