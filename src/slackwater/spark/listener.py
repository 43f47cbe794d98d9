"""Spark's listener of queries: what progress reports say of ours goes to the figures and to the log."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, Any

from pyspark.sql.streaming.listener import StreamingQueryListener

from slackwater.metrics.batch import Batch
from slackwater.metrics.events import log_batch, log_end
from slackwater.spark.noted import forget, is_noted, noted_of
from slackwater.spark.observed import OBSERVED, QUALITY

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import SparkSession
    from pyspark.sql.streaming.listener import (
        QueryProgressEvent,
        QueryStartedEvent,
        QueryTerminatedEvent,
        StreamingQueryProgress,
    )

    from slackwater.metrics.figures import Figures
    from slackwater.metrics.monitor import Monitor

_DISK = "rocksdbSstFileSize"


def listen(spark: SparkSession, monitor: Monitor) -> None:
    """Let a monitor hear of the queries of a session until it is closed."""
    listener = FiguresListener(monitor.figures, monitor.changed)
    spark.streams.addListener(listener)
    monitor.ends_with(lambda: spark.streams.removeListener(listener))


class FiguresListener(StreamingQueryListener):
    """Keeps figures up to date; `after` is called when they have changed. Queries of others are left alone."""

    def __init__(self, figures: Figures, after: Callable[[], object]) -> None:
        self._figures = figures
        self._after = after
        self._names: dict[str, str] = {}  # of queries that run: Spark does not say it when one ends

    def onQueryStarted(self, event: QueryStartedEvent) -> None:
        """Remember its name: only its first batch says whether a query is one of ours."""
        self._names[str(event.runId)] = event.name or str(event.id)

    def onQueryProgress(self, event: QueryProgressEvent) -> None:
        """Add a batch up."""
        batch = batch_of(event.progress)
        if batch is None:
            return
        self._figures.on_start(batch.id, batch.query)
        self._figures.on_batch(batch)
        log_batch(batch)
        self._after()

    def onQueryTerminated(self, event: QueryTerminatedEvent) -> None:
        """Say that a query has ended."""
        query, run = str(event.id), str(event.runId)
        name = self._names.pop(run, query)
        if is_noted(query):  # one of ours, even if it never wrote a batch
            self._figures.on_start(query, name)
        if self._figures.on_end(query, failed=event.exception is not None):
            log_end(query, name, event.exception)
            self._after()
        forget(query, run)


def batch_of(progress: StreamingQueryProgress) -> Batch | None:
    """Return what a progress report says of a batch of ours; None: it is another's, or nothing was run."""
    row = progress.observedMetrics.get(OBSERVED)
    if row is None or row["arrived"] is None:  # null: no bucket was called
        return None
    observed, query = row.asDict(), str(progress.id)
    noted = noted_of(query)
    observed |= {name: noted.decision[name] for name in ("slack", *QUALITY) if name in noted.decision}
    states = progress.stateOperators
    return Batch(
        id=query,
        query=progress.name or query,
        number=progress.batchId,
        observed=observed,
        latency=noted.latency.get(progress.batchId, {}),
        seconds=progress.batchDuration / 1_000,
        began=dt.datetime.fromisoformat(progress.timestamp).timestamp(),
        state_memory=sum(state.memoryUsedBytes for state in states),
        state_disk=_disk([state.customMetrics for state in states]),
    )


def _disk(metrics: list[dict[str, Any]]) -> int | None:
    sizes = [each[_DISK] for each in metrics if _DISK in each]
    return sum(sizes) if sizes else None
