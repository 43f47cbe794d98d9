from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from slackwater.errors import ParameterError
from slackwater.sources import delays_of, traffic
from slackwater.sources.dataset import event_times_of
from slackwater.sources.traffic import _one_after_another


def lag(table: pa.Table) -> np.ndarray:
    return table["arrival_time"].cast(pa.int64()).to_numpy() - event_times_of(table)


def test_both_sources_send_500_reports_per_second():
    city = traffic(duration="10 seconds")
    assert [5_000, 5_000] == [table.num_rows for table in city.streams.values()]


def test_city_rates_are_those_of_911_buses_and_3504_sensors():
    city = traffic(rates=(911 / 20, 3_504 / 60), duration="60 seconds", policy="none").streams
    assert [911 * 3, 3_504] == [table.num_rows for table in city.values()]
    assert 911 == len(city["bus"]["bus"].unique())
    assert 3_504 == len(city["scats"]["sensor"].unique())


@pytest.mark.parametrize("policy", ["periodic", "growing", "none"])
def test_each_source_alone_is_in_order(policy):
    for table in traffic(policy=policy, duration="70 seconds").streams.values():
        assert 0 == delays_of(table).max()


def test_periodic_policy_puts_buses_6_to_7_seconds_behind_and_lets_them_catch_up():
    buses = traffic(duration="140 seconds").streams["bus"]
    assert 5.5e6 < lag(buses)[:35_000].max() < 7.5e6
    assert lag(buses)[33_000:35_000].max() < 5_000
    assert 5.5e6 < lag(buses)[35_000:].max() < 7.5e6


def test_growing_policy_adds_one_millisecond_per_report():
    assert (np.diff(lag(traffic(policy="growing", duration="5 seconds").streams["bus"])) == 1_000).all()


def test_growing_lag_reaches_the_deadline_of_35_seconds_after_100_seconds():
    buses = traffic(policy="growing", duration="100 seconds").streams["bus"]
    arrivals = buses["arrival_time"].cast(pa.int64()).to_numpy()
    reached = np.argmax(lag(buses) >= 35_000_000)
    assert pytest.approx(105e6, rel=0.01) == arrivals[reached] - event_times_of(buses)[0]


def test_merged_streams_are_out_of_order():
    assert np.count_nonzero(delays_of(traffic(duration="70 seconds").merged())) > 5_000


def test_waits_in_a_row_follow_the_recurrence():
    random = np.random.default_rng(5)
    moments, waits = np.cumsum(random.integers(0, 5, 200)), random.integers(0, 6, 200)
    expected, through = [], 0
    for moment, wait in zip(moments, waits, strict=True):
        through = max(moment, through) + wait
        expected.append(through)
    assert expected == _one_after_another(moments, waits).tolist()


def test_congested_areas_have_late_buses_and_much_flow():
    city = traffic(rates=(100, 100), duration="900 seconds", policy="none").streams
    late, flow = (
        table.group_by("area").aggregate([(column, "mean")]).sort_by("area")[f"{column}_mean"].to_numpy()
        for table, column in (
            (city["bus"].slice(0, 3_000), "delay"),
            (city["scats"].slice(0, 3_000), "flow"),
        )
    )
    assert np.corrcoef(late, flow)[0, 1] > 0.5


def test_unknown_policy_is_refused():
    with pytest.raises(ParameterError, match="periodic, growing, none"):
        traffic(policy="random")
