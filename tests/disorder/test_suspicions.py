from __future__ import annotations

import datetime as dt

import numpy as np
import pyarrow as pa
import pytest

import slackwater as sw

NOON = 1_714_564_800  # in seconds
HOUR = 3_600


def suspicions(columns, **options) -> str:
    return " | ".join(sw.profile(pa.table(columns), event_time="ts", **options).suspicions)


def test_seconds_read_as_milliseconds_are_found():
    assert "a thousand times as much would be from 2024-05-01" in suspicions({"ts": [NOON, NOON + 1]}, unit="ms")


def test_milliseconds_read_as_seconds_are_from_the_future():
    found = sw.profile(pa.table({"ts": [NOON * 1_000]}), event_time="ts", unit="s")
    assert (1, 0) == (found.future, found.delays.events)
    assert "1 rows claim a time past" in found.suspicions[0]


def test_a_stream_in_another_unit_than_the_others_is_named():
    columns = {"ts": [NOON * 1_000, NOON, NOON * 1_000 + 5, NOON + 1], "s": ["a", "b", "a", "b"]}
    assert "event times of b lie from 1970-01-20" in suspicions(columns, unit="ms", stream="s")


def test_a_stream_an_hour_behind_the_others_is_a_matter_of_time_zones():
    times = np.repeat(NOON + np.arange(500), 2) - np.tile([0, HOUR], 500)
    found = suspicions({"ts": times, "s": ["a", "b"] * 500}, unit="s", stream="s")
    assert "the clock of b is behind that of all by about 1" in found
    assert "a time zone of 1 hour?" in found


def test_one_clock_from_the_future_is_found_by_what_it_leaves_behind():
    times = [NOON, NOON + 1, NOON + 30 * HOUR, *(NOON + 2 + np.arange(100))]
    assert "the clock jumped by 1.25 d" in suspicions({"ts": times}, unit="s")


def test_rows_that_arrive_before_they_happen_are_counted():
    start = dt.datetime(2024, 5, 1, 12, tzinfo=dt.UTC)
    columns = {"ts": [start, start], "at": [start + dt.timedelta(seconds=1), start - dt.timedelta(seconds=9)]}
    assert "1 rows arrived before they happened, by up to 9 s" in suspicions(columns, arrival="at")


def test_rows_far_past_their_arrival_leave_the_clock_alone():
    start = dt.datetime(2020, 5, 1, 12, tzinfo=dt.UTC)
    table = pa.table({"ts": [start + dt.timedelta(days=9), start], "at": [start, start]})
    found = sw.profile(table, event_time="ts", arrival="at")
    assert (1, 0) == (found.future, found.delays.largest)


def test_every_row_an_hour_late_is_suspicious():
    start = dt.datetime(2024, 5, 1, 12, tzinfo=dt.UTC)
    times = [start + dt.timedelta(seconds=each) for each in range(3)]
    columns = {"ts": times, "at": [each + dt.timedelta(hours=2, seconds=3) for each in times]}
    assert "at least 2 h after it happened: a time zone of 2 hours?" in suspicions(columns, arrival="at")


def test_a_clock_that_stands_still_is_named():
    assert "all 3 events have the same time" in suspicions({"ts": [NOON] * 3}, unit="s")


@pytest.mark.parametrize("times", [[1, 2, 3], [NOON, NOON + 2, NOON + 1]])
def test_nothing_is_suspicious_about_a_plain_stream(times):
    assert "" == suspicions({"ts": times}, unit="s")
