"""Bursts as users meet them: rows fed bit by bit, windows that wait, and those that do not."""

from __future__ import annotations

import pyarrow as pa
import pytest

import slackwater as sw
from slackwater.errors import ParameterError
from tests.local.test_aggregate import aggregate
from tests.local.test_prods import feed, live, shown

SIDELINE = sw.Sideline(over=2, pace=1, one_in=3)


def counts(**options):
    """Count rows in windows of one second, at once."""
    stream = sw.stream(pa.table({"ts": pa.array([], pa.int64())}), event_time="ts", unit="ms")
    asked = {"size": "1 second", "values": {"v": sw.count()}, "contract": sw.NoSlack(), **options}
    return sw.aggregate(stream, **asked).live()


def rows(*times):
    return pa.table({"ts": list(times)})


def test_a_window_after_a_burst_is_final_before_it():
    second = counts(sideline=SIDELINE)
    assert [] == shown(second.feed(rows(100, 200, 300, 400, 500, 600)))
    assert [("early", 1, None, 4)] == shown(second.feed(rows(1_100)))
    assert [("final", 2, None, 1)] == shown(second.feed(rows(2_000)))
    assert [("final", 1, None, 6), ("final", 3, None, 1)] == shown(second.end())


def test_a_pause_works_off_what_waits():
    second = counts(sideline=sw.Sideline(over=2, pace=3, one_in=100))
    second.feed(rows(100, 200, 300, 400, 500, 600))
    second.feed(rows(1_100))
    assert 2 == second.counts.buffered
    assert [("final", 1, None, 6)] == shown(second.feed(rows()))
    assert 0 == second.counts.buffered


def test_a_window_that_waited_leaves_with_a_range_punctuation():
    second = counts(sideline=sw.Sideline(over=2, pace=3, one_in=100))
    second.feed(rows(100, 200, 300, 400, 500, 600))
    second.feed(rows(1_100))
    said = second.feed(rows()).decisions.select(["operator", "stream", "results"]).to_pylist()
    span = "[1970-01-01T00:00:00Z, 1970-01-01T00:00:01Z)"
    assert [{"operator": "punctuation", "stream": span, "results": 1}] == said


def test_no_more_rows_wait_than_may():
    second = counts(sideline=sw.Sideline(over=1, pace=1, one_in=100, at_most=2))
    second.feed(rows(*range(0, 900, 100)))
    assert 2 == second.counts.buffered
    assert [("final", 1, None, 9)] == shown(second.end())


def test_a_run_over_a_table_sets_nothing_aside():
    table = pa.table({"ts": [1, 2, 3, 4, 5, 40]})
    out = aggregate(table, sideline=sw.Sideline(over=1)).results
    assert ["final"] * out.num_rows == out["kind"].to_pylist()


def test_the_plan_says_that_finals_leave_in_any_order():
    text = aggregate(pa.table({"ts": [1]}), sideline=sw.Sideline(over=300)).explain()
    assert "rows of a slide above 300 a second wait" in text
    assert "finals leave in any order" in text


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"over": 0}, "over must be a whole number >= 1, got 0"),
        ({"over": 1.5}, "over must be"),
        ({"over": 3, "pace": 0}, "pace must be"),
        ({"over": 3, "one_in": 0}, "one_in must be"),
        ({"over": 3, "at_most": -1}, "at_most must be"),
    ],
)
def test_numbers_that_mean_nothing_are_an_error(options, words):
    with pytest.raises(ParameterError) as error:
        sw.Sideline(**options)
    assert words in str(error.value)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"sideline": 300}, "sideline must be made by sw.Sideline"),
        ({"sideline": SIDELINE, "contract": sw.RelativeError(0.1)}, "needs the values of every row at once"),
        ({"sideline": SIDELINE, "empty": True}, "be left out with empty=True"),
    ],
)
def test_what_needs_every_row_at_once_refuses_to_set_rows_aside(options, words):
    with pytest.raises(ParameterError) as error:
        aggregate(**options)
    assert words in str(error.value)


def test_a_prod_in_the_rows_is_nobodys_without_early_results():
    table = pa.table({"ts": [1, 10, 12], "what": [None, "prod", None]})
    out = aggregate(table, stream={"marker": "what", "unit": "s"})
    assert [1, 1] == out.results["n"].to_pylist()
    said = [row for row in out.decisions.to_pylist() if row["operator"] == "prod"]
    assert [("nobody, without early=: <= 1970-01-01T00:00:10Z", 0)] == [(row["stream"], row["results"]) for row in said]


def test_two_ranges_that_meet_close_the_window_that_spans_both():
    sums = live(size=10, slide=5, by=())
    feed(sums, (1, "s", 1), (6, "s", 2))
    assert [] == shown(sums.punctuate(5_000_000, since=0))
    assert [("final", 10, None, 3)] == shown(sums.punctuate(10_000_000, since=5_000_000))
