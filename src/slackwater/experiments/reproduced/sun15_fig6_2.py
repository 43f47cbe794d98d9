"""SUN15 Fig. 6.2: how far the two streams are out of sync."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from slackwater.experiments.frame.claims import Claim, Judged, at_least
from slackwater.experiments.frame.description import Cell, Column, Plot, Row
from slackwater.experiments.frame.joins import MOST_POINTS, replay_of
from slackwater.experiments.frame.rows import Rows
from slackwater.experiments.frame.sun15 import about_the_data, running_clocks


def run_cell(cell: Cell) -> Iterator[Row]:
    """Compare the clocks at every arrival."""
    clocks = running_clocks(replay_of(cell, "sun15").subject)
    apart = (clocks[:, 0] - clocks[:, 1]) / 1e3
    shown = np.linspace(0, len(apart) - 1, min(MOST_POINTS, len(apart))).astype(np.int64)
    yield {
        "within_50ms": float((np.abs(apart) <= 50).mean()),
        "a_ahead": float((apart > 0).mean()),
        "arrival": shown.tolist(),
        "apart_ms": [round(float(each), 3) for each in apart[shown]],
    }


def _nobody_leads(rows: Rows) -> Judged:
    shares = [rows.where(set=name).spread("a_ahead") for name in rows.distinct("set")]
    text = ", ".join(each.text("%") for each in shares)
    return Judged(f"A ahead: {text}", all(0.05 < each.mean < 0.95 for each in shares))


EXPERIMENT = about_the_data(
    "Sec. 6.2.2, Fig. 6.2",
    "Out-of-sync spectrum of both games",
    "The difference between the clocks of the two streams at every arrival, in our model of the recordings, "
    "which is made after this figure.",
    run=run_cell,
    claims=(
        Claim("neither of the two streams is always leading or lagging", "Sec. 6.2.2", _nobody_leads),
        Claim(
            "the out-of-order degree vibrates within 50 ms at most of the time",
            "Sec. 6.2.2",
            at_least(0.5, "within_50ms", "%"),
        ),
    ),
    table=(Column("within_50ms", "within 50 ms", "%"), Column("a_ahead", "stream A ahead", "%")),
    plots=(
        Plot(
            kind="over_time",
            heading="Difference between the clocks",
            caption="Above 0, stream A is ahead; some arrivals of all.",
            x=Column("arrival", "arrivals of both streams"),
            y=Column("apart_ms", "clock A - clock B", "ms"),
            panels=("set",),
        ),
    ),
)
