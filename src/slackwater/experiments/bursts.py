"""Bursts in a model of processing time (PROD Sec. 4.3.2 and 6.2a): who is late because of them, and by how much.

A machine takes in so many rows a second. Every step of 250 ms, or when it is free again, it reads what has come, and
results are written when the rows of that read are taken in: how Spark's micro-batches go. A window's latency is from
its end until it is written. The machine is a model, so that figures do not depend on the computer; rows, windows and
what is set aside are those of `live()`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from slackwater.api import stream
from slackwater.api_aggregate import aggregate
from slackwater.contracts import NoSlack
from slackwater.early import Early
from slackwater.plan.values import max as most_of
from slackwater.sources.arrange import START
from slackwater.sources.dataset import event_times_of
from slackwater.sources.wireless import wireless
from slackwater.time import Duration

if TYPE_CHECKING:
    from slackwater.estimate.arrays import Floats
    from slackwater.local.live_aggregate import Left, LiveAggregate
    from slackwater.sideline import Sideline
    from slackwater.time import Mask, Times

SECOND, STEP = 1_000_000, 250_000  # us


@dataclass(frozen=True)
class BurstCase:
    """What is run: PROD's Q4-2 is a maximum over 5 s every second."""

    sideline: Sideline | None = None  # None: rows are taken in as they came
    prods: bool = False  # whether it is prodded every second for windows that have ended, as PROD's machine is
    little: bool = False  # whether it reads little at once: PROD's machine has a list of rows to do, which prods bypass
    calm: bool = False  # whether the bursts are left out of the stream
    per_second: int = 300  # rows that the machine can take in
    size: int = 5  # seconds
    seed: int = 1
    duration: str = "90 seconds"


@dataclass(frozen=True)
class Written:
    """Windows by their end, all figures in seconds; nan: it was not shown early."""

    end: Floats  # from the start
    first: Floats  # from its end until it was shown
    latency: Floats  # from its end until it was final
    accuracy: Floats  # of what was shown
    bursty: Mask  # whether a second of a burst is in it

    @property
    def was_early(self) -> Mask:
        """Whether it was shown before it was final, though its time was over."""
        return np.asarray(self.first < self.latency)


def run_burst(case: BurstCase) -> Written:
    """Run a stream through the machine to its end."""
    table = wireless(seed=case.seed, duration=case.duration).streams["records"]
    times = event_times_of(table)
    second = (times - START) // SECOND
    crowd = np.arange(len(second)) - np.searchsorted(second, second, side="left")
    dense = np.bincount(second) > 1.3 * case.per_second  # such a second is a burst: what is noise may exceed it too
    kept = ~dense[second] | (crowd < 100) if case.calm else np.ones(len(times), np.bool_)
    run = _Run(case, times[kept], table["counter"].filter(pa.array(kept)))
    while run.sent < len(run.times) or run.live.counts.buffered:
        run.step()
    return run.written(dense)


class _Run:
    """The machine on its way."""

    def __init__(self, case: BurstCase, times: Times, counter: pa.ChunkedArray[pa.Int64Scalar]) -> None:
        self._case, self.times = case, times
        self._rows = pa.Table.from_arrays([pa.array(times), counter.combine_chunks()], names=["ts", "counter"])
        self.live: LiveAggregate = aggregate(
            stream(self._rows.slice(0, 0), event_time="ts", unit="us", max_ahead=None),
            size=Duration(case.size * SECOND),
            slide=Duration(SECOND),
            values={"most": most_of("counter")},
            contract=NoSlack(),
            early=Early(estimate="raw"),  # as PROD shows them; corrected ones cannot be had with a sideline
            sideline=case.sideline,
        ).live()
        self.sent, self._free, self._tick = 0, START, START
        self._shown: dict[int, tuple[float, int]] = {}
        self._final: dict[int, tuple[float, int]] = {}

    def step(self) -> None:
        """Read what has come, take it in, and write what that leads to."""
        self._tick = max(self._tick + STEP, self._free)
        came = int(np.searchsorted(self.times, self._tick, side="right"))
        if self._case.prods or self._case.little:
            came = min(came, self.sent + self._case.per_second * STEP // SECOND)
        before = self.live.counts.released
        left = [self.live.feed(self._rows.slice(self.sent, came - self.sent))]
        if self._case.prods:
            left.append(self.live.prod(until=(self._tick - STEP) // SECOND * SECOND))
        taken_in = self.live.counts.released - before  # a prod may work off rows, too
        self.sent, self._free = came, self._tick + taken_in * SECOND // self._case.per_second
        for each in left:
            self._note(each, self._free)

    def written(self, dense: Mask) -> Written:
        """Return windows as columns, but for the first ones, which have less than their size."""
        ends = [end for end in sorted(self._final) if end >= self._case.size]
        shown = [self._shown.get(end, (np.nan, 0)) for end in ends]
        first, early = (np.array(column, np.float64) for column in zip(*shown, strict=True))
        latency, value = (np.array(c, np.float64) for c in zip(*(self._final[end] for end in ends), strict=True))
        bursty = np.array([bool(dense[end - self._case.size : end].any()) for end in ends])
        accuracy = np.where(np.isnan(first), np.nan, early / np.maximum(value, 1))
        return Written(np.array(ends, np.float64), first, latency, accuracy, bursty)

    def _note(self, left: Left, at: int) -> None:
        ends = pc.cast(pc.struct_field(left.results["window"], "end"), pa.int64()).to_pylist()
        for end, kind, most in zip(ends, *(left.results[c].to_pylist() for c in ("kind", "most")), strict=True):
            noted = self._final if kind == "final" else self._shown
            noted.setdefault((end - START) // SECOND, ((at - end) / SECOND, most))
