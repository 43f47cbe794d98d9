"""Of each window the leading groups, as users see them."""

from __future__ import annotations

import pyarrow as pa
import pytest

import slackwater as sw
from slackwater.errors import ParameterError

ROWS = pa.table({"ts": [1, 2, 3, 4, 11, 12, 13, 25], "line": list("abbaabba"), "x": [1, 9, 2, 3, 5, 5, 1, 0]})


def counts(rows=ROWS, **options):
    asked = {"by": "line", "size": "10 seconds", "values": {"n": sw.count(), "x": sw.sum("x")}}
    return sw.aggregate(sw.stream(rows, event_time="ts", unit="s"), contract=sw.NoSlack(), **{**asked, **options})


def leaders(plan, *columns):
    return [tuple(row[name] for name in columns) for row in plan.results.to_pylist()]


def test_of_each_window_the_leading_groups_are_kept():
    assert [("b", 11), ("b", 6), ("a", 0)] == leaders(sw.top(counts(), 1, of="x"), "line", "x")


def test_a_group_whose_value_is_null_never_leads():
    rows = ROWS.set_column(2, "x", pa.array([None, 1, None, None, None, None, None, None], pa.int64()))
    assert [("b", 1)] == leaders(sw.top(counts(rows), 2, of="x"), "line", "x")


def test_decisions_count_what_is_kept():
    plan = sw.top(counts(), 1, of="x")
    assert plan.results.num_rows == plan.decisions["results"].to_pylist()[-1]


def test_a_level_above_can_be_led_too():
    above = sw.aggregate(counts(), by="line", size="30 seconds", values={"most": sw.max("x")})
    assert [("b", 11)] == leaders(sw.top(above, 1, of="most"), "line", "most")


def test_the_largest_of_what_a_join_finds():
    bus, tram = (sw.stream(ROWS, name=name, event_time="ts", unit="s") for name in ("bus", "tram"))
    first = sw.join(bus, tram, on="line", within="1 second", contract=sw.FixedSlack("1 second"))
    found = sw.aggregate(first, by="bus.line", size="10 seconds", values={"n": sw.count()})
    leading = sw.top(found, 1, of="n")
    assert [("b", 4), ("b", 4), ("a", 1)] == leaders(leading, "line", "n")
    assert "the groups with the 1 largest n" in leading.explain()


@pytest.mark.parametrize(
    ("options", "asked", "words"),
    [
        ({}, (0, "n"), "count must be a whole number >= 1"),
        ({}, (1, "y"), "of must be a value of the aggregate, got 'y'; it has: n, x"),
        ({"early": sw.Early()}, (1, "n"), "early must be left out where the leading groups are kept"),
        ({"buckets": 3}, (1, "n"), "buckets must be 1 where the leading groups are kept"),
    ],
)
def test_what_cannot_be_compared_is_refused(options, asked, words):
    with pytest.raises(ParameterError, match=words):
        sw.top(counts(**options), asked[0], of=asked[1])


def test_only_an_aggregate_has_groups_that_lead():
    stream = sw.stream(ROWS, event_time="ts", unit="s")
    with pytest.raises(ParameterError, match="plan must be an aggregate"):
        sw.top(sw.reorder(stream, contract=sw.NoSlack()), 1, of="x")


def test_what_leads_is_the_last_of_a_plan():
    with pytest.raises(ParameterError, match="top must be the last of a plan"):
        sw.aggregate(sw.top(counts(), 1, of="x"), size="30 seconds", values={"x": sw.max("x")})
