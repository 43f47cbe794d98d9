"""How far the buckets of an aggregate have closed their windows: the driver tells the tasks that pack the next batch.

It travels as a local property of Spark's jobs. Nothing depends on it but how rows are packed: without it, as in the
first batch after a start, all rows are sent, with the same results. So it is no side channel, and replays need none.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from slackwater.time import BEFORE_ALL_TIME, Duration

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from slackwater.plan.nodes import AggregateNode
    from slackwater.spark.stored_aggregate import AggregateSaved

_PROPERTY = "slackwater.horizons"
_BACK = 3_600_000_000  # us: clocks of a driver do not go back further than this, or than half of `max_ahead`


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of a bucket before a batch."""

    closed: int  # windows that end up to it are closed
    read: int  # processing time of an earlier batch

    def surely(self, max_ahead: Duration | None) -> int:
        """Return a processing time that the batch surely has: its own is not known where rows are packed."""
        return self.read - (0 if max_ahead is None else min(_BACK, max_ahead.microseconds // 2))


def horizon_of(node: AggregateNode, saved: AggregateSaved, *, read: int) -> bytes:
    """Return what a bucket says to the driver after a call.

    Nothing, where the next rows must be seen one by one: by the plan as it is now, before the first event, and where
    some may break a promise.
    """
    state: dict[str, Any] = saved.pipeline or {}
    promised = state.get("promised", {})
    is_promised = promised.get("until", BEFORE_ALL_TIME) > BEFORE_ALL_TIME or promised.get("ranges")
    if not node.can_be_added_up or state.get("clock") is None or is_promised or "bounds" in saved.notes:
        return json.dumps(None).encode()
    return json.dumps([state["reached"], read]).encode()


@dataclass(slots=True)
class Horizons:
    """The driver's part: hears what buckets say, and tells it to the jobs of the next batch."""

    _known: dict[int, list[int]] = field(default_factory=dict)

    def hear(self, said: Iterable[tuple[int, bytes]]) -> None:
        """Remember what buckets said in a batch. A bucket that was not called has not changed."""
        for bucket, body in said:
            horizon = json.loads(body)
            if horizon is None:
                self._known.pop(bucket, None)
            else:
                self._known[bucket] = horizon

    @contextmanager
    def told(self, spark: SparkSession) -> Iterator[None]:
        """Tell the jobs that this thread starts, and threads that inherit from it."""
        context = getattr(spark, "_sc", None)  # a session of Spark Connect has none: its jobs send all rows
        if context is None or not self._known:
            yield
            return
        context.setLocalProperty(_PROPERTY, json.dumps(self._known))
        try:
            yield
        finally:
            context.setLocalProperty(_PROPERTY, None)


def horizons_here() -> dict[int, Known]:
    """Return what the driver has told the job of this task, by bucket."""
    from pyspark import TaskContext

    context = TaskContext.get()
    told = None if context is None else context.getLocalProperty(_PROPERTY)
    return {int(bucket): Known(*horizon) for bucket, horizon in json.loads(told or "{}").items()}
