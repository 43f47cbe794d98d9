"""Shares dropped, counted again by SQL; and the slack that hindsight would have chosen."""

from __future__ import annotations

import duckdb
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from slackwater.core.arrivals import Arrivals
from slackwater.core.event_needs import slack_needed
from slackwater.errors import ParameterError
from slackwater.events import Events
from slackwater.quality.drop_ratio import dropped_by_period, drops, measured_at, smallest_slack

SQL = """
    SELECT coalesce(avg(late::int), 0)
    FROM measured LEFT JOIN events ON clock >= instant - {period} AND clock < instant GROUP BY instant ORDER BY instant
"""
EVENTS = st.lists(st.tuples(st.integers(0, 3), st.booleans()), min_size=1, max_size=80)


@settings(deadline=None)
@given(EVENTS, st.integers(1, 12), st.integers(1, 5))
def test_the_share_of_each_period_is_that_of_sql(pairs, period, every):
    clock, late = np.cumsum([gap for gap, _ in pairs]), np.array([each for _, each in pairs])
    at = measured_at(clock, period, every)
    with duckdb.connect() as sql:
        sql.register("events", pa.table({"clock": clock, "late": late}))
        sql.register("measured", pa.table({"instant": at}))
        rows = sql.execute(SQL.format(period=period)).fetchall()
    assert [share for (share,) in rows] == pytest.approx(dropped_by_period(at, clock, late, period).tolist())


@settings(deadline=None)
@given(
    st.lists(st.integers(0, 9), min_size=12, max_size=60),
    st.sampled_from([0.01, 0.1, 0.25, 0.5]),
    st.sampled_from([0.5, 0.9, 1.0]),
)
def test_hindsight_is_the_smallest_constant_that_keeps_its_share_of_the_periods(back, target, share):
    times = np.arange(len(back)) - np.array(back)
    arrivals = Arrivals.after(None, Events.of(times))
    needed = slack_needed(arrivals)
    measure = {"period": 6, "every": 2, "target": target}
    found = smallest_slack(arrivals.clock, needed, **measure, share=share)
    if found is None:
        assert 0 == drops(arrivals.clock, needed > 0, **measure).measurements
    else:
        kept = [drops(arrivals.clock, needed > slack, **measure).kept >= share for slack in range(11)]
        assert kept.index(True) == found


@given(
    st.lists(st.integers(0, 3) | st.integers(0, 60), min_size=1, max_size=40),
    st.integers(-50, 50),
    st.integers(1, 15),
    st.integers(1, 20),
)
def test_every_period_with_an_event_is_measured_and_no_other(gaps, start, period, every):
    clock = start + np.cumsum(gaps)
    ends = range(int(clock[0]) + period, int(clock[-1]) + 1, every)
    occupied = [end for end in ends if ((clock >= end - period) & (clock < end)).any()]
    assert occupied == measured_at(clock, period, every).tolist()


def test_a_share_equal_to_the_target_is_kept():
    clock = np.arange(101)
    assert 1.0 == drops(clock, clock % 100 < 7, period=100, every=100, target=0.07).kept


def test_a_stream_shorter_than_a_period_has_nothing_to_be_measured():
    assert 0 == drops(np.arange(5), np.zeros(5, bool), period=10, every=1, target=0.1).measurements


def test_a_share_of_no_periods_is_refused():
    with pytest.raises(ParameterError, match="share must be > 0 and <= 1"):
        smallest_slack(np.arange(9), np.zeros(9, np.int64), period=2, every=1, target=0.1, share=0)


def test_a_silence_is_not_measured():
    clock = np.append(np.arange(20), 100_000)
    assert 2 == drops(clock, np.zeros(21, bool), period=10, every=10, target=0.1).measurements


def test_a_row_long_before_all_others_costs_no_more_than_another():
    year = 365 * 86_400_000_000
    clock = np.concatenate(([0], 53 * year + np.arange(200) * 1_000_000))
    at = measured_at(clock, period=60_000_000, every=1_000)
    assert (1 + 199_000, 60_000_000) == (len(at), at[0])
