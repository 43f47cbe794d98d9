"""How many rows Spark sends to Python at a time, without asking after each of them how many bytes there are by now.

Before each row that it writes for Python, Spark adds up the bytes of all columns, so as to end a batch of Arrow's at 64
MB. That takes as long as all the rest of the way to Python. It leaves it out where there is no limit of bytes, and
counts rows alone. Rows of a stream can do with that where each of them surely is small. Packets, which the stateful
operator gets the same way, are not: so each is followed by rows that say nothing (*fillers*), as many as its bytes are
worth, and the limit of rows is one of bytes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from pyspark.sql.types import (
    AnsiIntervalType,
    BooleanType,
    DataType,
    DateType,
    NumericType,
    TimestampNTZType,
    TimestampType,
)

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

ROWS = "spark.sql.execution.arrow.maxRecordsPerBatch"
BYTES = "spark.sql.execution.arrow.maxBytesPerBatch"
UNLIMITED = str(2**31 - 1)  # the one number for which Spark does not look
MOST_ROWS = 16_384
MOST_BYTES = 128 * 1024 * 1024  # of a batch
_USUAL_ROWS = 10_000  # where a session says nothing
_WIDEST = 16  # bytes of a value: a decimal
_SMALL: tuple[type[DataType], ...] = (
    NumericType,
    BooleanType,
    DateType,
    TimestampType,
    TimestampNTZType,
    AnsiIntervalType,
)


def for_arrow(frames: Sequence[DataFrame], rows: str | None) -> Mapping[str, str]:
    """Return the settings for a query over frames; none where rows may be large. `rows` is what its session says.

    Functions of users in Python that come before ours keep what they have.
    """
    if not all(map(has_small_rows, frames)) or any(map(runs_python, frames)):
        return {}
    given = int(rows or _USUAL_ROWS)
    return {ROWS: str(min(given, MOST_ROWS) if given > 0 else MOST_ROWS), BYTES: UNLIMITED}


def has_small_rows(frame: DataFrame) -> bool:
    """Whether as many rows as are sent at a time surely are few bytes: numbers and times alone."""
    kinds = [column.dataType for column in frame.schema]
    return all(isinstance(kind, _SMALL) for kind in kinds) and len(kinds) * _WIDEST * MOST_ROWS < MOST_BYTES


def runs_python(frame: DataFrame) -> bool:
    """Whether functions in Python are among what a frame is made of."""
    plan, trees = frame._jdf.queryExecution().analyzed(), "org.apache.spark.sql.catalyst.trees.TreePattern"
    pattern = getattr(frame.sparkSession._jvm, trees).PYTHON_UDF()
    return bool(plan.containsPattern(pattern))


def fillers_of_bytes() -> int | None:
    """Return of how many bytes a packet has one filler in this task; None where Spark looks at bytes itself."""
    from pyspark import TaskContext

    context = TaskContext.get()
    if context is None or context.getLocalProperty(BYTES) != UNLIMITED:
        return None
    return MOST_BYTES // max(int(context.getLocalProperty(ROWS) or _USUAL_ROWS), 1)
