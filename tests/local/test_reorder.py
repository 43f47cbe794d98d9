"""Reordering bounded frames in process."""

from __future__ import annotations

import datetime as dt

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import slackwater as sw
from slackwater.decisions import DECISIONS
from slackwater.local import reorder as local

TIMES = [1, 4, 3, 5, 7, 8, 6, 9]
COLUMNS = {"ts": [dt.datetime(2024, 1, 1, 0, 0, second, tzinfo=dt.UTC) for second in TIMES], "n": list(range(8))}


def without_took(table: pa.Table) -> list[dict]:
    return table.drop_columns(["took_us"]).to_pylist()


@pytest.mark.parametrize("build", [pa.table, pd.DataFrame, pl.DataFrame], ids=["pyarrow", "pandas", "polars"])
def test_every_kind_of_frame_gives_the_same(build):
    expected, got = (
        sw.reorder(sw.stream(frame, event_time="ts"), contract=sw.FixedSlack("1 second"))
        for frame in (pa.table(COLUMNS), build(COLUMNS))
    )
    assert expected.results.to_pydict() == got.results.to_pydict()
    assert expected.late.to_pydict() == got.late.to_pydict()
    assert without_took(expected.decisions) == without_took(got.decisions)


def test_results_are_in_order_with_their_payload(bus):
    results = sw.reorder(bus(TIMES), contract=sw.FixedSlack("1 second")).results
    assert ([1, 3, 4, 5, 7, 8, 9], "line 2") == (results["ts"].to_pylist(), results["line"][1].as_py())


def test_late_rows_have_the_reason(bus):
    late = sw.reorder(bus(TIMES), contract=sw.FixedSlack("1 second")).late
    assert [{"ts": 6, "line": "line 6", "late_by": 1_000_000, "reason": "late", "stream": "bus"}] == late.to_pylist()


def test_a_decision_is_made_for_each_interval_and_at_the_end(bus):
    decisions = sw.reorder(bus([1, 4, 3, 9]), contract=sw.FixedSlack("1 second")).decisions
    assert [4, 9, 9] == [at.second for at in decisions["at"].to_pylist()]


def test_a_bounded_input_is_drained(bus):
    assert [1, 2, 3] == sw.reorder(bus([3, 1, 2]), contract=sw.FixedSlack("1 hour")).results["ts"].to_pylist()


def test_an_arrival_column_says_in_which_order_rows_came():
    frame = pa.table({"ts": [5, 1, 3], "seq": [2, 0, 1]})
    stream = sw.stream(frame, event_time="ts", unit="s", arrival="seq")
    assert [1, 3, 5] == sw.reorder(stream, contract=sw.NoSlack()).results["ts"].to_pylist()


def test_an_arrival_time_column_guards_against_clocks_from_the_future():
    frame = pa.table({"ts": [5, 200, 6], "came": [5, 6, 7]})
    stream = sw.stream(frame, event_time="ts", unit="s", arrival_time="came", max_ahead="1 minute")
    out = sw.reorder(stream, contract=sw.NoSlack())
    assert ([5, 6], ["future"]) == (out.results["ts"].to_pylist(), out.late["reason"].to_pylist())


def test_without_arrival_times_the_future_begins_a_day_from_now(bus):
    far = 4_000_000_000  # the year 2096
    assert ["future"] == sw.reorder(bus([1, far]), contract=sw.NoSlack()).late["reason"].to_pylist()


def test_every_clock_is_trusted_without_max_ahead(bus):
    far = 4_000_000_000
    assert [1, far] == sw.reorder(bus([1, far], max_ahead=None), contract=sw.NoSlack()).results["ts"].to_pylist()


def test_an_empty_table_gives_empty_tables(bus):
    out = sw.reorder(bus([]), contract=sw.MaxSlack())
    assert (0, 0, 0) == (out.results.num_rows, out.late.num_rows, out.decisions.num_rows)


def test_outputs_of_an_empty_table_have_their_columns(bus):
    out = sw.reorder(bus([]), contract=sw.MaxSlack())
    assert (["ts", "line"], ["ts", "line", "late_by", "reason", "stream"], DECISIONS.names) == (
        out.results.column_names,
        out.late.column_names,
        out.decisions.column_names,
    )


def test_decisions_have_their_schema(bus):
    assert DECISIONS == sw.reorder(bus(TIMES), contract=sw.MaxSlack()).decisions.schema


def test_results_have_the_schema_of_the_input(bus):
    stream = bus(TIMES)
    assert stream.frame.schema == sw.reorder(stream, contract=sw.MaxSlack(), late="adjust").results.schema


def test_a_plan_runs_once_for_its_three_outputs(bus, monkeypatch):
    runs = []
    original = local.ReorderPipeline
    monkeypatch.setattr(local, "ReorderPipeline", lambda *given: runs.append(1) or original(*given))
    out = sw.reorder(bus(TIMES), contract=sw.NoSlack())
    assert [[], [1]] == [runs.copy(), (out.results, out.late, out.decisions) and runs]


def by_device(times, devices, contract, **options):
    frame = pa.table({"ts": times, "device": devices})
    return sw.reorder(sw.stream(frame, event_time="ts", unit="s"), contract=contract, by="device", **options)


def test_a_device_that_is_an_hour_behind_loses_nothing():
    times = [second - hour * 3_600 for second in range(4_000, 4_300) for hour in range(2)]
    out = by_device(times, ["ahead", "behind"] * 300, sw.DropRatio(0.01))
    assert (600, 0) == (out.results.num_rows, out.late.num_rows)


def test_results_of_several_keys_come_as_they_were_released():
    out = by_device([105, 5, 7, 4, 106], ["a", "b", "b", "b", "a"], sw.FixedSlack("1 second"))
    assert ([5, 105, 7, 106], [4]) == (out.results["ts"].to_pylist(), out.late["ts"].to_pylist())


def test_late_by_is_counted_from_what_the_key_has_passed_on():
    out = by_device([900, 10, 7], ["a", "b", "b"], sw.NoSlack())
    assert [3_000_000] == out.late["late_by"].to_pylist()


@pytest.mark.parametrize("late", ["side", "adjust", "drop"])
def test_small_batches_give_each_key_the_same(monkeypatch, late):
    times, devices = [t - 50 * (n % 3) for n, t in enumerate(TIMES * 9)], ["a", "b", None] * 24
    whole = by_device(times, devices, sw.MaxSlack(), late=late)
    expected = [whole.results.to_pylist(), whole.late.to_pylist(), without_took(whole.decisions)]
    monkeypatch.setattr(local, "BATCH_ROWS", 3)
    parts = by_device(times, devices, sw.MaxSlack(), late=late)
    assert expected == [parts.results.to_pylist(), parts.late.to_pylist(), without_took(parts.decisions)]


@pytest.mark.parametrize("late", ["side", "adjust", "drop"])
def test_small_batches_give_the_same(bus, monkeypatch, late):
    whole = sw.reorder(bus(TIMES * 3), contract=sw.MaxSlack(), late=late)
    expected = [whole.results.to_pylist(), whole.late.to_pylist(), without_took(whole.decisions)]
    monkeypatch.setattr(local, "BATCH_ROWS", 3)
    parts = sw.reorder(bus(TIMES * 3), contract=sw.MaxSlack(), late=late)
    assert expected == [parts.results.to_pylist(), parts.late.to_pylist(), without_took(parts.decisions)]


def test_the_input_is_not_changed(bus):
    stream = bus(TIMES)
    before = stream.frame.to_pydict()
    _ = sw.reorder(stream, contract=sw.NoSlack(), late="adjust").results
    assert before == stream.frame.to_pydict()
