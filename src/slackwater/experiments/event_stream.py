"""One stream as drop ratios are measured on it: its events in arrival order, and what each of them needs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from slackwater.api import Stream, stream
from slackwater.core.arrivals import Arrivals
from slackwater.core.event_needs import slack_needed
from slackwater.errors import DatasetError
from slackwater.events import Events
from slackwater.experiments.subject import read_rows, stream_name
from slackwater.pipeline.columns import read_batch
from slackwater.pipeline.guard import turn_away
from slackwater.sources.catalog import load
from slackwater.sources.dataset import Dataset, event_times_of
from slackwater.sources.poisson import poisson, poisson_changing
from slackwater.time import DurationLike, Times
from slackwater.wording import did_you_mean

if TYPE_CHECKING:
    from slackwater.plan.nodes import Unit


@dataclass(frozen=True)
class Setting:
    """Over what a stream is measured, how often its slack is decided, and how many samples KIM's estimates take (M).

    A period has to have some events that may be late: 1 / target of them and more.
    """

    period: str = "1 minute"
    every: str = "1 second"
    samples: int = 100


_KIM = Setting("1 second", "100 ms", 1_000)  # 10,000 events a second; 100 ms are the 1,000 arrivals of P_e
_CHANGING = Setting("1 second", "100 ms", 100)
SETTINGS: Mapping[str, Setting] = {
    **dict.fromkeys(("poisson", *(f"poisson-{deviation}" for deviation in range(1, 6))), _KIM),  # delays deviate by ms
    "poisson-changing": _CHANGING,
    **{f"changing-{every}": _CHANGING for every in (1, 3, 5)},  # mean and deviation are new every so many seconds
    **dict.fromkeys(("syn3", "syn4", "soccer"), Setting()),
    "step": Setting("10 seconds", "500 ms"),
    "nezha": Setting(),  # spans of both days, thousands a minute
    "zeek": Setting("5 minutes", "5 seconds"),  # all logs as one stream, 37,000 in 5 minutes; half are in bursts
    "flights": Setting("1 week", "2 hours"),  # departures, 6,300 a week
    "umts": Setting(),  # all devices as one stream, 940 a minute: at .001 none may be late
}
_STREAMS = {"step": "left", "nezha": "spans", "flights": "departures"}  # of the others all streams as one
_ALL = "all"


@dataclass(frozen=True)
class EventStream:
    """Events in arrival order; `config` is what makes them again.

    `clock` is that of the stream when each event came, `needed` the constant slack with which it is not late.
    """

    name: str
    description: str
    stream: str
    setting: Setting
    events: Events
    clock: Times
    needed: Times
    arrival_time: Times | None = None
    config: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, events: Events, **rest: Any) -> EventStream:
        """Find the clock, and what the events need."""
        arrivals = Arrivals.after(None, events)
        return cls(events=events, clock=arrivals.per_event(arrivals.clock), needed=slack_needed(arrivals), **rest)

    @property
    def rows(self) -> int:
        """Number of events."""
        return len(self.events)

    @property
    def shown(self) -> str:
        """What the stream is called in text."""
        return "all streams as one" if self.stream == _ALL else self.stream

    def as_stream(self) -> Stream:
        """Return the events as the input of `reorder`; `row` is the place of each."""
        columns: dict[str, Any] = {
            "time": self.events.time,
            "arrival": self.events.arrival,
            "row": np.arange(self.rows),
        }
        return stream(
            pa.table(columns), name=self.stream, event_time="time", unit="us", arrival="arrival", max_ahead=None
        )


def stream_of_dataset(name: str, *, seed: int = 1, duration: DurationLike | None = None) -> EventStream:
    """Load the stream of a data set; of poisson-3 and changing-5 the number is a deviation in ms, or a period in s.

    >>> stream_of_dataset("poisson-3", duration="1 second").rows
    10000
    """
    if name not in SETTINGS:
        remedy = f"{did_you_mean(name, SETTINGS)}those that have: {', '.join(SETTINGS)}"
        raise DatasetError(name, problem="has no stream to be replayed by itself", remedy=remedy)
    dataset = _dataset(name, seed, {} if duration is None else {"duration": duration})
    chosen = _STREAMS.get(name) or (next(iter(dataset.streams)) if len(dataset.streams) == 1 else None)
    table = dataset.merged() if chosen is None else dataset.streams[chosen]
    arrival_time = table["arrival_time"].cast(pa.int64()).to_numpy() if "arrival_time" in table.column_names else None
    return EventStream.of(
        Events.of(event_times_of(table)),
        name=name,
        description=dataset.description,
        stream=chosen or _ALL,
        setting=SETTINGS[name],
        arrival_time=arrival_time,
        config={"set": name, "seed": seed, "duration": None if duration is None else str(duration)},
    )


def stream_of_file(file: str, *, event_time: str, unit: Unit | None = None, arrival: str | None = None) -> EventStream:
    """Read a file as one stream, rows in arrival order unless a column says so; rows without a time are left out."""
    name = stream_name(Path(file))
    rows = stream(read_rows(Path(file)), name=name, event_time=event_time, unit=unit, arrival=arrival, max_ahead=None)
    usable, _ = turn_away(read_batch(rows.node, rows.frame, processing_time=0), None)
    return EventStream.of(
        usable,
        name=Path(file).name,
        description=f"The rows of {Path(file).name}.",
        stream=name,
        setting=Setting(),
        config={"files": [str(file)]},
    )


def _dataset(name: str, seed: int, length: dict[str, Any]) -> Dataset:
    kind, _, number = name.partition("-")
    if kind == "poisson" and number.isdigit():
        return poisson(deviation=f"{number} ms", seed=seed, **length)
    if kind == "changing":
        return poisson_changing(every=f"{number} seconds", seed=seed, **length)
    return load(name, seed=seed, **length)
