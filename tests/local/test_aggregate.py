"""Aggregates over tables in process: outputs, contracts, accounting, errors."""

from __future__ import annotations

import datetime as dt
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest

import slackwater as sw
from slackwater.errors import ColumnError, ContractMissingError, LateEventError, ParameterError
from slackwater.local import aggregate as runner
from tests.oracle.aggregate import OracleAggregate

ROWS = pa.table(
    {
        "ts": [1, 12, 4, 25, 3],
        "line": ["a", "a", None, "a", None],
        "delay": [30, 60, 10, None, 90],
    }
)


def aggregate(table=ROWS, *, slack="5 seconds", size="10 seconds", values=None, stream=None, **options):
    options.setdefault("contract", sw.FixedSlack(slack))
    bus = sw.stream(table, **{"name": "bus", "event_time": "ts", "unit": "s", **(stream or {})})
    return sw.aggregate(bus, size=size, values=values or {"n": sw.count()}, **options)


def disordered(rows: int, seed: int = 1) -> pa.Table:
    """Make a stream in ms with 20 lines, a third of it out of order."""
    random = np.random.default_rng(seed)
    delays = np.where(random.random(rows) < 0.7, 0, random.exponential(1_500, rows)).astype(np.int64)
    columns = {
        "ts": np.arange(rows) * 7 - delays,
        "line": random.integers(0, 20, rows),
        "x": random.integers(0, 9, rows),
    }
    return pa.table(columns)


def test_results_have_the_window_the_group_and_the_values():
    out = aggregate(by="line", values={"worst": sw.max("delay"), "n": sw.count()})
    start, end = (dt.datetime(1970, 1, 1, 0, 0, second, tzinfo=dt.UTC) for second in (10, 20))
    assert {"window": {"start": start, "end": end}, "line": "a", "worst": 60, "n": 1} == out.results.to_pylist()[2]


def test_null_is_a_group_of_its_own():
    out = aggregate(by="line")
    assert {("a", 1), (None, 1)} == {(row["line"], row["n"]) for row in out.results.to_pylist()[:2]}


def test_a_window_without_a_value_is_null():
    out = aggregate(slack="1 hour", values={"worst": sw.max("delay"), "n": sw.count("delay")})
    assert {"worst": None, "n": 0} == out.results.select(["worst", "n"]).to_pylist()[-1]


def test_late_rows_say_how_long_their_last_window_was_closed():
    late = aggregate(slack="5 seconds").late.select(["ts", "late_by", "reason", "stream"])
    assert [{"ts": 3, "late_by": 10_000_000, "reason": "late", "stream": "bus"}] == late.to_pylist()


def test_a_row_that_no_allowed_wait_would_save_is_over_the_cap():
    table = pa.table({"ts": [1, 17, 2, 30, 3]})
    out = aggregate(table, contract=sw.FixedSlack("5 seconds", cap="9 seconds"))
    assert ["late", "over_cap"] == out.late["reason"].to_pylist()


@pytest.mark.parametrize(
    "contract",
    [sw.NoSlack(), sw.FixedSlack("1 second"), sw.MaxSlack(), sw.DropRatio(0.01)],
    ids=lambda each: type(each).__name__,
)
def test_every_row_is_accounted_for_at_every_decision(contract):
    out = aggregate(disordered(20_000), size="2 seconds", slide="500 ms", contract=contract, stream={"unit": "ms"})
    counts = out.decisions.select(["arrived", "released", "late", "buffered"]).to_pydict()
    assert counts["arrived"] == [a + b + c for a, b, c in zip(*list(counts.values())[1:], strict=True)]
    assert (20_000, out.late.num_rows) == (counts["arrived"][-1], counts["late"][-1])
    assert out.results.num_rows == out.decisions["results"].to_pylist()[-1]


@pytest.mark.parametrize("contract", [sw.NoSlack(), sw.FixedSlack("300 ms"), sw.DropRatio(0.05)], ids=repr)
def test_results_do_not_depend_on_the_batches(monkeypatch, contract):
    options = {"size": "2 seconds", "slide": "300 ms", "by": "line", "stream": {"unit": "ms"}, "contract": contract}
    values = {"n": sw.count(), "total": sw.sum("x"), "most": sw.max("x")}
    whole = aggregate(disordered(5_000), values=values, **options)
    expected = [sorted_rows(whole.results), whole.late.to_pylist(), whole.decisions.drop_columns("took_us").to_pylist()]
    monkeypatch.setattr(runner, "BATCH_ROWS", 700)
    parts = aggregate(disordered(5_000), values=values, **options)
    found = [sorted_rows(parts.results), parts.late.to_pylist(), parts.decisions.drop_columns("took_us").to_pylist()]
    assert expected == found


def sorted_rows(table: pa.Table) -> list[dict]:
    return sorted(table.to_pylist(), key=lambda row: (row["window"]["end"], row["line"]))


def test_counts_equal_one_event_at_a_time():
    table = disordered(3_000)
    oracle = OracleAggregate(2_000, 300)
    for row, (time, line) in enumerate(zip(table["ts"].to_pylist(), table["line"].to_pylist(), strict=True)):
        oracle.on_step([(time, line, row)], 200)
    oracle.on_end()
    out = aggregate(table, slack="200 ms", size="2 seconds", slide="300 ms", by="line", stream={"unit": "ms"})
    expected = [((window + 1) * 300_000, group, len(rows)) for window, group, rows in oracle.closed]
    ends = pc.struct_field(out.results["window"], "end").cast(pa.int64()).to_pylist()
    assert expected == list(zip(ends, out.results["line"].to_pylist(), out.results["n"].to_pylist(), strict=True))
    assert len(oracle.late) == out.late.num_rows


def test_results_come_by_window():
    out = aggregate(disordered(3_000), size="2 seconds", slide="300 ms", by="line", stream={"unit": "ms"})
    ends = pc.struct_field(out.results["window"], "end").to_pylist()
    assert all(a <= b for a, b in pairwise(ends))


def test_a_drop_ratio_is_kept_with_less_slack_than_a_reorder_needs():
    table = disordered(60_000)
    contract = sw.DropRatio(0.01, over="20 seconds")
    out = aggregate(table, size="1 second", contract=contract, stream={"unit": "ms"})
    ordered = sw.reorder(sw.stream(table, name="bus", event_time="ts", unit="ms"), contract=contract)
    assert out.late.num_rows / table.num_rows <= 0.01
    assert pc.mean(out.decisions["slack"]).as_py() < pc.mean(ordered.decisions["slack"]).as_py()


def test_max_slack_makes_no_row_late_that_came_as_far_behind_as_one_before():
    table = pa.table({"ts": [100, 60, 200, 160, 300, 260]})
    assert [60] == aggregate(table, contract=sw.MaxSlack(), size="50 seconds").late["ts"].to_pylist()


def test_windows_end_at_multiples_of_the_slide():
    out = aggregate(pa.table({"ts": [7]}), size="25 seconds", slide="10 seconds")
    ends = pc.struct_field(out.results["window"], "end").cast(pa.int64()).to_pylist()
    assert [10_000_000, 20_000_000, 30_000_000] == ends


def test_times_and_dates_have_a_largest():
    days = pa.array([dt.date(2020, 1, 1), dt.date(2021, 1, 1), None], pa.date32())
    out = aggregate(pa.table({"ts": [1, 2, 3], "day": days}), values={"last": sw.max("day")})
    assert [dt.date(2021, 1, 1)] == out.results["last"].to_pylist()


def test_a_function_of_a_users_own_is_rolled_up_like_any_other():
    class Product:
        reductions = None

        def lift(self, values, valid):
            return (values.astype(np.float64),)

        def combine(self, left, right):
            return (left[0] * right[0],)

        def lower(self, state):
            return state[0], None

    table = pa.table({"ts": [1, 12, 4, 25], "x": [2, 3, 5, 7]})
    out = aggregate(table, size="20 seconds", slide="10 seconds", values={"p": sw.Value(Product(), "x")})
    assert [10.0, 30.0, 21.0, 7.0] == out.results["p"].to_pylist()


def test_an_empty_table_has_no_results():
    out = aggregate(ROWS.slice(0, 0), by="line", values={"worst": sw.max("delay")})
    assert (0, 0, ["window", "line", "worst"]) == (out.results.num_rows, out.late.num_rows, out.results.column_names)


def test_late_can_be_an_error():
    with pytest.raises(LateEventError):
        aggregate(late="raise", contract=sw.NoSlack()).results  # noqa: B018


def test_the_plan_is_explained():
    text = aggregate(by="line", slide="5 seconds", values={"worst": sw.max("delay")}).explain()
    assert "aggregate 'bus' by line: worst = max(delay)" in text
    assert "of 10 seconds, one every 5 seconds, 2 panes each" in text


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"slide": "20 seconds"}, "slide must be at most the size (10 seconds)"),
        ({"slide": "0 seconds"}, "slide must be > 0"),
        ({"size": "0 seconds"}, "size must be > 0"),
        ({"size": None}, "size must say how long windows are"),
        ({"values": {"x": "median"}}, "values['x'] must be one of sw.count"),
        ({"values": {"x": max}}, "got 'max'"),
        ({"values": [sw.count()]}, "values must be a dict that names at least one aggregate, got [count()]; such as {"),
        ({"values": {"window": sw.count()}}, "be a column that the results do not have yet"),
        ({"values": {"line": sw.count()}, "by": "line"}, "be a column that the results do not have yet"),
        ({"by": ["line", "line"]}, "by must be a column that the results do not have yet"),
        ({"contract": sw.Recall(0.9)}, "contract must be one that an aggregate can keep"),
        ({"contract": sw.Deadline("5 s", latency="1 s")}, "windows always wait for the slack"),
        ({"late": "adjust"}, "late must be"),
        ({"buckets": 4}, "buckets must be 1 without by="),
    ],
)
def test_what_cannot_be_asked_for_is_an_error_that_says_why(options, words):
    with pytest.raises(ParameterError) as error:
        aggregate(**options)
    assert words in str(error.value)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"values": {"x": sw.sum("line")}}, "is string, so x = sum(line) means nothing"),
        ({"values": {"x": sw.max("speed")}}, "column 'speed' does not exist"),
        ({"by": "speed"}, "column 'speed' does not exist"),
    ],
)
def test_a_column_that_cannot_serve_is_an_error_that_says_why(options, words):
    with pytest.raises(ColumnError) as error:
        aggregate(**options)
    assert words in str(error.value)


def test_a_missing_contract_is_an_error():
    with pytest.raises(ContractMissingError):
        aggregate(contract=None)


def test_windows_without_rows_are_reported_by_choice():
    rows = pa.table({"ts": [1, 35, 41], "x": [5, 7, 1]})
    bus = sw.stream(rows, event_time="ts", unit="s", max_ahead=None)
    asked = {"size": "10 seconds", "values": {"n": sw.count(), "total": sw.sum("x")}, "contract": sw.NoSlack()}
    found = sw.aggregate(bus, **asked, empty=True).results.select(["n", "total"]).to_pylist()
    assert [(1, 5), (0, None), (0, None), (1, 7), (1, 1)] == [tuple(row.values()) for row in found]


def test_a_group_without_rows_is_reported_for_one_more_size():
    rows = pa.table({"ts": [1, 2, 11, 25, 35, 41], "line": ["a", "b", "a", "a", "a", "b"]})
    bus = sw.stream(rows, event_time="ts", unit="s", max_ahead=None)
    asked = {"size": "10 seconds", "by": "line", "values": {"n": sw.count()}, "contract": sw.NoSlack()}
    found = sw.aggregate(bus, **asked, empty=True).results.filter(pc.field("line") == "b")
    assert [(10, 1), (20, 0), (50, 1)] == [
        (row["window"]["end"].second, row["n"]) for row in found.select(["window", "n"]).to_pylist()
    ]


def test_empty_must_be_true_or_false():
    bus = sw.stream(pa.table({"ts": [1]}), event_time="ts", unit="s")
    with pytest.raises(sw.SlackwaterError, match="empty must be True or False, got 'yes'"):
        sw.aggregate(bus, size="1 second", values={"n": sw.count()}, contract=sw.NoSlack(), empty="yes")


def test_groups_of_none_are_no_groups():
    assert aggregate().results.equals(aggregate(by=None).results)
