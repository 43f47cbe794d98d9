"""Measurement: the only thing that a controller ever sees."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import numpy.typing as npt

from slackwater.errors import AccountingError

if TYPE_CHECKING:
    from slackwater.events import Rows
    from slackwater.time import Mask, Times

Numbers: TypeAlias = npt.NDArray[np.float64]  # counts that may exceed what an int64 holds


@dataclass(frozen=True, slots=True)
class Counts:
    """Where the events of a stream are, from its start: arrived = released + late + buffered."""

    arrived: int = 0
    released: int = 0
    late: int = 0
    buffered: int = 0

    @property
    def balanced(self) -> bool:
        """Whether every event is accounted for."""
        return self.arrived == self.released + self.late + self.buffered

    def check(self) -> None:
        """Raise AccountingError unless every event is accounted for."""
        if not self.balanced:
            raise AccountingError(arrived=self.arrived, released=self.released, late=self.late, buffered=self.buffered)


@dataclass(frozen=True, slots=True)
class StreamArrivals:
    """What arrived in one stream of several."""

    delays: Times
    ahead: Times  # at each arrival, how far the stream's clock was ahead of the slowest stream's (K_sync in JI16)


@dataclass(frozen=True, slots=True)
class Joined:
    """What a join made of the events that came to it, in the order in which they came."""

    delay: Times  # of each event, when it arrived in its stream
    in_order: Mask  # whether it came to the join in order: only such an event completes results
    cross: Numbers  # how many combinations the windows offered it, whatever the condition; 0 if not in order
    results: Numbers  # how many results it completed; 0 if not in order


@dataclass(frozen=True, slots=True)
class NeededSlacks:
    """How long results had to be waited for: of those whose last member arrived, whether or not they were produced."""

    slack: Times
    weight: Numbers  # how many results each stands for
    lags: tuple[Times, ...]  # of each stream, how far late events came behind the slowest clock
    events: tuple[int, ...]  # of each stream, how many arrived
    recall: float | None  # measured over the last period; None where nothing was due
    made: float = 0.0  # how much of the weight was produced
    lag_weights: tuple[Numbers, ...] = ()  # how many events each lag stands for; empty: one each

    @property
    def in_time(self) -> float | None:
        """How many results there are if none needs any slack; None if one does."""
        if len(self.slack) == 1:  # what most measurements of sorted input are: worth no call of NumPy
            return None if self.slack[0] else float(self.weight[0])
        return None if self.slack.any() else float(self.weight.sum())


@dataclass(frozen=True, slots=True)
class RecentWindows:
    """What is known of the recent windows of an aggregate, in the order of their ends."""

    age: Times  # how far the clock is past the end of each
    results: Numbers  # how many results each has
    kept: Numbers  # of each, how many are within the bound with a slack: windows x bins
    emitted: float = 0.0  # how many results were emitted long enough ago for their error to be known
    within: float = 0.0  # and how many of them are within the bound
    due: float = 0.0  # how many results have become known since the measurement before
    made: float = 0.0  # and how many of them are within the bound
    changed: bool = True  # whether any window has been judged since

    @property
    def share(self) -> float | None:
        """The share of emitted results that are within the bound; None where none is known."""
        return self.within / self.emitted if self.emitted else None


@dataclass(frozen=True, slots=True)
class Waited:
    """How long what left an operator took in processing time, in us, and what it was not waited for."""

    latency: int  # the largest: from arrival until the results are written
    processing: int  # the largest part of it that is no wait for other events: until the next read, and the work itself
    slack_ready: int  # events that left before they were ready (SSG17), or that came too late because of that
    spread: int = 0  # in event time: how far the fastest stream is ahead of the slowest
    events: int = 0  # how many left


@dataclass(frozen=True, slots=True)
class Measurement:
    """What happened in an adaptation interval, or in a part of one.

    `intervals` is how many boundaries the clock crossed at its end: more than one after a silence, none where a batch
    ended before the interval did. Then the interval goes on, and what belongs to it must be accumulated.
    """

    at: int  # the clock, in event time
    intervals: int
    slack: int  # in force when the boundary was crossed
    max_delay: int  # of these events
    delays: Times  # of the events that arrived since the measurement before
    counts: Counts
    streams: tuple[StreamArrivals, ...] = ()  # of an operator over several streams: the same, stream by stream
    joined: Joined | None = None  # of a join, for controllers that learn from results
    needs: NeededSlacks | None = None  # of a join, for controllers that learn from arrivals
    waited: Waited | None = None  # for controllers that keep a deadline
    late: int = 0  # where nothing is joined: how many events left too late
    slack_ready: int = 0  # behind a gate: how many events left before they were ready
    stall: int = 0  # behind a gate: the longest that one of these had waited, in event time of the fastest stream
    kept: float | None = None  # where nothing is joined: the share of events of the last period that were not late
    windows: RecentWindows | None = None  # of an aggregate, where the contract is about its values
    weights: Rows | None = None  # how many events each delay stands for; None: one each

    @property
    def arrived(self) -> int:
        """How many events arrived since the measurement before."""
        return len(self.delays) if self.weights is None else int(self.weights.sum())
