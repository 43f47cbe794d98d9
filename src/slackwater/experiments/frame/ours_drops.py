"""Drop ratios: a stream put in order under each of their controllers, beside hindsight."""

from __future__ import annotations

from slackwater.contracts import ControllerConfig
from slackwater.control import AdaptiveMax, Fixed, MaxDelay, NeededSlack, NormalDelay
from slackwater.experiments.frame.description import Cell, Column
from slackwater.experiments.frame.ours import DEFAULT, TABLE, Tracked, compared
from slackwater.experiments.frame.streams import (
    best_per_interval,
    figures,
    hindsight,
    promise,
    reorder,
    spans_of,
    stream_of,
)
from slackwater.quality.drop_ratio import dropped_by_period, measured_at

DROPS_TABLE = (Column("kept", "periods kept", "%"), Column("dropped", "dropped", "%"), *TABLE)
DROPS = (DEFAULT, "default without its guard", "NormalDelay", "AdaptiveMax", "MaxSlack", "NoSlack")
_ROUNDING = 1e-9


def run_drops(cell: Cell, controller: ControllerConfig | None = None) -> Tracked:
    """Put a stream in order under the policy of the cell, or another controller."""
    ran = reorder(cell, promise(cell, controller or _controller(cell)))
    found = figures(cell, ran)
    back = compared(found["average_slack_s"], hindsight(cell, found["kept"]), best_per_interval(cell))
    stream = stream_of(cell)
    spans = spans_of(stream)
    at = measured_at(stream.clock, **spans)
    kept = dropped_by_period(at, stream.clock, ran.late, spans["period"]) <= cell["target"] + _ROUNDING
    row = {"contract": "DropRatio", "fulfilled": found["kept"], **found, **back}
    return Tracked(row, ran.at, ran.slack, at, kept)


def _controller(cell: Cell) -> ControllerConfig | None:
    match cell["policy"]:
        case "default without its guard":
            return NeededSlack(tolerance=0, memory=2.0)
        case "NormalDelay":
            return NormalDelay(samples=stream_of(cell).setting.samples)
        case "AdaptiveMax":
            return AdaptiveMax()
        case "MaxSlack":
            return MaxDelay()
        case "NoSlack":
            return Fixed("0 seconds")
        case _:
            return None
