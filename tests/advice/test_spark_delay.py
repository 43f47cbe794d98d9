from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from slackwater.advice.spark_delay import spark_delay_needed
from slackwater.core.arrivals import Arrivals
from slackwater.events import Events


def dropped_by_spark(times: list[int], delay_ms: int) -> list[bool]:
    """What Spark's filter does, each row a batch: times in us, its watermark in whole ms."""
    largest, dropped = None, []
    for time in times:
        dropped.append(largest is not None and time <= (largest // 1_000 - delay_ms) * 1_000)
        largest = time if largest is None else max(largest, time)
    return dropped


@settings(deadline=None)
@given(st.lists(st.integers(0, 9_000), min_size=1, max_size=25), st.integers(0, 9))
def test_spark_drops_a_row_exactly_if_the_delay_is_less_than_it_needs(times, delay_ms):
    arrivals = Arrivals.after(None, Events.of(times))
    needed = spark_delay_needed(np.array(times), arrivals.before)
    assert dropped_by_spark(times, delay_ms) == (needed > delay_ms * 1_000).tolist()
