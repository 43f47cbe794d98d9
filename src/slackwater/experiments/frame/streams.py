"""Single streams for experiments about drop ratios: loaded once and shared."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from slackwater.advice.needed import Needed
from slackwater.contracts import ControllerConfig, DropRatio
from slackwater.experiments.drops import Ran, run
from slackwater.experiments.event_stream import EventStream, stream_of_dataset
from slackwater.experiments.frame.joins import SECOND
from slackwater.experiments.on_spark import reorder_on_spark
from slackwater.quality.drop_ratio import drops, smallest_slack
from slackwater.quality.recall import after_first_period
from slackwater.time import Duration

if TYPE_CHECKING:
    from slackwater.contracts import Contract
    from slackwater.experiments.frame.description import Cell, Row
    from slackwater.time import Mask

_SHARED = 6


def stream_of(cell: Cell) -> EventStream:
    """Return the stream of a cell's data set."""
    return _stream(cell["set"], cell.config.get("duration"), cell.seed)


@lru_cache(maxsize=_SHARED)
def _stream(name: str, duration: str | None, seed: int) -> EventStream:
    return stream_of_dataset(name, seed=seed, duration=duration)


def spans_of(stream: EventStream) -> dict[str, int]:
    """Return over what the stream is measured and how often, in us."""
    return {name: Duration.of(getattr(stream.setting, name)).microseconds for name in ("period", "every")}


def promise(cell: Cell, controller: ControllerConfig | None = None) -> DropRatio:
    """Return the drop ratio of a cell, over the period that its stream is measured over."""
    setting = stream_of(cell).setting
    return DropRatio(cell["target"], over=setting.period, adaptation_interval=setting.every, controller=controller)


def reorder(cell: Cell, contract: Contract) -> Ran:
    """Put the stream of a cell in order, on its engine."""
    return (reorder_on_spark if cell.engine == "spark" else run)(stream_of(cell), contract)


def figures(cell: Cell, ran: Ran) -> Row:
    """Return a run in numbers; the average is over the decisions after the first period."""
    stream = stream_of(cell)
    period, start = spans_of(stream)["period"], int(stream.clock[0])
    counts = after_first_period(ran.at, start, period)
    held = ran.buffered[counts]
    return {
        **dropped(cell, ran.late),
        "average_slack_s": ran.average_slack(start, period) / SECOND,
        "held": float(held.mean()) if len(held) else 0.0,
        "latency_s": float(held.mean()) * gap_of(stream) / SECOND if len(held) else 0.0,  # Little's law
        "cost_us": ran.took / stream.rows * 1e6,
    }


def gap_of(stream: EventStream) -> float:
    """Return how far events are apart, in us; intervals without any are silences, which do not count."""
    every = spans_of(stream)["every"]
    return float(len(np.unique(stream.clock // every)) * every / len(stream.clock))


def dropped(cell: Cell, late: Mask) -> Row:
    """Return how much was late, and in how many periods that was not too much."""
    stream = stream_of(cell)
    found = drops(stream.clock, late, **spans_of(stream), target=cell["target"])
    return {"dropped": found.share, "kept": found.kept, "worst": found.worst, "measurements": found.measurements}


def hindsight(cell: Cell, share: float) -> float:
    """Return the smallest constant slack that keeps a share of the periods, in s."""
    stream = stream_of(cell)
    found = smallest_slack(
        stream.clock, stream.needed, **spans_of(stream), target=cell["target"], share=max(share, 1e-9)
    )
    return (found or 0) / SECOND


def best_per_interval(cell: Cell) -> float:
    """Return the mean over periods of the smallest slack that each would have needed by itself, in s."""
    stream = stream_of(cell)
    periods = Needed.of(stream.clock, stream.needed).periods(*spans_of(stream).values())
    smallest = periods.smallest(cell["target"])
    return float(smallest.mean()) / SECOND if len(smallest) else 0.0
