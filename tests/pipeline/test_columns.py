"""From tables to columns and back."""

from __future__ import annotations

import datetime as dt

import numpy as np
import pyarrow as pa
import pytest

from slackwater.contracts import NoSlack
from slackwater.core.late import LatePolicy
from slackwater.errors import ColumnError
from slackwater.events import Events, Late, Reason
from slackwater.pipeline.columns import late_table, read_batch, read_times, released_table
from slackwater.plan.nodes import ReorderNode, StreamNode
from slackwater.time import MAX_TIME, MIN_TIME

MOMENT = dt.datetime(2024, 2, 29, 12, 30, 15, tzinfo=dt.UTC)
MICROS = 1_709_209_815_000_000
LONGEST, SHORTEST = np.iinfo(np.int64).max, np.iinfo(np.int64).min


def micros(values, kind: pa.DataType, unit=None) -> list[int]:
    node = StreamNode(name="bus", event_time="ts", unit=unit)
    times, _ = read_times(node, "ts", pa.chunked_array([pa.array(values, kind)]))
    return times.tolist()


def batch(unit="s", **columns):
    given = {name: name for name in ("arrival", "arrival_time") if name in columns}
    return read_batch(StreamNode(name="bus", event_time="ts", unit=unit, **given), pa.table(columns), processing_time=0)


@pytest.mark.parametrize("zone", [None, "UTC", "America/New_York"])
@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
def test_timestamps_of_every_unit_and_zone_are_the_same_moment(unit, zone):
    moment = MOMENT if zone else MOMENT.replace(tzinfo=None)
    assert [MICROS] == micros([moment], pa.timestamp(unit, tz=zone))


@pytest.mark.parametrize("kind", [pa.date32(), pa.date64()], ids=str)
def test_a_date_is_its_midnight_in_utc(kind):
    assert [86_400_000_000, -86_400_000_000] == micros([dt.date(1970, 1, 2), dt.date(1969, 12, 31)], kind)


@pytest.mark.parametrize(("unit", "expected"), [("s", 7_000_000), ("ms", 7_000), ("us", 7), ("ns", 0)])
@pytest.mark.parametrize("kind", [pa.int8(), pa.int32(), pa.int64(), pa.uint8(), pa.uint64()], ids=str)
def test_integers_count_in_their_unit(kind, unit, expected):
    assert [expected] == micros([7], kind, unit)


@pytest.mark.parametrize("values", [pa.array([-1, 999, 1_000]), pa.array([-1, 999, 1_000], pa.timestamp("ns"))])
def test_nanoseconds_are_rounded_down(values):
    assert [-1, 0, 1] == micros(values, values.type, "ns")


@pytest.mark.parametrize("unit", ["s", "ms", "us"])
def test_integers_too_large_for_a_time_do_not_wrap_around(unit):
    low, high = micros([SHORTEST, LONGEST], pa.int64(), unit)
    assert (True, True) == (low < MIN_TIME, high > MAX_TIME)


@pytest.mark.parametrize("unit", ["s", "ms"])
def test_timestamps_too_large_for_a_time_do_not_wrap_around(unit):
    low, high = micros([-(2**62), 2**62], pa.timestamp(unit), unit)
    assert (True, True) == (low < MIN_TIME, high > MAX_TIME)


def test_unsigned_integers_do_not_become_negative():
    assert micros([2**64 - 1], pa.uint64(), "us")[0] > MAX_TIME


def test_dates_too_large_for_a_time_do_not_wrap_around():
    days = pa.array([2**31 - 1], pa.int32()).cast(pa.date32())
    assert micros(days, pa.date32())[0] > MAX_TIME


def test_integers_without_a_unit_are_refused():
    with pytest.raises(ColumnError, match="column 'ts' is int64 and has no unit"):
        micros([7], pa.int64())


@pytest.mark.parametrize("values", [["noon"], [1.5], [True], [dt.time(12)], [None]], ids=repr)
def test_what_is_no_time_is_refused(values):
    with pytest.raises(ColumnError, match="not a time; cast it"):
        micros(values, pa.array(values).type, "s")


def test_nulls_have_no_time():
    assert [True, False] == batch(ts=[5, None]).has_time.tolist()


def test_without_nulls_there_is_no_mask():
    assert batch(ts=[5, 6]).has_time is None


def test_rows_arrive_in_the_order_of_the_table():
    assert [0, 1, 2] == batch(ts=[5, 3, 4]).events.arrival.tolist()


def test_an_arrival_column_orders_the_rows():
    events = batch(ts=[5, 3, 4], arrival=[2, 0, 1]).events
    assert ([3, 4, 5], [1, 2, 0]) == ((events.time // 1_000_000).tolist(), events.row.tolist())


def test_rows_of_equal_arrival_keep_the_order_of_the_table():
    assert [2, 0, 1] == batch(ts=[5, 3, 4], arrival=[7, 7, 1]).events.row.tolist()


def test_timestamps_order_arrivals_to_the_nanosecond():
    arrival = pa.array([1, 0], pa.timestamp("ns"))
    assert [1, 0] == batch(ts=[5, 3], arrival=arrival).events.row.tolist()


def test_processing_times_follow_the_order_of_arrival():
    assert [8_000_000, 9_000_000] == batch(ts=[5, 3], arrival=[2, 1], arrival_time=[9, 8]).processing_time.tolist()


def test_a_missing_arrival_time_is_now():
    assert [9_000_000, 0] == batch(ts=[5, 3], arrival_time=[9, None]).processing_time.tolist()


def test_an_absurd_arrival_time_cannot_overflow():
    assert [MAX_TIME] == batch("us", ts=[5], arrival_time=[LONGEST]).processing_time.tolist()


def test_nulls_in_arrival_are_refused():
    with pytest.raises(ColumnError, match="column 'arrival' has nulls"):
        batch(ts=[5, 3], arrival=[1, None])


@pytest.mark.parametrize("arrival", [["a", "b"], [0.5, 1.5]], ids=repr)
def test_an_arrival_that_cannot_be_ordered_exactly_is_refused(arrival):
    with pytest.raises(ColumnError, match="arrival must be an integer or a timestamp"):
        batch(ts=[5, 3], arrival=arrival)


def test_an_empty_table_is_an_empty_batch():
    assert 0 == len(batch(ts=pa.array([], pa.int64())).events)


def reorder_node(late: LatePolicy, unit=None) -> ReorderNode:
    return ReorderNode(stream=StreamNode(name="bus", event_time="ts", unit=unit), contract=NoSlack(), late=late)


@pytest.mark.parametrize(
    ("values", "unit"),
    [
        (pa.array([5, 3], pa.timestamp("s")), None),
        (pa.array([5, 3], pa.timestamp("ms", tz="Europe/Vienna")), None),
        (pa.array([5, 3], pa.int32()), "s"),
    ],
    ids=["timestamp[s]", "timestamp[ms] with zone", "int32"],
)
def test_adjusted_times_have_the_type_of_their_column(values, unit):
    node = reorder_node(LatePolicy.adjust(), unit)
    events = read_batch(node.stream, pa.table({"ts": values}), processing_time=0).events
    table = released_table(node, pa.table({"ts": values}), Events(events.time[[0, 0]], events.arrival, events.row))
    assert (values.type, [5, 5]) == (table["ts"].type, table["ts"].cast(pa.int64()).to_pylist())


def test_events_that_were_not_adjusted_keep_their_nanoseconds():
    table = pa.table({"ts": pa.array([5_500, 1_200, 7_700], pa.timestamp("ns"))})
    released = released_table(reorder_node(LatePolicy.adjust()), table, Events.of([5, 5, 7]))
    assert [5_500, 5_000, 7_700] == released["ts"].cast(pa.int64()).to_pylist()


def test_late_rows_have_all_columns_and_the_reason():
    late = Late.because(Events.of([3]), Reason.LATE, np.array([2]))
    table = late_table(reorder_node(LatePolicy.side()), pa.table({"ts": [3], "line": ["a"]}), late)
    assert [{"ts": 3, "line": "a", "late_by": 2, "reason": "late", "stream": "bus"}] == table.to_pylist()


@pytest.mark.parametrize("reason", [Reason.NULL_TIME, Reason.FUTURE])
def test_without_a_usable_time_nobody_knows_by_how_much(reason):
    table = late_table(reorder_node(LatePolicy.side()), pa.table({"ts": [3]}), Late.because(Events.of([3]), reason))
    assert [None] == table["late_by"].to_pylist()
