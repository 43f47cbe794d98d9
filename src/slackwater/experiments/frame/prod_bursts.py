"""PROD Sec. 4.3.2 and 6.2a: a maximum over wireless records with bursts, on a machine that they overwhelm."""

from __future__ import annotations

import numpy as np

from slackwater.experiments.bursts import BurstCase, Written, run_burst
from slackwater.experiments.frame.description import Cell, Column, Row
from slackwater.sideline import Sideline

ACCURACY = Column("accuracy", "average accuracy", "%")
GAIN = Column("gain_s", "average latency gain", "s")
EARLY = Column("early", "early results", "windows")
ABOUT = (
    "Our model of the recorded wireless network, and of a machine that takes in 300 rows a second: what the document's "
    "Expensive operator does. The maximum of 5 s every second, prodded every second."
)


def run_bursts(cell: Cell, sideline: Sideline | None = None) -> Written:
    """Run the records through the machine; where rows are set aside, windows that wait are shown without prods."""
    case = BurstCase(sideline=sideline, prods=sideline is None, seed=cell.seed, duration=cell["duration"])
    return run_burst(case)


def figures(run: Written) -> Row:
    """Return a run in numbers; gain and accuracy are those of windows that were shown early, if there were any."""
    early, shown = run.was_early, {}
    if early.any():
        shown = {
            "accuracy": float(np.nanmean(run.accuracy[early])),
            "gain_s": float((run.latency - run.first)[early].mean()),
        }
    return {
        **shown,
        "early": int(early.sum()),
        "latency_s": float(run.latency.mean()),
        "others_s": float(run.latency[~run.bursty].mean()),
        "others_worst_s": float(run.latency[~run.bursty].max()),
    }


def series(run: Written) -> Row:
    """Return the latency of each window."""
    return {"windows": run.end.tolist(), "latencies": run.latency.round(3).tolist()}
