"""How long what leaves an operator took, measured: from when it came in until the batch that gives it out is written.

A call knows when everything that leaves came in; the driver knows when the batch is written. Both times are the
driver's clock, and a batch that is replayed began when it began first.
"""

from __future__ import annotations

import json
import os
import time
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from slackwater.errors import ParameterError
from slackwater.estimate.recent_calls import RecentCalls
from slackwater.paths import local_folder
from slackwater.pipeline.columns import read_times
from slackwater.quality.counted import Counted
from slackwater.quality.latency_log import IN_CHECKPOINT, add_line

if TYPE_CHECKING:
    import pyarrow as pa

    from slackwater.deadline import Deadline
    from slackwater.events import Tagged
    from slackwater.pipeline.guard import Incoming
    from slackwater.plan.nodes import StreamNode
    from slackwater.time import Times

Figures: TypeAlias = dict[str, Any]  # a row of `LATENCY`
Told: TypeAlias = Callable[[Figures], object]


@dataclass(frozen=True, slots=True)
class Left:
    """What left in a call: by its marks one finds when it came in (see `estimate/recent_calls.py`)."""

    marks: Times
    mark: int | None  # of the call; None: nothing came
    clock: int | None
    settled: int | None  # nothing with a mark up to this is left that could leave later; None: unknown
    since: str = "read"
    arrived: Times | None = None  # processing time of arrival, where streams say it; a row that does not: `_UNKNOWN`

    @classmethod
    def rows(
        cls,
        left: Sequence[Tagged],
        came: Sequence[Incoming],
        streams: Sequence[StreamNode],
        tables: Sequence[pa.Table],
        *,
        clock: int | None,
        buffered: int,
    ) -> Left:
        """Rows left; they are those of `tables`, stream by stream."""
        marks = np.concatenate([np.empty(0, np.int64), *(each.arrival for each in left)])
        mark = max((int(each.events.arrival.max()) for each in came if len(each.events)), default=None)
        settled = None if buffered else mark
        if not any(stream.arrival_time for stream in streams):
            return cls(marks, mark, clock, settled)
        arrived = [_arrived(each, streams, tables) for each in left]
        return cls(marks, mark, clock, settled, "arrival_time", np.concatenate([np.empty(0, np.int64), *arrived]))

    @classmethod
    def windows(cls, ends: Sequence[Times], *, clock: int | None, closed: int | None) -> Left:
        """Results left: each could have left when the clock came to its end. Windows up to `closed` are all closed."""
        return cls(np.concatenate([np.empty(0, np.int64), *ends]), clock, clock, closed, "end")


_UNKNOWN = np.iinfo(np.int64).max


def _arrived(left: Tagged, streams: Sequence[StreamNode], tables: Sequence[pa.Table]) -> Times:
    arrived = np.full(len(left), _UNKNOWN)
    for number, (stream, table) in enumerate(zip(streams, tables, strict=True)):
        if stream.arrival_time is None:
            continue
        mine = np.flatnonzero(left.stream == number)
        times, known = read_times(stream, stream.arrival_time, table[stream.arrival_time].take(left.row[mine]))
        arrived[mine] = times if known is None else np.where(known, times, _UNKNOWN)
    return arrived


@dataclass(frozen=True, slots=True)
class Waits:
    """How long what left a call had waited when its batch began."""

    read: int  # when that was
    since: str
    latency: Counted
    stall: Counted
    held: Counted

    @classmethod
    def of(cls, left: Left, recent: RecentCalls, processing_time: int) -> Waits:
        """Find them, and let the call be remembered."""
        if left.mark is not None and left.clock is not None:
            recent.update(left.mark, at=processing_time, clock=left.clock)
        since = recent.get(left.marks)
        held = Counted.together([Counted(np.maximum(processing_time - since.at, 0), since.how_many)])
        clock = since.clock if left.clock is None else left.clock
        stall = Counted.together([Counted(np.maximum(clock - since.clock, 0), since.how_many)])
        if left.settled is not None:
            recent.forget(left.settled)
        if left.arrived is None:
            return cls(processing_time, left.since, held, stall, held)
        came = np.where(left.arrived == _UNKNOWN, processing_time, left.arrived)
        return cls(processing_time, left.since, Counted.of(processing_time - came), stall, held)

    def body(self) -> bytes:
        """Return them as bytes, for the driver."""
        kept = {"read": self.read, "since": self.since}
        counted = {name: getattr(self, name).as_lists() for name in ("latency", "stall", "held")}
        return json.dumps({**kept, **counted}).encode()

    @classmethod
    def read_from(cls, body: bytes) -> Waits:
        """Read what `body` gave."""
        found = json.loads(body)
        counted = [Counted.from_lists(found[name]) for name in ("latency", "stall", "held")]
        return cls(found["read"], found["since"], *counted)


@dataclass
class BatchLatency:
    """The driver's part: when a batch is written, its figures go into the folder and to those who are told."""

    operator: str
    folder: Path | None
    tell: Told | None = None
    checkpoint: Path | None = None  # whose folder it is where no other is given
    limit: int | None = None  # the deadline, in us
    note: Told | None = None  # for listeners of this process

    @classmethod
    def of(
        cls,
        operator: str,
        checkpoint: str | os.PathLike[str],
        latency: str | os.PathLike[str] | Told | None,
        *,
        deadline: Deadline | None = None,
    ) -> BatchLatency:
        """Return where figures go: a folder that is given, else one in the checkpoint; and a function that is given."""
        limit = None if deadline is None else deadline.limit.microseconds
        if latency is not None and not callable(latency):
            where = local_folder(latency) if isinstance(latency, str | os.PathLike) else None
            if where is None:
                raise ParameterError(
                    "latency",
                    latency,
                    must="be a folder of a mounted file system, or a function of one dict",
                    remedy="give a path, or leave it out",
                )
            return cls(operator, where, limit=limit)
        return cls(operator, None, latency, local_folder(checkpoint), limit)

    def on_batch(self, bodies: Iterable[bytes], batch: int, *, written: int | None = None) -> None:
        """Add up what the calls of a batch said; it has just been written."""
        waits = [Waits.read_from(body) for body in bodies]
        if not waits:
            return
        written = time.time_ns() // 1_000 if written is None else written
        figures = figures_of(self.operator, batch, waits, written, limit=self.limit)
        folder = self.folder
        if folder is None and self.checkpoint is not None and self.checkpoint.exists():  # Spark made it, if it is here
            folder = self.checkpoint / IN_CHECKPOINT
        if folder is not None:
            self._keep(folder, figures)
        if self.note is not None:
            self.note(figures)
        if self.tell is not None:
            self.tell(figures)

    def _keep(self, folder: Path, figures: Mapping[str, Any]) -> None:
        try:
            add_line(folder, figures)
        except OSError as error:  # figures are for people: results must not stop for them
            warnings.warn(f"latency of batch {figures['batch']} is not in {folder}: {error}", stacklevel=2)


def figures_of(operator: str, batch: int, waits: Sequence[Waits], written: int, *, limit: int | None = None) -> Figures:
    """Return the row of a batch: what its calls had waited, and how long it took until it was written."""
    read = min(each.read for each in waits)
    latency, held = (
        Counted.together([getattr(each, name).longer(written - each.read) for each in waits])
        for name in ("latency", "held")
    )
    stall = Counted.together([each.stall for each in waits])
    return {
        "operator": operator,
        "batch": batch,
        "read": read,
        "written": written,
        "rows": held.rows,
        "since": waits[0].since,
        **{f"latency_{name}": value for name, value in latency.quantiles().items()},
        **{f"stall_{name}": value for name, value in stall.quantiles().items()},
        "held_max": held.quantiles()["max"],
        "missed": None if limit is None else latency.above(limit),
    }
