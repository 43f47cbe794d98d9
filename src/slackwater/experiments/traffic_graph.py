"""The operators of SSG17's traffic application: jams (a join behind a gate), their number by area, the worst areas.

They are the real ones of `core`, taken through processing time in steps: what has arrived since the step before is
read, processed and written before the next operator reads. How long that takes is measured, or assumed so that runs
repeat.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from slackwater.api import join, stream
from slackwater.contracts import NoSlack
from slackwater.core.aggregate import WindowAggregate
from slackwater.core.algebra import Count
from slackwater.core.cells import Cells, Input
from slackwater.core.gate import Gate
from slackwater.core.join import WindowJoin
from slackwater.core.panes import Panes
from slackwater.core.punctuations import Punctuation
from slackwater.events import Events
from slackwater.pipeline.predicates import bind
from slackwater.sources.dataset import event_times_of
from slackwater.time import BEFORE_ALL_TIME, release_horizon

if TYPE_CHECKING:
    from slackwater.core.gate import Left
    from slackwater.events import Rows, Tagged
    from slackwater.sources.dataset import Dataset
    from slackwater.time import Mask, Times

WINDOW = 5_000_000  # of the join, SSG17 Sec. 6
JAM = "bus.delay > 60 and scats.flow > 400"
PANES = Panes(size=5_000_000, slide=5_000_000)  # of the numbers by area
WORST = 3  # areas that are reported for each window


@dataclass(frozen=True)
class Service:
    """How long a step takes, in us: measured, or by assumed costs, so that runs repeat.

    Measured steps took 1 ms in the median and 20 ms at the 90th percentile, on a machine that was busy with other work.
    """

    measured: bool = False
    step: float = 4_000.0
    event: float = 2.0
    result: float = 0.2

    def of(self, events: int, results: int, began: float) -> int:
        """Return the time of a step with so many events and results, which began at `began` (perf_counter)."""
        if self.measured:
            return round((time.perf_counter() - began) * 1e6)
        return round(self.step + events * self.event + results * self.result)


@dataclass(frozen=True)
class Read:
    """What the join read in a step, and the jams that it found."""

    events: Tagged
    ready: Mask
    time: Times  # of each jam
    area: Rows


class Jams:
    """Bus and SCATS reports wait at a gate, and are joined by area within 5 s; a late one meets what is still there."""

    def __init__(self, dataset: Dataset) -> None:
        streams = [stream(table, name=name, event_time="event_time") for name, table in dataset.streams.items()]
        plan: Any = join(*streams, on="area", where=JAM, within="5 seconds", contract=NoSlack())
        self._area = dataset.streams["bus"]["area"].to_numpy().astype(np.int64)
        self._gate = Gate(streams=2).build()
        self._join = WindowJoin((WINDOW, WINDOW), late_completes=True).build(bind(plan.node.condition, plan.tables))

    def on_step(self, came: list[Events], slack: int) -> Read:
        """Read what may leave the gate, and join it."""
        return self._joined(self._gate.on_batch(self._gate.arrive(came), limit=slack))

    def on_end(self) -> Read:
        """Read and join what waits."""
        return self._joined(self._gate.on_end())

    @property
    def clocks(self) -> tuple[int, ...]:
        """The largest event time of each stream."""
        return tuple(BEFORE_ALL_TIME if clock is None else clock for clock in self._gate.snapshot().clocks)

    @property
    def time(self) -> int:
        """Up to which event time it has read."""
        return BEFORE_ALL_TIME if self._join.time is None else self._join.time

    def _joined(self, left: Left) -> Read:
        results = self._join.on_batch(left.events).results
        assert results is not None
        return Read(left.events, left.ready, results.time, self._area[results.rows[0]])


class Numbers:
    """Jams by area in windows of 5 s; `late` are those whose windows were all closed."""

    def __init__(self) -> None:
        self._logic = WindowAggregate(PANES, (Count(),)).build()
        self.late = 0

    def on_step(self, read: Read, reached: int, slack: int) -> Cells | None:
        """Take in jams, which came together, and close windows that end `slack` before what the join has reached."""
        rows = np.arange(len(read.time), dtype=np.int64)
        arrivals = self._logic.arrive(Events(read.time, np.zeros(len(rows), np.int64), rows))
        closed = self._logic.on_batch(arrivals, read.area, [Input(np.ones(len(rows)))], slack=slack)
        more = self._logic.on_punctuation(Punctuation(int(release_horizon(reached, slack))))
        self.late += len(closed.late)
        parts = [each for each in (closed.windows, more.windows) if each is not None]
        return Cells.concat(parts) if parts else None


def worst_areas(windows: Cells) -> dict[int, tuple[int, ...]]:
    """Return the areas with the most jams of each window, by its end; ties go to the first area."""
    count = windows.states[0][0]
    order = np.lexsort((windows.group, -count, windows.place))
    place, group = windows.place[order], windows.group[order]
    starts = np.flatnonzero(np.diff(place, prepend=place[:1] - 1))
    ends = PANES.ends(place[starts]).tolist()
    bounds = np.append(starts, len(place)).tolist()
    return {
        end: tuple(group[begin : min(begin + WORST, stop)].tolist())
        for end, begin, stop in zip(ends, bounds[:-1], bounds[1:], strict=True)
    }


def arrivals_of(table: pa.Table) -> tuple[Events, Times]:
    """Return the events of a stream, and when each arrived in processing time."""
    rows = np.arange(table.num_rows, dtype=np.int64)
    events = Events(event_times_of(table), table["arrival"].to_numpy(), rows)
    return events, table["arrival_time"].cast(pa.int64()).to_numpy()
