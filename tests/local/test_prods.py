"""The worked examples of PROD chapter 3, and prods and punctuations as users write them."""

from __future__ import annotations

import pyarrow as pa
import pytest

import slackwater as sw
from slackwater.errors import ColumnError, ParameterError
from tests.local.test_aggregate import aggregate, disordered

SECOND = 1_000_000
RAW = sw.Early(estimate="raw")
COLUMNS = pa.schema([("ts", pa.int64()), ("key", pa.string()), ("x", pa.int64())])


def live(*, size, slide=None, by="key", value=None, contract=None, early=None):
    """Build an aggregate that waits for punctuations, to be fed (seconds, key, x)."""
    stream = sw.stream(COLUMNS.empty_table(), event_time="ts", unit="s")
    seconds = {"size": f"{size} seconds", "slide": f"{slide or size} seconds"}
    contract = sw.FixedSlack("1 hour") if contract is None else contract
    return sw.aggregate(
        stream, by=by, values={"v": value or sw.sum("x")}, contract=contract, early=early or RAW, **seconds
    ).live()


def feed(aggregate, *rows):
    return shown(aggregate.feed(pa.table([list(column) for column in zip(*rows, strict=True)], schema=COLUMNS)))


def shown(left):
    """Results as (kind, end in seconds, key, value)."""
    rows = left.results.to_pylist()
    return [(row["kind"], int(row["window"]["end"].timestamp()), row.get("key"), row["v"]) for row in rows]


def test_e23_a_group_predicate_stays_on_the_punctuation():
    sums = live(size=60, slide=20)
    feed(sums, (211, "1", 25), (216, "2", 30))
    assert [("final", 220, "1", 25)] == shown(sums.punctuate(220 * SECOND, where={"key": "1"}))
    assert [("final", 220, "2", 30)] == shown(sums.punctuate(220 * SECOND))


def test_e26_a_prod_keeps_the_state_and_a_punctuation_purges_it():
    sums = live(size=50)
    feed(sums, (11, "s", 40), (23, "s", 20), (32, "s", 30), (45, "s", 20))
    assert [("early", 50, "s", 110)] == shown(sums.prod(until=50 * SECOND))
    assert [] == feed(sums, (52, "s", 26), (46, "s", 25))
    assert [("final", 50, "s", 135)] == shown(sums.punctuate(50 * SECOND))
    assert [1] == list(sums._pipeline.panes)


def test_e27_a_paned_maximum_counts_what_older_panes_know():
    most = live(size=30, slide=10, value=sw.max("x"), by=())
    feed(most, (101, "s", 55), (111, "s", 52), (121, "s", 45))
    closed = shown(most.punctuate(110 * SECOND)) + shown(most.punctuate(120 * SECOND))
    assert [("final", 110, None, 55), ("final", 120, None, 55)] == closed
    feed(most, (126, "s", 54))
    assert [("early", 130, None, 55)] == shown(most.prod(until=130 * SECOND))
    feed(most, (126, "s", 58))
    assert [("final", 130, None, 58)] == shown(most.punctuate(130 * SECOND))


def test_e28_nothing_counts_twice_however_often_a_window_is_prodded():
    sums = live(size=30, slide=10, by=())
    feed(sums, (1, "s", 5))
    assert [("early", 10, None, 5)] == shown(sums.prod(until=10 * SECOND))
    feed(sums, (2, "s", 7))
    assert [("early", 10, None, 12)] == shown(sums.prod(until=10 * SECOND))
    assert [("final", 10, None, 12)] == shown(sums.punctuate(10 * SECOND))


def test_e29_mistimed_prods_pass_and_groups_have_their_own():
    sums = live(size=20, slide=10)
    assert [] == shown(sums.prod(until=10 * SECOND))
    feed(sums, (1, "a", 5), (2, "b", 9))
    assert [("early", 10, "a", 5)] == shown(sums.prod(until=10 * SECOND, where={"key": "a"}))
    assert [("final", 10, "b", 9)] == shown(sums.punctuate(10 * SECOND, where={"key": "b"}))
    assert [("final", 10, "a", 5)] == shown(sums.punctuate(10 * SECOND))
    assert [] == shown(sums.prod(until=10 * SECOND))
    assert [("early", 20, "a", 5), ("early", 20, "b", 9)] == shown(sums.prod(until=20 * SECOND))


def test_e30_a_quarter_of_a_slide_of_two_minutes_is_shown_at_ninety_seconds():
    rows = pa.table({"ts": [30, 89, 90, 119, 240]})
    out = aggregate(rows, size="120 seconds", early=sw.Early(aggressiveness=0.25, estimate="raw"))
    found = [(row["kind"], row["n"]) for row in out.results.to_pylist()]
    assert [("early", 3), ("final", 4)] == found[:2]


def test_a_range_punctuation_closes_windows_out_of_order():
    sums = live(size=10, by=())
    feed(sums, (1, "s", 1), (11, "s", 2), (21, "s", 4))
    assert [("final", 20, None, 2)] == shown(sums.punctuate(20 * SECOND, since=10 * SECOND))
    assert [] == feed(sums, (2, "s", 8))
    assert [("final", 10, None, 9), ("final", 30, None, 4)] == shown(sums.end())


def test_a_row_behind_a_punctuation_is_late_with_the_reason():
    counts = live(size=20, slide=10, value=sw.count())
    counts.punctuate(10 * SECOND, where={"key": "a"})
    left = counts.feed(pa.table([[3, 4, 10], ["a", "b", "a"], [1, 1, 1]], schema=COLUMNS))
    found = left.late.select(["ts", "reason", "late_by"]).to_pylist()
    assert [{"ts": 3, "reason": "punctuation", "late_by": 7 * SECOND}] == found
    assert 2 == sum(row[3] for row in shown(counts.end()) if row[1] == 20)


def test_an_answer_says_how_many_results_a_prod_got():
    counts = live(size=10)
    feed(counts, (1, "a", 5), (2, "b", 9))
    rows = counts.prod(where={"key": "b"}).decisions.select(["operator", "stream", "results"]).to_pylist()
    assert [{"operator": "prod", "stream": "all that is open, key=b", "results": 1}] == rows


def test_a_prod_of_an_unknown_group_gets_nothing():
    counts = live(size=10)
    feed(counts, (1, "a", 5))
    assert [0] == counts.prod(where={"key": "z"}).decisions["results"].to_pylist()


def test_a_prod_of_an_unknown_column_is_an_error_that_names_the_groups():
    with pytest.raises(ParameterError, match=r"where must be a column .* grouped by, got 'line'; groups have: key"):
        live(size=10).prod(where={"line": "a"})


def test_rows_of_the_input_can_be_prods_and_punctuations():
    rows = pa.table(
        {
            "ts": [1, 2, 10, 3, 10, 4],
            "line": ["a", "b", "a", "a", None, "b"],
            "what": [None, "event", "prod", None, "punctuation", None],
        }
    )
    out = aggregate(rows, by="line", early=RAW, contract=sw.Punctuated(), stream={"marker": "what", "unit": "s"})
    found = [(row["kind"], row["line"], row["n"], row["revision"]) for row in out.results.to_pylist()]
    assert [("early", "a", 1, 0), ("final", "a", 2, 1), ("final", "b", 1, 0)] == found
    assert [(4, "punctuation")] == list(zip(out.late["ts"].to_pylist(), out.late["reason"].to_pylist(), strict=True))


def test_a_stream_of_prods_is_merged_by_arrival():
    rows = sw.stream(pa.table({"ts": [1, 2, 3], "seq": [0, 2, 4]}), event_time="ts", unit="s", arrival="seq")
    prods = sw.stream(pa.table({"until": [10, 10], "at": [1, 3]}), event_time="until", unit="s", arrival="at")
    out = sw.aggregate(rows, size="10 seconds", values={"n": sw.count()}, contract=sw.NoSlack(), prods=prods, early=RAW)
    assert [("early", 1), ("early", 2), ("final", 3)] == [(row["kind"], row["n"]) for row in out.results.to_pylist()]


def test_finals_are_the_same_with_early_results_and_without():
    asked = {"size": "2 seconds", "slide": "300 ms", "by": "line", "stream": {"unit": "ms"}}
    plain = aggregate(disordered(3_000), **asked).results
    early = aggregate(disordered(3_000), early=sw.Early(aggressiveness=0.5, every="700 ms"), **asked).results
    finals = early.filter(pa.compute.equal(early["kind"], "final"))
    assert plain.to_pylist() == finals.select(plain.column_names).to_pylist()


def test_early_results_do_not_depend_on_the_batches(monkeypatch):
    from slackwater.local import aggregate as runner

    asked = {"size": "2 seconds", "slide": "300 ms", "by": "line", "stream": {"unit": "ms"}}
    early = sw.Early(aggressiveness=0.5, every="700 ms")
    whole = aggregate(disordered(3_000), early=early, **asked)
    monkeypatch.setattr(runner, "BATCH_ROWS", 701)
    parts = aggregate(disordered(3_000), early=early, **asked)
    assert whole.results.to_pylist() == parts.results.to_pylist()
    columns = ["at", "arrived", "late", "results"]
    assert whole.decisions.select(columns).to_pylist() == parts.decisions.select(columns).to_pylist()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"aggressiveness": 1.5}, "aggressiveness must be >= 0 and <= 1, got 1.5"),
        ({"aggressiveness": "25%"}, "aggressiveness must be"),
        ({"every": "0 seconds"}, "every must be > 0"),
        ({"at": "soon"}, "at must be a duration with a unit"),
        ({"estimate": "best"}, 'estimate must be "corrected" or "raw"'),
        ({"accuracy": 98}, "accuracy must be > 0 and < 1, got 98"),
        ({"accuracy": 0.98, "every": "1 second"}, "accuracy must be used without every= and at="),
        ({"confidence": 1}, "confidence must be > 0 and < 1"),
    ],
)
def test_what_cannot_be_shown_early_is_an_error_that_says_why(options, words):
    with pytest.raises(ParameterError) as error:
        sw.Early(**options)
    assert words in str(error.value)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"early": 0.25}, "early must be made by sw.Early"),
        ({"early": sw.Early(), "values": {"kind": sw.count()}}, "be a column that the results do not have yet"),
        ({"early": sw.Early(), "values": {"coverage": sw.count()}}, "be a column that the results do not have yet"),
        ({"early": sw.Early(), "values": {"n": sw.count(), "n_low": sw.count()}}, "not be the name of a bound of n"),
        ({"contract": sw.Punctuated()}, "be used with a stream that has punctuations"),
        ({"prods": sw.stream(pa.table({"ts": [1]}), event_time="ts", unit="s")}, "say between which rows prods came"),
        ({"prods": "now"}, "prods must be made by sw.stream"),
    ],
)
def test_what_cannot_be_asked_for_is_an_error_that_says_why(options, words):
    with pytest.raises(ParameterError) as error:
        aggregate(**options)
    assert words in str(error.value)


def test_a_mark_that_nobody_knows_is_an_error():
    rows = pa.table({"ts": [1], "what": ["poke"]})
    with pytest.raises(ColumnError, match="has 'poke', which marks nothing"):
        aggregate(rows, stream={"marker": "what", "unit": "s"}).results  # noqa: B018


def test_an_operator_that_knows_no_marks_refuses_them():
    rows = sw.stream(pa.table({"ts": [1], "what": ["prod"]}), event_time="ts", unit="s", marker="what")
    with pytest.raises(ParameterError, match="marker must be left out for this operator"):
        sw.reorder(rows, contract=sw.NoSlack())


def test_a_punctuation_is_of_a_group_or_of_a_range_but_not_of_both():
    with pytest.raises(ParameterError, match="since must be left out in a punctuation of a group, got 20000000"):
        live(size=10).punctuate(30 * SECOND, since=20 * SECOND, where={"key": "a"})


def test_a_punctuation_names_its_group_as_a_prod_does():
    none = pa.table({"ts": pa.array([], pa.int64()), "key": pa.array([], pa.int64())})
    stream = sw.stream(none, event_time="ts", unit="s")
    asked = {"by": "key", "values": {"v": sw.count()}, "contract": sw.FixedSlack("1 hour")}
    asked["early"] = sw.Early(estimate="raw")
    counts = sw.aggregate(stream, size="10 seconds", **asked).live()
    counts.feed(pa.table({"ts": [1], "key": [5]}))
    assert [("final", 10, 5, 1)] == shown(counts.punctuate(10 * SECOND, where={"key": "5"}))


@pytest.mark.parametrize("value", [2**70, [1, 2], object()])
def test_a_value_that_fits_into_no_column_is_nobodys(value):
    counts = live(size=10)
    feed(counts, (1, "a", 5))
    assert [0] == counts.prod(where={"key": value}).decisions["results"].to_pylist()
    assert [] == shown(counts.punctuate(10 * SECOND, where={"key": value}))


def test_a_punctuation_from_the_future_is_ignored_and_reported():
    rows = pa.table({"ts": [1, 10**10, 2, 10], "what": [None, "punctuation", None, None]})
    out = aggregate(rows, contract=sw.Punctuated(), stream={"marker": "what", "unit": "s", "max_ahead": "1 day"})
    assert [] == out.late.to_pylist()
    assert [2, 1] == out.results["n"].to_pylist()
    found = out.decisions.filter(pa.compute.equal(out.decisions["operator"], "punctuation")).to_pylist()
    assert [("ignored: from the future, <= 2286-11-20T17:46:40Z", 0)] == [(r["stream"], r["results"]) for r in found]


def test_a_punctuation_of_half_a_key_is_an_error_in_rows_and_calls():
    rows = pa.table({"ts": [1, 10], "g": ["a", "a"], "h": ["x", None], "what": [None, "punctuation"]})
    out = aggregate(rows, by=["g", "h"], contract=sw.Punctuated(), stream={"marker": "what", "unit": "s"})
    with pytest.raises(ParameterError, match="where must name all columns of a group in a punctuation, also h"):
        out.live().punctuate(10 * SECOND, where={"g": "a"})
    with pytest.raises(ColumnError, match=r"h.* is null in a punctuation of a group"):
        out.results  # noqa: B018


def test_a_punctuation_of_a_group_closes_its_windows_without_rows_too():
    stream = sw.stream(COLUMNS.empty_table(), event_time="ts", unit="s")
    asked = {"by": "key", "values": {"v": sw.count()}, "contract": sw.FixedSlack("1 hour")}
    asked["early"] = sw.Early(estimate="raw")
    counts = sw.aggregate(stream, size="10 seconds", empty=True, **asked).live()
    feed(counts, (1, "a", 1), (2, "b", 1))
    assert [("early", 10, "a", 1)] == shown(counts.prod(where={"key": "a"}))
    assert [("final", 10, "a", 1), ("final", 20, "a", 0)] == shown(counts.punctuate(30 * SECOND, where={"key": "a"}))
    assert [("final", 10, "b", 1), ("final", 20, "b", 0)] == shown(counts.punctuate(30 * SECOND))


def test_a_punctuation_of_a_range_closes_its_windows_without_rows_too():
    stream = sw.stream(COLUMNS.empty_table(), event_time="ts", unit="s")
    asked = {"values": {"v": sw.count()}, "contract": sw.FixedSlack("1 hour")}
    asked["early"] = sw.Early(estimate="raw")
    counts = sw.aggregate(stream, size="10 seconds", empty=True, **asked).live()
    feed(counts, (1, "a", 1), (31, "b", 1))
    assert [("final", 30, None, 0)] == shown(counts.punctuate(30 * SECOND, since=20 * SECOND))
    assert [("final", 10, None, 1), ("final", 20, None, 0), ("final", 40, None, 1)] == shown(counts.end())


def test_a_decision_does_not_count_results_of_a_punctuation_that_came_after_it(monkeypatch):
    from slackwater.local import aggregate as runner

    first, second = (10, "punctuation"), (20, "punctuation")
    times, what = zip((1, None), (12, None), first, (2, None), second, strict=True)  # the last row is a lie
    rows = pa.table({"ts": times, "what": what})

    def counted() -> list[int]:
        out = aggregate(rows, contract=sw.FixedSlack("1 hour"), stream={"marker": "what", "unit": "s"})
        return out.decisions["results"].to_pylist()

    whole = counted()
    monkeypatch.setattr(runner, "BATCH_ROWS", 1)
    assert [0, 2] == whole == counted()
