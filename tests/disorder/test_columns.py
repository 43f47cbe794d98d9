"""What a profile makes of columns that are not what they should be."""

from __future__ import annotations

import datetime as dt

import pandas as pd
import pyarrow as pa
import pytest

import slackwater as sw
from slackwater.errors import ColumnError, ParameterError

NOON = dt.datetime(2024, 5, 1, 12, tzinfo=dt.UTC)


def of(times, **options):
    return sw.profile(pa.table({"ts": times}), event_time="ts", **options)


@pytest.mark.parametrize(("unit", "factor"), [("s", 1), ("ms", 10**3), ("us", 10**6), ("ns", 10**9)])
def test_the_unit_of_integers_is_guessed_from_the_first(unit, factor):
    found = of([None, 1_700_000_005 * factor, 1_700_000_000 * factor])
    assert (unit, True, 5_000_000) == (found.subject.unit, found.subject.unit_is_guessed, found.delays.largest)


def test_a_unit_that_cannot_be_guessed_is_asked_for():
    with pytest.raises(ColumnError, match=r"first value 5 is a time from 1990 to 2100 in none; say the unit"):
        of([5, 6])


def test_a_missing_column_names_the_nearest():
    with pytest.raises(ColumnError, match="column 'tss' does not exist; did you mean ts"):
        sw.profile(pa.table({"ts": [1], "x": [1]}), event_time="tss")


def test_an_unknown_unit_is_refused():
    with pytest.raises(ParameterError, match="unit must be"):
        of([1], unit="minutes")


def test_nulls_are_counted_and_have_no_delay():
    found = of(pa.array([None, 3, None, 1]), unit="s")
    assert (4, 2, 2) == (found.rows, found.nulls, found.delays.events)


def test_a_column_of_nulls_alone_is_all_counted():
    found = of(pa.nulls(3))
    assert (3, 3, None) == (found.rows, found.nulls, found.first)
    assert "3 without a time" in found.table()


def test_no_rows_are_said_to_be_none():
    found = of(pa.array([], pa.int64()))
    assert "frame: no rows, nothing to profile." == found.table()


def test_text_that_looks_like_a_time_says_how_to_read_it():
    with pytest.raises(
        ColumnError, match=r"is text, such as '2024-05-01T08:00:00Z'; it looks like a time: say --parse"
    ):
        of(["2024-05-01T08:00:00Z"])


def test_other_text_says_what_a_time_is():
    with pytest.raises(ColumnError, match=r"is text, such as 'noon'; cast it to a timestamp"):
        of(["noon"])


def test_text_is_read_where_that_is_asked_for():
    found = of(["2024-05-01T10:00:05.123456789+02:00", None, "2024-05-01T08:00:00Z"], parse=True)
    assert (1, 5_123_456) == (found.nulls, found.delays.largest)


def test_text_with_and_without_a_time_zone_is_refused():
    with pytest.raises(ColumnError, match="is text that is not all times of one kind"):
        of(["2024-05-01T08:00:00Z", "2024-05-01T08:00:00"], parse=True)


def test_times_of_any_zone_are_the_same_moments():
    zoned = pd.DataFrame({"ts": pd.to_datetime([NOON, NOON - dt.timedelta(seconds=1)]).tz_convert("Asia/Kolkata")})
    found = sw.profile(zoned, event_time="ts")
    assert (1_714_564_800_000_000, 1_000_000) == (found.last, found.delays.largest)


def test_floats_are_no_times():
    with pytest.raises(ColumnError, match="is double, not a time"):
        of([1.5])


def test_rows_are_put_in_arrival_order():
    table = pa.table({"ts": [3, 1, 2], "seq": [3, 1, 2]})
    assert 0 == sw.profile(table, event_time="ts", unit="s", arrival="seq").delays.out_of_order


def test_a_null_arrival_is_refused():
    table = pa.table({"ts": [3, 1], "seq": [3, None]})
    with pytest.raises(ColumnError, match="every row must say when it arrived"):
        sw.profile(table, event_time="ts", unit="s", arrival="seq")


def test_a_key_of_several_values_is_refused():
    with pytest.raises(ColumnError, match="name a column of single values"):
        sw.profile(pa.table({"ts": [1], "k": [[1]]}), event_time="ts", unit="s", by="k")


def test_one_column_may_be_key_and_stream_and_arrival():
    table = pa.table({"ts": [2, 1], "k": [1, 2]})
    found = sw.profile(table, event_time="ts", unit="s", by="k", stream="k", arrival="k")
    assert {"1", "2"} == {part.name for part in found.keys} == {part.name for part in found.streams}


def test_equal_rows_have_equal_profiles():
    assert of([2, 1], unit="s") == of([2, 1], unit="s")
    assert of([2, 1], unit="s") != of([1, 2], unit="s")


def test_times_at_the_ends_of_time_can_be_shown():
    ends = pa.array([-62_135_596_800_000_000, 253_402_300_799_999_999])
    assert "9999-12-31" in of(ends, unit="us", max_ahead=None).table()


def test_the_repr_is_one_line():
    assert "<DisorderProfile of frame: 2 rows, 50.0% out of order, at most 1 s>" == repr(of([2, 1], unit="s"))
