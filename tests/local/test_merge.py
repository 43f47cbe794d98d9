"""Merges as users write them, in process: order, payload, late rows and bad input."""

from __future__ import annotations

import datetime as dt

import pyarrow as pa
import pytest

import slackwater as sw
from slackwater.errors import ColumnError, ContractMissingError, LateEventError, ParameterError
from slackwater.local import join

SECOND = sw.FixedSlack("1 second")


def stream(name, times, seq=None, *, unit="s", arrival=None, **columns):
    """Rows at these times; `seq` says in which order the rows of all streams came."""
    table = pa.table({"ts": pa.array(times, pa.int64()), **({} if seq is None else {"seq": seq}), **columns})
    return sw.stream(table, name=name, event_time="ts", unit=unit, arrival=arrival or (seq and "seq"))


def rows_of(merged):
    return [(row["stream"], row["ts"]) for row in merged.results.to_pylist()]


def test_rows_of_equal_times_leave_by_stream_then_by_arrival():
    a = stream("a", [2, 1, 2, 3], [2, 3, 4, 7], v=list("klmn"))
    b = stream("b", [1, 2, 4], [1, 5, 6], v=list("xyz"))
    results = sw.merge(a, b, contract=sw.FixedSlack("9 s")).results
    assert list("lxkmynz") == results["v"].to_pylist()
    assert list("abaabab") == results["stream"].to_pylist()


def test_the_order_of_streams_is_that_in_which_they_are_given():
    a, b = stream("a", [1, 1]), stream("b", [1, 1])
    assert ["b", "b", "a", "a"] == sw.merge(b, a, contract=SECOND).results["stream"].to_pylist()


def test_union_is_the_same():
    assert sw.union is sw.merge


def test_streams_of_the_same_columns_share_them_in_results_and_late_rows():
    a = stream("a", [1, 5, 9, 2], [1, 2, 5, 6], v=list("klmn"))
    b = stream("b", [4, 8], [3, 4], v=["x", None])
    merged = sw.merge(a, b, contract=SECOND)
    assert ["event_time", "stream", "ts", "seq", "v"] == merged.results.column_names
    assert ["k", "x", "l", None, "m"] == merged.results["v"].to_pylist()
    assert [{"ts": 2, "seq": 6, "v": "n", "late_by": 2_000_000, "reason": "late", "stream": "a"}] == (
        merged.late.to_pylist()
    )


def test_the_event_time_of_results_is_a_timestamp():
    first = sw.merge(stream("a", [1]), stream("b", [2]), contract=SECOND).results["event_time"][0].as_py()
    assert dt.datetime(1970, 1, 1, 0, 0, 1, tzinfo=dt.UTC) == first


def test_shared_columns_may_come_in_any_order():
    a = sw.stream(pa.table({"ts": [1], "v": ["k"]}), name="a", event_time="ts", unit="s")
    b = sw.stream(pa.table({"v": ["x"], "ts": [2]}), name="b", event_time="ts", unit="s")
    merged = sw.merge(a, b, contract=SECOND, payload="columns")
    assert [("a", 1, "k"), ("b", 2, "x")] == [(r["stream"], r["ts"], r["v"]) for r in merged.results.to_pylist()]


def test_an_event_time_that_is_called_so_is_not_repeated():
    frames = [pa.table({"event_time": [n], "v": [n]}) for n in (1, 2)]
    streams = [sw.stream(f, name=n, event_time="event_time", unit="s") for f, n in zip(frames, "ab", strict=True)]
    assert ["event_time", "stream", "v"] == sw.merge(*streams, contract=SECOND).results.column_names


def test_streams_of_different_columns_have_a_struct_each():
    a, b = stream("a", [1, 3], v=["k", "l"]), stream("b", [2], w=[7])
    assert [
        {"stream": "a", "a": {"ts": 1, "v": "k"}, "b": None},
        {"stream": "b", "a": None, "b": {"ts": 2, "w": 7}},
        {"stream": "a", "a": {"ts": 3, "v": "l"}, "b": None},
    ] == sw.merge(a, b, contract=SECOND).results.drop_columns(["event_time"]).to_pylist()


def test_late_rows_of_structs_say_which_stream_they_are_of():
    a, b = stream("a", [1, 9, 2], [1, 2, 5], v=list("klm")), stream("b", [8, 9], [3, 4], w=[7, 8])
    (late,) = sw.merge(a, b, contract=sw.NoSlack()).late.to_pylist()
    assert {"a": {"ts": 2, "seq": 5, "v": "m"}, "b": None, "late_by": 7_000_000, "reason": "late", "stream": "a"} == (
        late
    )


def test_columns_that_may_not_be_null_are_null_in_the_rows_of_others():
    schema = pa.schema([pa.field("ts", pa.int64(), nullable=False)])
    a = sw.stream(pa.table({"ts": [1]}, schema), name="a", event_time="ts", unit="s")
    results = sw.merge(a, stream("b", [2]), contract=SECOND, payload="structs").results
    assert [{"ts": 1}, None] == results["a"].to_pylist()


def test_columns_that_differ_are_named_where_they_must_not():
    a, b = stream("a", [1], v=["k"]), stream("b", [2], v=[7])
    with pytest.raises(ColumnError, match=r"stream 'b': column 'v' is int64, but string in 'a'; .*structs"):
        sw.merge(a, b, contract=SECOND, payload="columns")


def test_a_column_that_only_one_stream_has_is_named():
    with pytest.raises(ColumnError, match=r"stream 'b': column 'v' is missing, but string in 'a'"):
        sw.merge(stream("a", [1], v=["k"]), stream("b", [2]), contract=SECOND, payload="columns")


@pytest.mark.parametrize("column", ["stream", "late_by", "reason", "event_time"])
def test_shared_columns_must_leave_the_names_of_the_outputs_alone(column):
    a, b = (stream(name, [1], **{column: ["x"]}) for name in "ab")
    with pytest.raises(ColumnError, match=f"column '{column}' has a name that the outputs use"):
        sw.merge(a, b, contract=SECOND)
    assert 2 == sw.merge(a, b, contract=SECOND, payload="structs").results.num_rows


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"contract": sw.Recall(0.99)}, r"contract must be about rows.*DropRatio\(0\.01\)"),
        ({"contract": sw.DropRatio(0.01, controller=sw.control.ModelSearch())}, "controller must learn from rows"),
        ({"late": "adjust"}, "a merge cannot change event times"),
        ({"release": "now"}, "release must be"),
        ({"payload": "rows"}, 'payload must be "columns" or "structs"'),
        ({"contract": sw.FixedSlack({"a": "1 s"})}, "slack must name every stream once"),
    ],
)
def test_what_cannot_work_is_refused_with_a_remedy(options, message):
    with pytest.raises(ParameterError, match=message):
        sw.merge(stream("a", [1]), stream("b", [2]), **{"contract": SECOND, **options})


def test_a_struct_needs_a_stream_whose_name_is_a_plain_word():
    a, b = stream("line 1", [1], v=["k"]), stream("b", [2])
    with pytest.raises(ParameterError, match="name must be a plain word"):
        sw.merge(a, b, contract=SECOND)


def test_one_stream_is_too_few():
    with pytest.raises(ParameterError, match="streams must be 2 or more"):
        sw.merge(stream("a", [1]), contract=SECOND)


def test_a_missing_contract_is_an_error_that_shows_examples():
    with pytest.raises(ContractMissingError, match="merge needs a contract"):
        sw.merge(stream("a", [1]), stream("b", [2]))


def test_late_rows_can_be_an_error_or_be_dropped():
    a, b = stream("a", [1, 9, 2], [1, 2, 5]), stream("b", [8, 9], [3, 4])
    with pytest.raises(LateEventError):
        _ = sw.merge(a, b, contract=sw.NoSlack(), late="raise").results
    dropped = sw.merge(a, b, contract=sw.NoSlack(), late="drop")
    assert (0, 1) == (dropped.late.num_rows, dropped.decisions["late"].to_pylist()[-1])


def test_rows_without_a_usable_time_are_late_with_the_reason():
    merged = sw.merge(stream("a", [1, None, 3]), stream("b", [2, 10**11]), contract=SECOND)
    assert [("a", "null_time", None), ("b", "future", None)] == [
        (row["stream"], row["reason"], row["late_by"]) for row in merged.late.to_pylist()
    ]


def test_decisions_count_every_row():
    merged = sw.merge(stream("a", [1, 9, 2, 12], [1, 2, 5, 6]), stream("b", [8, 9], [3, 4]), contract=sw.NoSlack())
    last = merged.decisions.to_pylist()[-1]
    assert ("merge", 6, 5, 1, 0, 5) == tuple(
        last[name] for name in ("operator", "arrived", "released", "late", "buffered", "results")
    )


def test_a_slack_by_stream_waits_for_each_as_it_says():
    a, b = stream("a", [5, 4, 9], [1, 2, 6]), stream("b", [5, 3, 9], [3, 4, 5])
    merged = sw.merge(a, b, contract=sw.FixedSlack({"a": "2 s", "b": "0 s"}))
    assert [("b", 3), ("a", 4), ("a", 5), ("b", 5), ("a", 9), ("b", 9)] == rows_of(merged)


def test_a_drop_ratio_says_in_decisions_what_was_late():
    times = [n - (5 if n % 50 == 0 else 0) for n in range(2_000)]
    a, b = stream("a", times, list(range(0, 4_000, 2))), stream("b", times, list(range(1, 4_000, 2)))
    decisions = sw.merge(a, b, contract=sw.DropRatio(0.01)).decisions.to_pylist()
    measured = [row["measured"] for row in decisions[:-1]]
    assert 0.01 == decisions[0]["target"]
    assert max(measured) > 0
    assert max(measured[1_000:]) <= 0.01


def test_results_do_not_depend_on_the_batches(monkeypatch):
    a = stream("a", [3, 1, 2, 7, 6, 4], [1, 2, 3, 7, 8, 11], v=range(6))
    b = stream("b", [2, 5, 4, 8, 7], [4, 5, 6, 9, 10], v=range(5))
    whole = sw.merge(a, b, contract=sw.MaxSlack())
    expected = whole.results, whole.late
    monkeypatch.setattr(join, "BATCH_ROWS", 2)
    again = sw.merge(a, b, contract=sw.MaxSlack())
    assert expected == (again.results, again.late)


def test_empty_streams_give_empty_outputs():
    merged = sw.merge(stream("a", []), stream("b", []), contract=SECOND)
    assert (0, 0, 0) == tuple(table.num_rows for table in (merged.results, merged.late, merged.decisions))


def test_explain_says_in_which_order_rows_leave_and_what_results_have():
    text = sw.merge(stream("a", [1], v=["k"]), stream("b", [2]), contract=SECOND).explain()
    assert "by event time, then a < b, then arrival" in text
    assert "event_time, stream, a struct for each stream" in text


def test_leaving_the_buckets_open_is_one_bucket():
    rows = pa.table({"ts": [1]})
    streams = [sw.stream(rows, name=name, event_time="ts", unit="s") for name in "ab"]
    assert 1 == sw.merge(*streams, contract=sw.NoSlack(), by=(), buckets=None).node.buckets
