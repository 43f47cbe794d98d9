from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from slackwater.errors import ParameterError
from slackwater.sources import delays_of, freeway
from slackwater.sources.dataset import event_times_of


@pytest.fixture(scope="module")
def reports():
    return freeway().streams["detectors"]


def test_a_report_comes_every_20_seconds(reports):
    assert {20_000_000} == set(np.diff(event_times_of(reports)).tolist())


def test_six_reports_in_two_minutes():
    assert 6 == freeway(duration="2 minutes").rows


def test_reports_arrive_up_to_20_seconds_late(reports):
    late = reports["arrival_time"].cast(pa.int64()).to_numpy() - event_times_of(reports)
    assert 0 <= late.min()
    assert 19_000_000 < late.max() <= 20_000_000


def test_one_detector_stays_in_order(reports):
    assert 0 == delays_of(reports).max()


def test_many_detectors_do_not_stay_in_order():
    delays = delays_of(freeway(detectors=10, duration="1 hour").streams["detectors"])
    assert np.mean(delays > 0) > 0.2
    assert delays.max() <= 20_000_000


def test_rush_hour_is_fuller_and_slower_than_night(reports):
    hour = event_times_of(reports) // 3_600_000_000 % 24
    volume, speed = reports["volume"].to_numpy(), reports["speed"].to_numpy()
    assert volume[hour == 8].mean() > 2 * volume[hour == 2].mean()
    assert speed[hour == 8].mean() < speed[hour == 2].mean() - 20


def test_no_detector_is_refused():
    with pytest.raises(ParameterError, match="detectors must be >= 1"):
        freeway(detectors=0)


def test_a_burst_delivers_all_reports_of_its_minute_at_once():
    reports = freeway(detectors=100, bursts=2, duration="2 hours").streams["detectors"]
    together = np.unique(reports["arrival_time"].cast(pa.int64()).to_numpy(), return_counts=True)[1]
    assert 250 < together.max() <= 320


def test_without_bursts_reports_come_apart():
    reports = freeway(detectors=100, duration="2 hours").streams["detectors"]
    assert 3 > np.unique(reports["arrival_time"].cast(pa.int64()).to_numpy(), return_counts=True)[1].max()


@pytest.mark.parametrize("arrivals", ["normal", "drifting", "skewed"])
def test_delays_of_every_shape_are_around_the_usual_one(arrivals):
    reports = freeway(detectors=20, arrivals=arrivals, duration="6 hours").streams["detectors"]
    late = reports["arrival_time"].cast(pa.int64()).to_numpy() - event_times_of(reports)
    assert 0 <= late.min()
    assert 10e6 < late.mean() < 25e6


def test_an_unknown_shape_is_refused():
    with pytest.raises(ParameterError, match="arrivals must be known"):
        freeway(arrivals="sideways")


def test_a_sum_over_ten_minutes_has_thirty_reports():
    times = event_times_of(freeway(duration="1 hour").streams["detectors"])
    assert {30} == set(np.unique((times - times[0]) // 600_000_000, return_counts=True)[1].tolist())
