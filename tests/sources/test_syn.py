from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from slackwater.sources import delays_of, syn3, syn4
from slackwater.sources.dataset import event_times_of


@pytest.fixture(scope="module")
def three():
    return syn3()


def given_delays(table: pa.Table) -> np.ndarray:
    return table["arrival_time"].cast(pa.int64()).to_numpy() - event_times_of(table)


def test_thirty_minutes_have_100_events_per_second_and_stream(three):
    assert [180_000] * 3 == [table.num_rows for table in three.streams.values()]


def test_given_delays_are_multiples_of_100_ms_up_to_20_seconds(three):
    delays = given_delays(three.streams["s1"])
    assert 0 == (delays % 100_000).max()
    assert (0, 20_000_000) == (delays.min(), delays.max())


@pytest.mark.parametrize(("stream", "skew"), [("s1", 2.0), ("s2", 3.0), ("s3", 3.0)])
def test_share_of_undelayed_events_follows_the_skew(three, stream, skew):
    expected = 1 / (np.arange(1, 202) ** -skew).sum()
    assert pytest.approx(expected, abs=0.005) == np.mean(given_delays(three.streams[stream]) == 0)


def test_fourth_stream_of_syn4_has_skew_four():
    delays = given_delays(syn4(duration="10 minutes").streams["s4"])
    assert pytest.approx(1 / (np.arange(1, 202) ** -4.0).sum(), abs=0.005) == np.mean(delays == 0)


def test_measured_delay_is_at_most_the_given_one(three):
    for table in three.streams.values():
        assert (delays_of(table) <= given_delays(table)).all()


def test_streams_take_turns(three):
    assert [0, 1, 2] * 5 == three.merged()["stream"].to_pylist()[:15]


def test_first_events_are_around_the_start_of_the_document(three):
    assert 1_000_010_000 == three.streams["s1"]["arrival_time"].cast(pa.int64())[0].as_py()


def test_keys_start_with_skew_one(three):
    first_minute = three.streams["s1"]["a1"].to_numpy()[:6_000]
    assert pytest.approx(1 / (1 / np.arange(1, 101)).sum(), abs=0.02) == np.mean(first_minute == 1)


def test_skew_of_the_keys_changes_with_time(three):
    minutes = three.streams["s1"]["a1"].to_numpy().reshape(30, 6_000)
    assert np.ptp((minutes == 1).mean(axis=1)) > 0.2


def test_keys_are_in_1_to_100(three):
    keys = three.streams["s2"]["a1"].to_numpy()
    assert 1 <= keys.min()
    assert keys.max() <= 100
