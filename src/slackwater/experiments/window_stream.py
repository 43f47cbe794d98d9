"""One stream and the windows over it, as errors of aggregates are measured: run under contracts, and in hindsight."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from slackwater.api import Stream, stream
from slackwater.api_aggregate import aggregate
from slackwater.contracts import Contract, FixedSlack, NoSlack, RelativeError
from slackwater.core.arrivals import Arrivals
from slackwater.core.result_steps import ResultNeeds, ResultSteps
from slackwater.errors import DatasetError
from slackwater.experiments.subject import read_rows, stream_name
from slackwater.local.aggregate import LocalAggregate
from slackwater.pipeline.aggregate_columns import read_inputs
from slackwater.pipeline.columns import read_batch
from slackwater.pipeline.guard import turn_away
from slackwater.plan.aggregate_text import AggregateQuery, parse_aggregate
from slackwater.quality.relative_error import Values, errors_of, smallest_slack
from slackwater.sources.catalog import load
from slackwater.sources.dataset import Dataset
from slackwater.sources.freeway import freeway
from slackwater.time import Duration, DurationLike, release_horizon
from slackwater.wording import did_you_mean

if TYPE_CHECKING:
    from slackwater.core.cells import Cells
    from slackwater.early import Early
    from slackwater.estimate.arrays import Floats
    from slackwater.events import Rows
    from slackwater.plan.nodes import AggregateNode, Unit
    from slackwater.time import Times


@dataclass(frozen=True)
class WindowSetting:
    """The query of a data set, unless another is given, and how often its slack is decided."""

    query: str
    stream: str | None = None  # None: all streams as one
    every: str = "1 second"


SETTINGS: Mapping[str, WindowSetting] = {
    "freeway": WindowSetting(
        "mean(speed) as speed, sum(volume) as volume size 120 seconds slide 60 seconds", every="10 seconds"
    ),
    "syn3": WindowSetting("count() as n size 10 seconds slide 5 seconds"),
    "poisson": WindowSetting("count() as n size 100 ms slide 50 ms", every="50 ms"),
    "poisson-changing": WindowSetting("count() as n size 100 ms slide 50 ms", every="50 ms"),
    "step": WindowSetting("count() as n size 2 seconds slide 500 ms", "left", "500 ms"),
    "nezha": WindowSetting("count() as n by service size 10 seconds slide 5 seconds", "spans"),
    "zeek": WindowSetting("count() as n size 30 seconds slide 10 seconds", every="5 seconds"),
    "flights": WindowSetting(
        "count() as n, mean(distance) as distance by origin size 6 hours slide 2 hours", "departures", "30 minutes"
    ),
    "umts": WindowSetting("count() as n, mean(round_trip_ms) as trip size 10 seconds slide 5 seconds"),
}


@dataclass(frozen=True)
class Emitted:
    """What a contract made of the windows: the results, the decisions, and how long windows were waited for, in us."""

    windows: Cells
    at: Times  # the clock at each decision; the one that ends the run is left out
    slack: Times
    estimated: Floats
    measured: Floats
    late: int
    took: float  # seconds of processor time: others at work on the machine do not count


@dataclass(frozen=True)
class WindowStream:
    """A stream and a query; `config` is what makes them again."""

    name: str
    description: str
    stream: Stream
    query: AggregateQuery
    every: str = "1 second"
    config: Mapping[str, Any] = field(default_factory=dict)

    @property
    def rows(self) -> int:
        """Number of rows."""
        return int(self.stream.frame.num_rows)

    def run(self, contract: Contract) -> Emitted:
        """Aggregate in process under a contract."""
        started = time.process_time()
        out = self.plan(contract)
        windows, decisions = out.windows, out.decisions[:-1]
        at, slack = (decisions[name].cast(pa.int64()).to_numpy() for name in ("at", "slack"))
        estimated, measured = (decisions[name].to_numpy().astype(np.float64) for name in ("estimated", "measured"))
        late, took = int(out.late.num_rows), time.process_time() - started
        return Emitted(self._checked(windows), at, slack, estimated, measured, late, took)

    @cached_property
    def truth(self) -> Cells:
        """The windows with all their rows."""
        return self._checked(self.plan(FixedSlack(Duration.MAX)).windows)

    def errors(self, windows: Cells, contract: RelativeError) -> Floats:
        """Return how far each true result is off in what was emitted."""
        counted = self._counted(contract)
        mine, true = ([_values(each, place, self._node) for place in counted] for each in (windows, self.truth))
        return errors_of(mine, true, places_of(self.truth, windows))

    def hindsight(self, contract: RelativeError, share: float) -> int:
        """Return the smallest constant slack with which a share of the results keeps the bound: exact."""
        slack, change = self._needs(contract).changes()
        return smallest_slack(slack, change, len(self.truth), share)

    def best_per_window(self, contract: RelativeError) -> Times:
        """Return the smallest slack from which on each window by itself keeps the contract, in us."""
        needs = self._needs(contract)
        window, slack = needs.window, needs.slack
        order = np.lexsort((slack, window))
        window, slack = window[order], slack[order]
        starts = np.flatnonzero(np.diff(window, prepend=window[:1] - 1))
        results = np.diff(np.append(starts, len(order)))
        return slack[starts + np.maximum(np.ceil(contract.confidence * results).astype(np.int64), 1) - 1]

    def latency(self, emitted: Emitted) -> float:
        """Return how far the clock was past the end of a window when it was emitted, in us, on average over windows.

        A slack is in force from the step after its decision on; windows that only the end of the input closed are left
        out. A controller that follows every arrival is taken for one that decides at boundaries.
        """
        clock = self._arrivals.clock
        in_force = np.searchsorted(emitted.at, clock, side="left")
        slack = np.append(emitted.slack, emitted.slack[-1:])[np.minimum(in_force, len(emitted.slack))]
        reached = np.maximum.accumulate(release_horizon(clock, slack))
        ends = self._node.panes.ends(np.unique(self.truth.place))
        step = np.searchsorted(reached, ends, side="left")
        closed = step < len(clock)
        return float((clock[step[closed]] - ends[closed]).mean()) if closed.any() else 0.0

    def ends(self, windows: Rows) -> Times:
        """Return the ends of windows."""
        return self._node.panes.ends(windows)

    @cached_property
    def _node(self) -> AggregateNode:
        return self.plan(NoSlack()).node

    @cached_property
    def _arrivals(self) -> Arrivals:
        usable, _ = turn_away(read_batch(self.stream.node, self.stream.frame, processing_time=0), None)
        return Arrivals.after(None, usable)

    @cached_property
    def _steps(self) -> ResultSteps:
        """What every result would have been at every slack."""
        row, node = self._arrivals.events.row, self._node
        group = self.plan(NoSlack()).groups[row]
        inputs = [each[row] for each in read_inputs(node, self.stream.frame)]
        functions = [value.algebra for _, value in node.values]
        return ResultSteps.of_events(node.panes, functions, self._arrivals, group, inputs)

    def _checked(self, windows: Cells | None) -> Cells:
        if windows is None:
            raise DatasetError(self.name, problem="has no rows with a time", remedy="check the event-time column")
        return windows

    def _needs(self, contract: RelativeError) -> ResultNeeds:
        counted = self._counted(contract)
        values = enumerate(self._node.values)
        functions = [value.algebra if place in counted else None for place, (_, value) in values]
        return self._steps.needs(functions, contract.bound)

    def _counted(self, contract: RelativeError) -> list[int]:
        names = self.plan(contract).node.counted
        return [place for place, (name, _) in enumerate(self._node.values) if name in names]

    def plan(self, contract: Contract, early: Early | None = None) -> LocalAggregate:
        """Return the query as a plan over the stream."""
        query = self.query
        plan: LocalAggregate = aggregate(
            self.stream,
            by=query.by,
            size=query.size,
            slide=query.slide,
            values=dict(query.values),
            contract=contract,
            early=early,
        )
        return plan


def windows_of_dataset(
    name: str, *, query: str | None = None, seed: int = 1, duration: DurationLike | None = None
) -> WindowStream:
    """Load the stream of a data set, with a query of its own unless one is given.

    >>> windows_of_dataset("freeway", duration="1 hour").rows
    5400
    """
    if name not in SETTINGS:
        remedy = f"{did_you_mean(name, SETTINGS)}those that have: {', '.join(SETTINGS)}"
        raise DatasetError(name, problem="has no stream to be aggregated", remedy=remedy)
    setting = SETTINGS[name]
    dataset = _dataset(name, seed, {} if duration is None else {"duration": duration})
    chosen = setting.stream or (next(iter(dataset.streams)) if len(dataset.streams) == 1 else None)
    table = _as_one(dataset) if chosen is None else dataset.streams[chosen]
    source = stream(table, name=chosen or "all", event_time="event_time", arrival="arrival", max_ahead=None)
    text = query or setting.query
    length = None if duration is None else str(duration)
    config = {"set": name, "seed": seed, "duration": length, "query": text}
    return WindowStream(name, dataset.description, source, parse_aggregate(text), setting.every, config)


def _as_one(dataset: Dataset) -> pa.Table:
    """Return the rows of all streams in arrival order; `source` says of which stream a row is."""
    parts = [
        table.append_column("source", pa.repeat(pa.scalar(name), table.num_rows))
        for name, table in dataset.streams.items()
    ]
    return pa.concat_tables(parts, promote_options="permissive").sort_by("arrival")


def _dataset(name: str, seed: int, length: dict[str, Any]) -> Dataset:
    if name == "freeway":  # of one detector, as the document has it, nothing is out of order
        return freeway(detectors=30, max_delay="1 minute", seed=seed, **length)
    return load(name, seed=seed, **length)


def windows_of_file(
    file: str, *, query: str, event_time: str, unit: Unit | None = None, arrival: str | None = None
) -> WindowStream:
    """Read a file as one stream, rows in arrival order unless a column says so."""
    source = stream(
        read_rows(Path(file)),
        name=stream_name(Path(file)),
        event_time=event_time,
        unit=unit,
        arrival=arrival,
        max_ahead=None,
    )
    shown = Path(file).name
    config = {"files": [str(file)], "query": query}
    return WindowStream(shown, f"The rows of {shown}.", source, parse_aggregate(query), config=config)


def _values(windows: Cells, place: int, node: AggregateNode) -> Values:
    return Values(*node.values[place][1].algebra.lower(windows.states[place]))


def places_of(wanted: Cells, windows: Cells) -> Rows:
    """Return where each wanted result is; -1 where it is not."""
    groups = int(max(wanted.group.max(initial=0), windows.group.max(initial=0))) + 1
    low = int(wanted.place.min(initial=0))
    key, found = ((each.place - low) * groups + each.group for each in (wanted, windows))
    order = np.argsort(found, kind="stable")
    at = np.minimum(np.searchsorted(found[order], key), max(len(found) - 1, 0))
    if not len(found):
        return np.full(len(key), -1)
    return np.where(found[order][at] == key, order[at], -1)
