"""SUN15 Fig. 6.1: how late the events of each stream are."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from slackwater.experiments.frame.claims import Claim, Judged, at_least, number
from slackwater.experiments.frame.description import Cell, Column, Plot, Row
from slackwater.experiments.frame.joins import replay_of
from slackwater.experiments.frame.rows import Rows
from slackwater.experiments.frame.sun15 import about_the_data
from slackwater.sources.dataset import delays_of

_BIN, _BINS = 10_000, 10  # us
_EVENTS = {
    ("soccer-16min", "team_a"): 328_597,
    ("soccer-16min", "team_b"): 324_006,
    ("soccer-23min", "team_a"): 342_690,
    ("soccer-23min", "team_b"): 429_100,
}


def run_cell(cell: Cell) -> Iterator[Row]:
    """Count the delays of each stream."""
    for stream in replay_of(cell, "sun15").subject.streams:
        delays = delays_of(stream.frame)
        counts = np.bincount(np.minimum(-(-delays // _BIN), _BINS), minlength=_BINS + 1) / len(delays)
        yield {
            "stream": stream.node.name,
            "game": f"{cell['set']}, {stream.node.name}",
            "events": len(delays),
            "in_order": float((delays == 0).mean()),
            "within_40ms": float((delays[delays > 0] <= 40_000).mean()),
            "delay_ms": [float(10 * number) for number in range(_BINS + 1)],
            "share": [round(float(each), 6) for each in counts],
        }


def _counts(rows: Rows) -> Judged:
    found = {(row["set"], row["stream"]): row["events"] for row in rows}
    return Judged(", ".join(f"{count:,}" for count in found.values()), found == _EVENTS)


EXPERIMENT = about_the_data(
    "Sec. 6.2.2, Table 6.1 and Fig. 6.1",
    "Late degrees of the four soccer streams",
    "Our model of the two recordings is made after these figures, so this checks the model, not the approach. "
    "A late degree is how far the stream's own clock is past an event when it comes.",
    run=run_cell,
    claims=(
        Claim("328597 and 324006, 342690 and 429100 tuples", "Table 6.1", _counts, at_paper_scale=True),
        Claim("around 70 % of the tuples are in order", "Sec. 6.2.2", number(0.7, "in_order", "%")),
        Claim(
            "most of the out-of-order tuples have a late degree in (0 ms, 40 ms]",
            "Sec. 6.2.2",
            at_least(0.5, "within_40ms", "%"),
        ),
    ),
    table=(Column("in_order", "in order", "%"), Column("within_40ms", "of the others, within 40 ms", "%")),
    plots=(
        Plot(
            kind="over_time",
            heading="Late degrees",
            caption="Share of the events by late degree, in bins of 10 ms: 0 is in order, the last has all above.",
            x=Column("delay_ms", "late degree up to", "ms"),
            y=Column("share", "share of events", "%"),
            lines=("game",),
            y_log=True,
        ),
    ),
)
