"""`sw.with_watermark`: a contract in the place of the delay of Spark's `withWatermark`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from slackwater.api import is_spark, reorder, stream
from slackwater.errors import ParameterError

if TYPE_CHECKING:
    from slackwater.contracts import Contract


_TIE = "1 millisecond"  # Spark drops rows at its watermark too, and equal times may come in two batches


def with_watermark(rows: Any, event_time: str, contract: Contract | None = None, **columns: Any) -> Any:
    """Put a contract in the place of a guess: `rows.withWatermark("ts", "10 minutes")` becomes this, in one line.

    Rows leave in event-time order as soon as the contract allows, with all their columns and the watermark that this
    gives them, so that every operator of Spark can follow: windows, joins, `dropDuplicatesWithinWatermark`. What the
    contract gives up on is counted (`sw.monitor`), but goes nowhere; where late rows are wanted, or are to be written
    exactly once, use `sw.reorder` and its `start`. A bounded DataFrame is put in order too.

    Args:
        rows: a Spark DataFrame without a watermark of its own.
        event_time: the column that says when a row happened: a timestamp.
        contract: such as `sw.DropRatio(0.01)`: at most 1 % of the rows come too late, in every minute.
        columns: what else `sw.stream` takes, such as `arrival="offset"` or `idle_after="10 seconds"`.

    `sw.with_watermark(rows, "ts", sw.DropRatio(0.01)).groupBy(F.window("ts", "5 minutes"), "line").count()`
    """
    if not is_spark(rows):
        remedy = "sw.reorder puts other frames in order"
        raise ParameterError("rows", type(rows).__name__, must="be a Spark DataFrame", remedy=remedy)
    _check_no_watermark(rows)
    ordered = reorder(stream(rows, event_time=event_time, **columns), contract=contract)
    return ordered.results.withWatermark(event_time, _TIE)


def _check_no_watermark(rows: Any) -> None:
    from slackwater.spark.session import watermarked

    if found := watermarked(rows):
        raise ParameterError(
            "rows",
            f"a watermark on {', '.join(found)}",
            must="have no watermark of their own: Spark allows one in a query",
            remedy="leave their withWatermark out",
        )
