from __future__ import annotations

import numpy as np
import pyarrow as pa

from slackwater.sources.dataset import delays_of, event_times_of
from slackwater.sources.step import step


def thirds(values: np.ndarray) -> list[np.ndarray]:
    return np.array_split(values, 3)


def behind(table: pa.Table) -> np.ndarray:
    late = table["arrival_time"].cast(pa.int64()).to_numpy() - event_times_of(table)
    return late[np.argsort(event_times_of(table), kind="stable")]


def test_delays_are_ten_times_as_long_in_the_middle_third():
    means = [part.mean() for part in thirds(behind(step(duration="60 seconds").streams["left"]))]
    assert [20, 200, 20] == [round(mean / 1_000, -1) for mean in means]


def test_with_a_lag_only_the_second_stream_is_behind():
    left, right = step(lag="1 second", duration="90 seconds").streams.values()
    assert 0 == behind(left).max()
    assert [1.0, 10.0] == [float(np.median(part)) / 1e6 for part in thirds(behind(right))[:2]]


def test_with_a_lag_each_stream_is_in_order():
    assert [0, 0] == [delays_of(table).max() for table in step(lag="1 second").streams.values()]


def test_the_same_seed_gives_the_same_streams():
    assert step(seed=3, duration="6 seconds").streams["left"] == step(seed=3, duration="6 seconds").streams["left"]
