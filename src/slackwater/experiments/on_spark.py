"""The same joins and streams on Spark, as bounded DataFrames, counted as a run in process is counted.

Results, late rows and decisions come from Spark. Spark does not say where the join's time was at each decision; that is
a matter of arrivals and slacks alone, so it is taken from a run in process, if both decided the same.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from slackwater.api import join, reorder, session, stream
from slackwater.errors import SlackwaterError
from slackwater.experiments.drops import Ran
from slackwater.experiments.replay import Counted, in_process
from slackwater.quality.recall import ResultCounts

if TYPE_CHECKING:
    from slackwater.api import Stream
    from slackwater.contracts import Contract
    from slackwater.experiments.event_stream import EventStream
    from slackwater.experiments.subject import Subject


class EnginesDisagreeError(SlackwaterError):
    """Spark and the run in process decided differently, so that their figures cannot be compared."""


def count_on_spark(subject: Subject, contract: Contract) -> Counted:
    """Run the join of a subject on Spark, and count its results by time."""
    local = in_process(subject, contract)
    query, started = subject.query, time.perf_counter()
    on = list(query.on) if isinstance(query.on, tuple) else query.on
    frames = [moved_to_spark(each) for each in subject.streams]
    out = join(*frames, on=on, where=query.where, within=query.within, contract=contract, **query.options)
    counts = out.results.groupBy("event_time").count().toArrow().sort_by("event_time")
    times, found = (counts[name].cast(pa.int64()).to_numpy() for name in ("event_time", "count"))
    decided = _decisions(out)
    _compare(subject.name, "slack", local.slack, decided["slack"])
    _compare(subject.name, "at", local.at, decided["at"])
    return Counted(
        results=ResultCounts.of(times, found),
        total=int(found.sum()),
        at=decided["at"],
        watermark=local.watermark,
        slack=decided["slack"],
        estimated=local.estimated,
        measured=local.measured,
        largest_delay=local.largest_delay,
        took=time.perf_counter() - started,
    )


def reorder_on_spark(stream_of: EventStream, contract: Contract) -> Ran:
    """Put a stream in order on Spark."""
    started = time.perf_counter()
    out = reorder(moved_to_spark(stream_of.as_stream()), contract=contract)
    late = np.zeros(stream_of.rows, np.bool_)
    late[out.late.select("row").toArrow()["row"].to_numpy()] = True
    decided = _decisions(out)
    return Ran(late, decided["at"], decided["slack"], decided["buffered"], time.perf_counter() - started)


def moved_to_spark(given: Stream) -> Stream:
    """Return a stream over a bounded DataFrame with the rows of one in process."""
    node = given.node
    frame = session().createDataFrame(given.frame)
    return stream(
        frame,
        name=node.name,
        event_time=node.event_time,
        unit=node.unit,
        arrival=node.arrival,
        max_ahead=node.max_ahead,
        marker=node.marker,
    )


def _decisions(out: Any) -> dict[str, Any]:
    """Return when was decided what; the decision that ends the run is left out."""
    rows = out.decisions.select("at", "slack", "buffered", "arrived").toArrow()
    rows = rows.sort_by([("at", "ascending"), ("arrived", "ascending")])[:-1]
    return {name: rows[name].cast(pa.int64()).to_numpy() for name in ("at", "slack", "buffered")}


def _compare(name: str, what: str, local: Any, spark: Any) -> None:
    if not np.array_equal(local, spark):
        raise EnginesDisagreeError(f"{what} on {name} differs between Spark and the run in process; this is a bug")
