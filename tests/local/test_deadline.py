"""Merges and joins under a deadline as users write them, in process."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest

import slackwater as sw
from slackwater.errors import ColumnError, ParameterError
from tests.local.test_merge import rows_of, stream

WITHIN = sw.Deadline("3 seconds")


@pytest.fixture
def figure_6():
    """The example of SSG17 Fig. 6, with whole seconds for its 5.5 and 9.5."""
    return stream("s1", [1, 5, 9], [1, 3, 4]), stream("s2", [2, 4, 10], [2, 5, 6])


def test_results_say_whether_each_row_was_ready(figure_6):
    merged = sw.merge(*figure_6, contract=WITHIN)
    assert ["event_time", "stream", "ready", "ts", "seq"] == merged.results.column_names
    assert [("s1", 1), ("s2", 2), ("s1", 5), ("s1", 9), ("s2", 10)] == rows_of(merged)
    assert [True, True, False, True, True] == merged.results["ready"].to_pylist()


def test_a_row_that_was_not_waited_for_is_late(figure_6):
    (late,) = sw.merge(*figure_6, contract=WITHIN).late.to_pylist()
    assert ("s2", 4, 1_000_000, "late") == (late["stream"], late["ts"], late["late_by"], late["reason"])


def test_a_longer_deadline_needs_no_slack_ready_row(figure_6):
    merged = sw.merge(*figure_6, contract=sw.Deadline("4 seconds"))
    assert [1, 2, 4, 5, 9, 10] == merged.results["ts"].to_pylist()
    assert all(merged.results["ready"].to_pylist())


def test_decisions_count_what_left_before_it_was_ready(figure_6):
    decisions = sw.merge(*figure_6, contract=WITHIN).decisions
    assert (1, {3_000_000}) == (pc.sum(decisions["slack_ready"]).as_py(), set(decisions["slack"].to_pylist()))


def test_without_a_deadline_nothing_is_said_of_readiness(figure_6):
    merged = sw.merge(*figure_6, contract=sw.FixedSlack("1 second"))
    assert "ready" not in merged.results.column_names
    assert {None} == {*merged.decisions["slack_ready"].to_pylist(), *merged.decisions["ruled"].to_pylist()}


def test_shared_columns_must_not_be_called_ready_under_a_deadline():
    a, b = (stream(name, [1], ready=["x"]) for name in "ab")
    with pytest.raises(ColumnError, match="column 'ready' has a name that the outputs use"):
        sw.merge(a, b, contract=WITHIN)
    assert 2 == sw.merge(a, b, contract=sw.NoSlack()).results.num_rows


def test_a_join_reads_its_streams_through_the_gate(figure_6):
    pairs = [
        {(row["s1"]["ts"], row["s2"]["ts"]) for row in joined.results.to_pylist()}
        for joined in (sw.join(*figure_6, within="4 s", contract=sw.Deadline(limit)) for limit in ("9 s", "3 s"))
    ]
    assert {(1, 4), (5, 4)} == pairs[0] - pairs[1]  # 4 is late: it completes nothing


def test_a_reorder_waits_what_the_deadline_leaves():
    ordered = sw.reorder(stream("a", [1, 4, 2, 9], [1, 2, 3, 4]), contract=sw.Deadline("3 s", latency="1 s"))
    assert ([1, 2, 4, 9], [2_000_000]) == (
        ordered.results["ts"].to_pylist(),
        ordered.decisions["slack"].unique().to_pylist(),
    )


def lagging(rows: int = 600, *, behind: int):
    """Two streams of which the second comes `behind` seconds after the first, from half of the rows on."""
    late = np.where(np.arange(rows) < rows // 2, 0, behind)
    at = np.arange(rows) * 10
    return stream("fast", range(rows), at.tolist()), stream("slow", range(rows), (at + late * 10 + 1).tolist())


def test_a_drop_ratio_gives_way_to_the_deadline_that_is_said_last():
    contract = sw.DropRatio(0.01, over="1 minute") & sw.Deadline("5 seconds")
    merged = sw.merge(*lagging(behind=9), contract=contract)
    first, second = np.array_split(merged.decisions["ruled"].to_pylist()[:-1], 2)
    assert ({"DropRatio"}, "Deadline") == (set(first[:-1]), max(second, key=list(second).count))
    assert 0.4 < merged.decisions["measured"].to_pylist()[-2] < 0.6  # reported, not hidden: all slow rows are late


def test_a_deadline_gives_way_to_the_drop_ratio_that_is_said_last():
    contract = sw.Deadline("5 seconds") & sw.DropRatio(0.01, over="1 minute")
    merged = sw.merge(*lagging(behind=9), contract=contract)
    assert 0 == merged.late.num_rows
    assert {"Deadline"} == set(merged.decisions["ruled"].to_pylist()[:250])
    assert {"DropRatio"} == set(merged.decisions["ruled"].to_pylist()[350:-1])


def test_both_are_kept_where_they_can_be():
    contract = sw.DropRatio(0.01, over="1 minute") & sw.Deadline("20 seconds")
    merged = sw.merge(*lagging(behind=9), contract=contract)
    assert (0, {"DropRatio"}) == (merged.late.num_rows, set(merged.decisions["ruled"].to_pylist()))


def results_by_minute(joined) -> np.ndarray:
    return np.bincount(joined.results["event_time"].cast(pa.int64()).to_numpy() // 60_000_000)


def test_the_recall_of_a_join_counts_what_a_deadline_did_not_let_streams_wait_for():
    inputs, contract = lagging(behind=7), sw.Recall(0.9, over="1 minute") & sw.Deadline("5 seconds")
    joined, whole = (sw.join(*inputs, within="2 seconds", contract=each) for each in (contract, sw.MaxSlack()))
    measured, true = joined.decisions["measured"].to_pylist(), results_by_minute(joined) / results_by_minute(whole)
    assert 1.0 == measured[4 * 60] == true[3]
    assert 0.1 < true[7] < 0.5
    assert true[7] == pytest.approx(measured[8 * 60 + 7], abs=0.05)  # the slow rows of a minute come so much later


def test_explain_says_when_rows_leave(figure_6):
    text = sw.merge(*figure_6, contract=WITHIN).explain()
    assert "a row leaves when all streams are past it, or when the fastest is more than 3 seconds ahead" in text
    assert "event_time, stream, ready," in text


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"contract": sw.Recall(0.99) & WITHIN}, r"contract must be about rows.*DropRatio\(0\.01\)"),
        ({"release": "clock"}, 'contract must have release="arrival" and synchronized streams'),
        ({"buckets": 2}, "buckets must be 1 without by="),
        ({"buckets": 0, "by": "ts"}, "buckets must be a whole number >= 1"),
    ],
)
def test_what_cannot_work_is_refused_with_a_remedy(figure_6, options, message):
    with pytest.raises(ParameterError, match=message):
        sw.merge(*figure_6, **{"contract": WITHIN, **options})


def test_keys_of_buckets_must_be_alike_in_all_streams():
    a = sw.stream(pa.table({"ts": [1], "k": ["x"]}), name="a", event_time="ts", unit="s")
    b = sw.stream(pa.table({"ts": [1], "k": [7]}), name="b", event_time="ts", unit="s")
    with pytest.raises(ColumnError, match="stream 'b': column 'k' is int64, but string in 'a'; by= needs"):
        sw.merge(a, b, contract=WITHIN, by="k", buckets=2)
    with pytest.raises(ColumnError, match="stream 'a': column 'v' does not exist; by= needs"):
        sw.merge(a, b, contract=WITHIN, by="v", buckets=2)
