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


# Not as text, which Spark's parser would be asked about each time that state is opened.
_COLUMNS = ("body", StringType()), ("number", LongType()), ("body", BinaryType())


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
    text, number, body = (StructType().add(*column) for column in _COLUMNS)
    meta = handle.getValueState("meta", text)
    return meta, [handle.getMapState(name, number, body) for name in maps]
