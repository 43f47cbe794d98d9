"""PROD Fig. 4.4 and 4.5: bursts of a wireless network, and what they do to early and final results."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from slackwater.experiments.frame.claims import Claim, Judged, number
from slackwater.experiments.frame.description import Cell, Column, Experiment, Plot, Row, grid
from slackwater.experiments.frame.prod_bursts import ABOUT, ACCURACY, EARLY, GAIN, figures, run_bursts, series
from slackwater.experiments.frame.rows import MissingRowsError, Rows

_BURST = (62, 75)  # windows between which the document's sustained bursts are
_RECEDED = 80


def run_cell(cell: Cell) -> Iterator[Row]:
    """Prod every second."""
    run = run_bursts(cell)
    inside = (run.end >= _BURST[0]) & (run.end <= _BURST[1])
    early = run.end[run.was_early]
    if inside.any():
        yield {
            "policy": "final",
            **figures(run),
            **series(run),
            "burst_s": float(run.latency[inside].mean()),
            "calm_s": float(run.latency[~inside & ~run.was_early].mean()),
            "last_early": float(early.max(initial=0)),
        }
    else:
        yield {"policy": "final", **figures(run), **series(run)}
    shown = np.flatnonzero(run.was_early)
    yield {"policy": "early", "windows": run.end[shown].tolist(), "latencies": run.first[shown].round(3).tolist()}


def _high(rows: Rows) -> Judged:
    burst, calm = (rows.where(policy="final").mean(name) for name in ("burst_s", "calm_s"))
    return Judged(f"{burst:.3g} s against {calm:.3g} s without early results", burst >= 2 * calm)


def _until(rows: Rows) -> Judged:
    ends = [row["last_early"] for row in rows.where(policy="final") if "last_early" in row]
    if not ends:
        raise MissingRowsError
    return Judged(f"last at window {max(ends):.0f}", max(ends) >= _RECEDED)


EXPERIMENT = Experiment(
    document="PROD",
    section="Sec. 4.3.2, Fig. 4.4 and 4.5",
    title="Bursts: latency of early and final results",
    about=ABOUT,
    grids={
        "smoke": grid(set=["wireless"], duration=["60 seconds"]),
        "small": grid(set=["wireless"], duration=["90 seconds"]),
        "paper": grid(set=["wireless"], duration=["90 seconds"]),
    },
    run=run_cell,
    claims=(
        Claim("between windows 62 and 75 final results have a high latency (here: twice)", "Sec. 4.3.2", _high),
        Claim("early results are seen until the bursts recede, past window 80", "Sec. 4.3.2", _until),
        Claim(
            "the average accuracy of the early results is 91.37%",
            "Sec. 4.3.2",
            number(0.9137, "accuracy", "%", policy="final"),
            why="The counters of our records are a model's, and early maxima of them nearer to the final ones; the "
            "document counts in the short windows at both ends.",
        ),
    ),
    table=(EARLY, GAIN, ACCURACY, Column("latency_s", "average latency", "s")),
    plots=(
        Plot(
            kind="over_time",
            heading="Latency of results",
            caption="From the end of each window; early where it was prodded before it was final.",
            x=Column("windows", "window"),
            y=Column("latencies", "latency", "s"),
            lines=("policy",),
        ),
    ),
    in_process_only="the machine that is too slow is a model.",
)
