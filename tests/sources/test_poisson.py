from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from slackwater.errors import ParameterError
from slackwater.sources import delays_of, poisson, poisson_changing
from slackwater.sources.dataset import event_times_of


def travel(table: pa.Table) -> np.ndarray:
    return table["arrival_time"].cast(pa.int64()).to_numpy() - event_times_of(table)


def test_gaps_between_events_are_exponential_with_mean_100_us():
    gaps = np.diff(np.sort(event_times_of(poisson(duration="10 seconds").streams["s"])))
    assert pytest.approx(100, rel=0.02) == gaps.mean()
    assert pytest.approx(100, rel=0.02) == gaps.std()


def test_gaps_between_arrivals_are_exponential_too():
    arrivals = poisson(duration="10 seconds").streams["s"]["arrival_time"].cast(pa.int64()).to_numpy()
    assert pytest.approx(100, rel=0.02) == np.diff(arrivals).std()


@pytest.mark.parametrize("deviation", [1, 5])
def test_network_delays_have_the_given_mean_and_deviation(deviation):
    table = poisson(mean="6 ms", deviation=f"{deviation} ms", duration="5 seconds").streams["s"]
    assert pytest.approx(6_000, abs=100) == travel(table).mean()
    assert pytest.approx(1_000 * deviation, rel=0.02) == travel(table).std()


def test_negative_delays_are_kept():
    assert travel(poisson(mean="0 ms", duration="1 second").streams["s"]).min() < 0


def test_measured_delays_do_not_depend_on_the_mean():
    low, high = (poisson(mean=mean, duration="2 seconds").streams["s"] for mean in ("0 ms", "6 ms"))
    assert np.array_equal(delays_of(low), delays_of(high))


@pytest.mark.parametrize("every", [1, 3, 5])
def test_parameters_change_every_given_time_and_only_then(every):
    table = poisson_changing(every=f"{every} seconds", duration="30 seconds").streams["s"]
    second = (event_times_of(table) - event_times_of(table).min()) // 1_000_000
    means = np.array([travel(table)[second == number].mean() for number in range(30)])
    deviations = np.array([travel(table)[second == number].std() for number in range(30)])
    assert means.min() > -200
    assert means.max() < 6_200
    assert deviations.max() < 5_200
    same = np.abs(np.diff(means)) < 5 * deviations[1:] / 100 + 20  # five standard errors: 10,000 events per second
    assert 30 / every - 1 == pytest.approx(np.count_nonzero(~same), abs=2)


def test_rate_zero_is_refused():
    with pytest.raises(ParameterError, match="rate must be > 0"):
        poisson(rate=0)
