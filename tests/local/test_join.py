"""Joins as users write them, in process: the documents' examples, outputs and bad input."""

from __future__ import annotations

import re

import duckdb
import numpy as np
import pyarrow as pa
import pytest

import slackwater as sw
from slackwater.errors import ColumnError, ConditionError, LateEventError, ParameterError
from slackwater.sources import load

E2 = [("s2", "c", 3), ("s1", "E", 5), ("s1", "B", 6), ("s1", "C", 4), ("s1", "D", 8), ("s2", "e", 7)]


def stream(name, rows, **options):
    """Rows are (arrival, time, value)."""
    arrival, time, value = zip(*rows, strict=True)
    table = pa.table({"seq": list(arrival), "ts": list(time), "v": list(value)})
    return sw.stream(table, name=name, event_time="ts", unit="s", arrival="seq", **options)


def two(arrivals, a="s1", b="s2", **options):
    """Two streams from arrivals (stream, value, time)."""
    return [
        stream(name, [(i, t, v) for i, (n, v, t) in enumerate(arrivals) if n == name], **options) for name in (a, b)
    ]


def pairs(output, a="s1", b="s2"):
    return [(row[a]["v"], row[b]["v"], row["event_time"].second) for row in output.results.to_pylist()]


def test_e2_a_slack_of_two_and_the_synchronizer_give_the_results_of_sorted_input():
    joined = sw.join(
        *two(E2), where="lower(s1.v) = lower(s2.v)", within="2 seconds", contract=sw.FixedSlack("2 seconds")
    )
    assert [("C", "c", 4), ("E", "e", 7)] == pairs(joined)


def test_e2_alg_2_on_the_raw_order_completes_nothing():
    raw = {"within": "2 seconds", "contract": sw.NoSlack(), "synchronize": False}
    assert [] == pairs(sw.join(*two(E2), where="lower(s1.v) = lower(s2.v)", **raw))


LATE = [("s1", "a", 5), ("s2", "b", 6), ("s1", "c", 8), ("s2", "d", 9), ("s1", "e", 3), ("s1", "f", 10)]


def test_e7_a_window_reaches_back_from_the_later_event():
    arrivals = [("s1", "x", 10), ("s2", "early", 5), ("s2", "late", 13), ("s2", "too early", 4), ("s2", "too late", 14)]
    joined = sw.join(*two(arrivals), within={"s1": "3 s", "s2": "5 s"}, contract=sw.MaxSlack(), where=None)
    exact = sw.join(*two(arrivals), within={"s1": "3 s", "s2": "5 s"}, contract=sw.FixedSlack("20 s"))
    assert [("x", "early", 10), ("x", "late", 13)] == pairs(exact)
    assert set(pairs(joined)) <= set(pairs(exact))


S = [("s", "Alice", 1, "0199"), ("s", "Bob", 2, "0200"), ("s", "Carol", 3, "0201"), ("s", "Dave", 5, "0200")]
T = [("t", "Coke", 1, "0200"), ("t", "Burger", 2, "0199"), ("t", "Burger", 4, "0201")]


def sun15(arrivals, **options):
    frames = []
    for name in ("s", "t"):
        rows = [(i, t, v, item) for i, (n, v, t, item) in enumerate(arrivals) if n == name]
        table = pa.table(dict(zip(("seq", "ts", "v", "item"), map(list, zip(*rows, strict=True)), strict=True)))
        frames.append(sw.stream(table, name=name, event_time="ts", unit="s", arrival="seq"))
    windows = {"s": "3 seconds", "t": "2 seconds"}
    joined = sw.join(
        *frames, on="item", within=windows, contract=sw.NoSlack(), closed="right", situation2=True, **options
    )
    return pairs(joined, "s", "t")


def test_e8_windows_that_exclude_their_lower_bound():
    in_order = sorted([*S, *T], key=lambda row: row[2])
    expected = [("Alice", "Burger", 2), ("Bob", "Coke", 2), ("Carol", "Burger", 4)]
    assert expected == sorted(sun15(in_order), key=lambda row: (row[2], row[0]))


def test_e9_an_event_that_comes_after_its_window_is_lost():
    in_order = sorted([*S, *T], key=lambda row: row[2])
    coke = in_order.index(T[0])
    arrivals = [*in_order[:coke], *in_order[coke + 1 :], T[0]]
    assert [("Alice", "Burger", 2), ("Carol", "Burger", 4)] == sun15(arrivals)


@pytest.mark.parametrize(
    ("then", "expected"),
    [
        ([("s1", "A7", 7)], []),
        ([("s1", "A8", 8)], [("A8", "B10", 10)]),
        ([("s1", "again", 10)], [("again", "B7", 10), ("again", "B10", 10)]),
        ([("s1", "A12", 12)], []),
        ([("s1", "A12", 12), ("s2", "B11", 11)], [("A10", "B11", 11)]),
        (
            [("s1", "A12", 12), ("s2", "B11", 11), ("s2", "B14", 14)],
            [("A10", "B11", 11), ("A12", "B10", 12), ("A12", "B11", 12)],
        ),
    ],
)
def test_e18_the_situations_of_a_join(then, expected):
    from slackwater.contracts import NoSlack
    from tests.builders import SmallJoin, results_of

    before = [("s1", "A6", 6), ("s2", "B7", 7), ("s1", "A10", 10), ("s2", "B10", 10)]
    arrivals = tuple((("s1", "s2").index(name), time, (value,)) for name, value, time in [*before, *then])
    join = SmallJoin(arrivals, (3, 5))
    pipeline = join.pipeline(NoSlack(), closed="right", situation2=True)
    pipeline.on_batch(join.batch(0, 4))
    got = results_of(pipeline.on_batch(join.batch(4, len(arrivals))))
    named = [(arrivals[a][2][0], arrivals[b][2][0], time) for time, (a, b) in got]
    assert expected == named


def random_stream(name, seed, rows=400, keys=5):
    rng = np.random.default_rng(seed)
    seq = np.arange(rows) * 3 + seed
    time = seq * 10 - rng.choice([0, 0, 0, 40, 400], rows)
    return sw.stream(
        pa.table({"seq": seq, "ts": time, "k": rng.integers(0, keys, rows), "x": rng.normal(size=rows)}),
        name=name, event_time="ts", unit="ms", arrival="seq",
    )  # fmt: skip


def by_sql(sql, *streams):
    with duckdb.connect() as connection:
        for each in streams:
            connection.register(each.node.name, each.frame)
        return sorted(connection.sql(sql).fetchall())


def test_three_streams_equal_sql_when_nothing_is_lost():
    a, b, c = (random_stream(name, seed) for seed, name in enumerate("abc"))
    joined = sw.join(a, b, c, on="k", where="a.x < b.x + c.x", within="200 ms", contract=sw.FixedSlack("10 s")).results
    expected = by_sql(
        "select a.seq, b.seq, c.seq from a, b, c where a.k = b.k and b.k = c.k and a.x < b.x + c.x and "
        "greatest(a.ts, b.ts, c.ts) - least(a.ts, b.ts, c.ts) <= 200",
        a, b, c,
    )  # fmt: skip
    got = [(row["a"]["seq"], row["b"]["seq"], row["c"]["seq"]) for row in joined.to_pylist()]
    assert expected == sorted(got)
    assert joined["event_time"].to_pylist() == sorted(joined["event_time"].to_pylist())


def test_different_keys_for_each_pair_equal_sql():
    a, b, c = (random_stream(name, seed) for seed, name in enumerate("abc"))
    joined = sw.join(a, b, c, on="a.k = b.k and c.k = a.k + 1", within="150 ms", contract=sw.FixedSlack("10 s")).results
    expected = by_sql(
        "select a.seq, b.seq, c.seq from a, b, c where a.k = b.k and c.k = a.k + 1 and "
        "greatest(a.ts, b.ts, c.ts) - least(a.ts, b.ts, c.ts) <= 150",
        a, b, c,
    )  # fmt: skip
    assert expected == sorted((r["a"]["seq"], r["b"]["seq"], r["c"]["seq"]) for r in joined.to_pylist())


def test_a_function_decides_over_columns():
    a, b = random_stream("a", 0), random_stream("b", 1)
    options = {"within": "100 ms", "contract": sw.FixedSlack("10 s")}
    by_function = sw.join(a, b, where=lambda a, b: np.abs(a["x"].to_numpy() - b["x"].to_numpy()) < 0.1, **options)
    by_text = sw.join(a, b, where="abs(a.x - b.x) < 0.1", **options)
    assert by_text.results.equals(by_function.results)
    assert by_text.results.num_rows > 100


def test_a_recall_contract_is_kept_and_decisions_say_what_was_measured():
    a, b = random_stream("a", 0, rows=20_000), random_stream("b", 1, rows=20_000)
    whole = sw.join(a, b, on="k", within="200 ms", contract=sw.FixedSlack("10 s")).results.num_rows
    kept = sw.join(a, b, on="k", within="200 ms", contract=sw.Recall(0.9, over="10 seconds"))
    recall = kept.results.num_rows / whole
    assert 0.89 < recall < 0.99
    measured = kept.decisions["measured"].drop_null().to_numpy()
    assert recall == pytest.approx(measured.mean(), abs=0.02)
    slack = kept.decisions["slack"].to_numpy()
    assert 0 < slack[20:].mean() < 400_000


def test_every_row_is_in_order_or_late_with_its_stream_and_reason():
    joined = sw.join(*two(LATE), within="2 seconds", contract=sw.NoSlack())
    assert [("s1", "e", "late", 5_000_000)] == [
        (row["stream"], row["s1"]["v"], row["reason"], row["late_by"]) for row in joined.late.to_pylist()
    ]
    last = joined.decisions.to_pylist()[-1]
    assert (6, 5, 1, 0) == (last["arrived"], last["released"], last["late"], last["buffered"])


def test_null_and_future_times_go_to_late():
    table = pa.table({"ts": pa.array([1, None, 2**61], pa.int64()), "v": ["a", "b", "c"], "seq": [0, 2, 4]})
    odd = sw.stream(table, name="s1", event_time="ts", unit="us", arrival="seq")
    good = sw.stream(
        pa.table({"ts": [1], "v": ["d"], "seq": [1]}), name="s2", event_time="ts", unit="us", arrival="seq"
    )
    joined = sw.join(odd, good, within="1 second", contract=sw.NoSlack())
    assert ["null_time", "future"] == joined.late["reason"].to_pylist()
    assert 1 == joined.results.num_rows


def test_dropped_rows_are_counted_but_not_written():
    joined = sw.join(*two(LATE), within="2 seconds", contract=sw.NoSlack(), late="drop")
    assert 0 == joined.late.num_rows
    assert 1 == joined.decisions["late"].to_pylist()[-1]


def test_raise_names_the_stream_of_the_late_row():
    with pytest.raises(LateEventError, match="s1"):
        _ = sw.join(*two(LATE), within="2 seconds", contract=sw.NoSlack(), late="raise").results


def test_streams_without_an_arrival_column_progress_together():
    a = sw.stream(pa.table({"ts": [1, 2, 3, 4]}), name="a", event_time="ts", unit="s")
    b = sw.stream(pa.table({"ts": [1, 2, 3, 4]}), name="b", event_time="ts", unit="s")
    joined = sw.join(a, b, within="1 second", contract=sw.NoSlack())
    assert (10, 0) == (joined.results.num_rows, joined.late.num_rows)


def test_an_empty_stream_gives_no_results_and_loses_nothing():
    a = stream("a", [(0, 1, "x"), (1, 2, "y")])
    nothing = pa.table(
        {"seq": pa.array([], pa.int64()), "ts": pa.array([], pa.int64()), "v": pa.array([], pa.string())}
    )
    b = sw.stream(nothing, name="b", event_time="ts", unit="s", arrival="seq")
    joined = sw.join(a, b, within="1 second", contract=sw.Recall(0.9))
    assert (0, 0) == (joined.results.num_rows, joined.late.num_rows)
    assert 2 == joined.decisions["released"].to_pylist()[-1]


def test_per_stream_slacks_do_what_one_slack_for_all_does_theorem_1():
    streams = load("syn3", seed=1, duration="1 minute").streams

    def results(slack):
        frames = [
            sw.stream(table, name=name, event_time="event_time", arrival="arrival", max_ahead=None)
            for name, table in streams.items()
        ]
        joined = sw.join(*frames, on="a1", within="500 ms", contract=sw.FixedSlack(slack))
        return joined.decisions["results"].to_pylist()[-1]

    unequal, equal = results({"s1": "300 ms", "s2": "800 ms", "s3": "100 ms"}), results("800 ms")
    assert 0.995 * equal < unequal <= equal


def test_explain_says_which_kernels_are_possible():
    a, b, c = (random_stream(name, seed) for seed, name in enumerate("abc"))
    text = sw.join(
        a, b, c, on="a.k = b.k", where="c.x between b.x and b.x + 2", within="1 s", contract=sw.NoSlack()
    ).explain()
    for part in ("hash        a.k = b.k", "nested      c: everything", "band        b.x within 1 of c.x - 1", "order"):
        assert part in text
    assert "measured  " not in text


def test_explain_says_what_was_measured_and_chosen_once_there_are_results():
    a, b = (random_stream(name, seed, rows=2_000) for seed, name in enumerate("ab"))
    joined = sw.join(a, b, where="abs(a.x - b.x) < 0.01", within="30 s", contract=sw.FixedSlack("1 s"))
    results = joined.results.num_rows
    lines = joined.explain().split("measured")[1].splitlines()
    assert ["a -> b: band on x", "b -> a: band on x"] == [line.strip() for line in lines[1::2]]
    numbers = [re.search(r"([\d,]+) asked.* found ([\d.]+) partners", line).groups() for line in lines[2::2]]
    found = sum(int(asked.replace(",", "")) * float(each) for asked, each in numbers)
    assert results == pytest.approx(found, rel=0.01)


def test_explain_of_a_join_by_key_is_exact():
    a, b = random_stream("a", 0), random_stream("b", 1)
    joined = sw.join(a, b, on="k", within="1 s", contract=sw.FixedSlack("1 s"))
    assert joined.results.num_rows > 0
    assert "a -> b: hash" in joined.explain()
    assert "nothing else was looked at" in joined.explain()


def test_explain_names_keys_filters_and_checks():
    a, b = random_stream("a", 0), random_stream("b", 1)
    text = sw.join(
        a, b, on="k", where="a.x > 0 and a.x < b.x", within="1 s", contract=sw.Recall(0.99, over="1 minute")
    ).explain()
    for part in ("hash        a.k = b.k", "filter      a.x > 0", "check       a.x < b.x", "NeededSlack", "1 minute"):
        assert part in text


@pytest.mark.parametrize(
    ("options", "error", "text"),
    [
        ({"within": "0 s"}, ParameterError, "within"),
        ({"within": None}, ParameterError, "within"),
        ({"within": "-1 s"}, ParameterError, "within"),
        ({"within": {"a": "1 s"}}, ParameterError, "within"),
        ({"on": "nope"}, ColumnError, "nope"),
        ({"where": "x > 1"}, ParameterError, "a.x or b.x"),
        ({"where": "a.k + 1"}, ParameterError, "where"),
        ({"on": "a.k = b.name"}, ColumnError, "k"),
        ({"late": "adjust"}, ParameterError, "late"),
        ({"closed": "left"}, ParameterError, "closed"),
        ({"buckets": 0}, ParameterError, "buckets"),
        ({"scope": "cluster"}, ParameterError, 'scope must be "bucket" or "global"'),
        ({"scope": "global", "contract": sw.MaxSlack()}, ParameterError, "got .global with MaxDelay.; use Recall"),
        (
            {"scope": "global", "contract": sw.Recall(0.9, controller=sw.control.ModelSearch())},
            ParameterError,
            r"controller whose statistics can be added up, got 'global with ModelSearch'; use Recall with NeededSlack",
        ),
        ({"contract": sw.Recall(0.9), "synchronize": False}, ParameterError, "synchronize"),
        ({"contract": None}, TypeError, "Recall"),
        ({"contract": "recall 0.9"}, ParameterError, "Recall"),
        ({"contract": sw.FixedSlack({"a": "1 s"})}, ParameterError, "slack"),
    ],
)
def test_bad_input_is_refused_before_anything_runs(options, error, text):
    a, b = random_stream("a", 0), random_stream("b", 1)
    named = b.frame.append_column("name", pa.array(["n"] * b.frame.num_rows))
    b = sw.stream(named, name="b", event_time="ts", unit="ms", arrival="seq")
    with pytest.raises(error, match=text):
        sw.join(a, b, **{"within": "1 s", "contract": sw.NoSlack(), **options})


def test_one_stream_only_is_refused():
    with pytest.raises(ParameterError, match="2 or more"):
        sw.join(random_stream("a", 0), within="1 s", contract=sw.NoSlack())


def test_two_streams_of_one_name_are_refused():
    with pytest.raises(ParameterError, match="one stream only"):
        sw.join(random_stream("a", 0), random_stream("a", 1), within="1 s", contract=sw.NoSlack())


def test_a_condition_that_fails_on_some_rows_is_named():
    a, b = random_stream("a", 0), random_stream("b", 1)
    joined = sw.join(a, b, where="cast(concat('x', a.k) as int) = b.k", within="1 s", contract=sw.NoSlack())
    with pytest.raises(ConditionError, match="CAST"):
        _ = joined.results


def test_a_row_from_the_future_does_not_disturb_how_streams_interleave():
    times = list(range(1, 400))
    a = sw.stream(pa.table({"ts": [1, 2**40, *times[1:]]}), name="a", event_time="ts", unit="s")
    b = sw.stream(pa.table({"ts": times}), name="b", event_time="ts", unit="s")
    joined = sw.join(a, b, within="1 second", contract=sw.NoSlack())
    assert (3 * 399 - 2, 1) == (joined.results.num_rows, joined.late.num_rows)


@pytest.mark.parametrize("kinds", [(pa.int64(), pa.timestamp("us")), (pa.timestamp("ms"), pa.timestamp("us"))])
def test_arrival_columns_that_cannot_be_compared_are_refused(kinds):
    streams = [
        sw.stream(
            pa.table({"ts": [1], "seq": pa.array([1], kind)}), name=name, event_time="ts", unit="s", arrival="seq"
        )
        for name, kind in zip("ab", kinds, strict=True)
    ]
    with pytest.raises(ParameterError, match="arrival"):
        sw.join(*streams, within="1 second", contract=sw.NoSlack())
