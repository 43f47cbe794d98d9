"""SUN15 Fig. 6.9: the quality over time, with both targets."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from slackwater.experiments.frame.claims import Claim, Judged
from slackwater.experiments.frame.description import Cell, Column, Experiment, Plot, Row, grid
from slackwater.experiments.frame.joins import thinned
from slackwater.experiments.frame.rows import Rows
from slackwater.experiments.frame.sun15 import OURS, PD_NAME, SHORT, SMOKE, contract_of, tracked

_TARGET = 0.98


def run_cell(cell: Cell) -> Iterator[Row]:
    """Run one policy with one target, and keep the quality over time."""
    overall = cell["optimizing"] == "overall quality"
    found = tracked(cell, contract_of(cell, overall=overall))
    quality = found.overall if overall else found.each
    yield {
        **found.figures(_TARGET, overall=overall),
        "seconds": thinned(found.seconds),
        "quality": thinned(quality),
        "longest_below_s": _longest_below(quality),
    }


def _longest_below(quality: np.ndarray) -> int:
    """Return how many durations in a row were below the target at most.

    >>> _longest_below(np.array([0.9, 0.99, 0.9, 0.9]))
    2
    """
    edges = np.flatnonzero(np.concatenate(([True], quality >= _TARGET, [True])))
    return int(np.diff(edges).max() - 1)


def _keeps_falling(rows: Rows) -> Judged:
    """Whether it ends below the expectation: then it has not come back."""
    own = rows.where(policy=PD_NAME, optimizing="overall quality")
    final, below = own.spread("final_quality"), own.spread("longest_below_s")
    return Judged(f"below for {below.text()} durations in a row, ends at {final.text('%')}", final.mean < _TARGET)


EXPERIMENT = Experiment(
    document="SUN15",
    section="Sec. 6.3.1.3, Fig. 6.9",
    title="Quality over time, expectation 98 %",
    about="Soccer-23min; the lowest quality of neighboring durations is drawn.",
    grids={
        "smoke": grid(
            set=["soccer-23min"], duration=[SMOKE], target=[_TARGET], optimizing=["each duration"], policy=[OURS]
        ),
        "small": grid(
            set=["soccer-23min"],
            duration=[SHORT],
            target=[_TARGET],
            optimizing=["each duration", "overall quality"],
            policy=[OURS, PD_NAME],
        ),
        "paper": grid(
            set=["soccer-23min"],
            duration=[None],
            target=[_TARGET],
            optimizing=["each duration", "overall quality"],
            policy=[OURS, PD_NAME],
        ),
    },
    run=run_cell,
    claims=(
        Claim(
            "the overall quality of the PD controller continues to decrease after it gets smaller than the expectation",
            "Sec. 6.3.1.3",
            _keeps_falling,
            why="With our gains it falls below, and recovers; the document's are not printed.",
        ),
    ),
    table=(
        Column("qcr", "QCR", "%"),
        Column("final_quality", "final quality", "%"),
        Column("longest_below_s", "longest"),
    ),
    plots=(
        Plot(
            kind="over_time",
            heading="Quality",
            caption="Left of each duration, right from the start on.",
            x=Column("seconds", "event time", "s"),
            y=Column("quality", "quality", "%"),
            lines=("policy",),
            panels=("optimizing",),
        ),
    ),
)
