"""The delay that Spark's own watermark would need: its filter is another one than ours.

Spark drops a row if `event_time <= watermark`, where the watermark is that of an earlier batch: largest event time -
delay, in whole milliseconds. Were every row a batch of its own, that would be the clock before the row, and no other
batches can drop more. Longer ones drop less, and add to the wait instead.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from slackwater.time import has_no_place, is_dropped_by_spark

if TYPE_CHECKING:
    from slackwater.time import Times

_MILLISECOND = 1_000


def spark_delay_needed(event_time: Times, clock_before: Times) -> Times:
    """Return the smallest watermark delay, in us, with which Spark does not drop each row; 0 where any does.

    Spark's watermark is in whole milliseconds, and a row *at* the watermark is dropped.

    >>> spark_delay_needed(np.array([5_000, 4_500, 9_000]), np.array([4_000, 5_000, 9_000])).tolist()
    [0, 1000, 1000]
    """
    watermark = clock_before // _MILLISECOND * _MILLISECOND
    behind = watermark - event_time
    dropped = ~has_no_place(clock_before) & is_dropped_by_spark(event_time, watermark)
    needed: Times = np.where(dropped, (behind // _MILLISECOND + 1) * _MILLISECOND, 0)
    return needed


def watermark_text(delay: int) -> str:
    """Write a delay in us as Spark reads intervals.

    >>> watermark_text(90_000_000), watermark_text(1_500_000)
    ('90 seconds', '1500 milliseconds')
    """
    if delay % 1_000_000 == 0:
        return f"{delay // 1_000_000} seconds"
    return f"{-(-delay // _MILLISECOND)} milliseconds"
