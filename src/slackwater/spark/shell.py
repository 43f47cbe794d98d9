"""What Spark keeps of a plan's processor: its state, and the rest as bytes until there are rows.

When a query starts, Spark runs a process at the driver only to hear which state there is. That process need not load
all that a plan is made of, which would take it seconds: this module goes to it by value, and imports nothing of ours.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from pyspark import TaskContext, cloudpickle
from pyspark.sql.streaming.stateful_processor import StatefulProcessor
from pyspark.sql.types import BinaryType, LongType, StringType, StructType

if TYPE_CHECKING:
    import pandas as pd

    from slackwater.spark.processor import BucketProcessor

cloudpickle.register_pickle_by_value(sys.modules[__name__])  # type: ignore[no-untyped-call]

# Not as text: Python would ask the JVM to parse each of them, in every task of every micro-batch.
_ENTRY = StructType().add("body", StringType())
_NUMBER = StructType().add("number", LongType())
_CHUNK = StructType().add("body", BinaryType())


class Shell(StatefulProcessor):
    """Runs a processor, which is unpacked in the tasks."""

    def __init__(self, processor: BucketProcessor) -> None:
        self._body = cloudpickle.dumps(processor)  # type: ignore[no-untyped-call]
        self._maps = processor.maps

    def init(self, handle: Any) -> None:
        """Open the state; in a task, for the processor."""
        if TaskContext.get() is None:
            open_state(handle, self._maps)
        else:
            self._inner: BucketProcessor = cloudpickle.loads(self._body)
            self._inner.init(handle)

    def handleInputRows(self, key: Any, rows: Iterator[Any], timerValues: Any) -> Iterator[pd.DataFrame]:
        """Let the processor do it."""
        return self._inner.handleInputRows(key, rows, timerValues)

    def handleExpiredTimer(self, key: Any, timerValues: Any, expiredTimerInfo: Any) -> Iterator[pd.DataFrame]:
        """Let the processor do it."""
        return self._inner.handleExpiredTimer(key, timerValues, expiredTimerInfo)

    def close(self) -> None:
        """Nothing to close."""


def open_state(handle: Any, maps: Sequence[str]) -> tuple[Any, list[Any]]:
    """Open one value with everything small, and maps of numbered chunks."""
    meta = handle.getValueState("meta", _ENTRY)
    return meta, [handle.getMapState(name, _NUMBER, _CHUNK) for name in maps]
