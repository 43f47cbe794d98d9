"""A text builds the plan that the call of Python would."""

from __future__ import annotations

import sys
from dataclasses import replace

import pyarrow as pa
import pytest

import slackwater as sw
from slackwater.errors import LateEventError
from slackwater.sql.contracts import early_of
from slackwater.sql.parser import parse_query
from slackwater.sql.places import Places


def node(text, streams, **options):
    return sw.sql(text, **streams, **options).plan.node


@pytest.fixture
def named(fuzz_streams):
    """The streams under their own names, as calls of Python want them."""
    tables = {name: pa.table(stream.frame) for name, stream in fuzz_streams.items()}
    return {name: sw.stream(table, name=name, event_time="ts", unit="s") for name, table in tables.items()}


def test_a_join_is_that_of_python(named):
    where = "bus.area = scats.area AND delay > 5"
    text = f"SELECT * FROM bus [2 s], scats [3 s] WHERE {where} WITH RECALL 0.9 BUCKETS 4 POOLED"
    same = sw.join(
        *named.values(),
        within={"bus": "2 seconds", "scats": "3 seconds"},
        where=where,
        contract=sw.Recall(0.9),
        buckets=4,
        scope="global",
    ).node
    found = node(text, named)
    assert same.condition.key_classes == found.condition.key_classes
    assert replace(same, condition=found.condition) == found


WINDOWS = "WINDOW [RANGE 10 s, SLIDE 5 s] GROUP BY bus.area WITH RECALL 0.9"
JOINED = "bus [2 s], scats [2 s] WHERE bus.area = scats.area"
OF_A_JOIN = [
    f"SELECT count(*) AS n, max(bus.delay) AS worst FROM {JOINED} {WINDOWS}",
    f"SELECT count(*) AS n, max(d) AS worst FROM (SELECT bus.area, bus.delay AS d FROM {JOINED} WITH RECALL 0.9) "
    "[RANGE 10 s, SLIDE 5 s] GROUP BY area",
    f"SELECT count(*) AS n, max(delay) AS worst FROM (SELECT * FROM {JOINED} WITH RECALL 0.9) AS jams "
    "[RANGE 10 s, SLIDE 5 s] GROUP BY bus.area",
]


@pytest.mark.parametrize("text", OF_A_JOIN)
def test_an_aggregate_of_a_join_is_that_of_python(named, text):
    jams = sw.join(*named.values(), within="2 seconds", on="area", contract=sw.Recall(0.9))
    values = {"n": sw.count(), "worst": sw.max("bus.delay")}
    same = sw.aggregate(jams, by="bus.area", size="10 seconds", slide="5 seconds", values=values)
    found = sw.sql(text, **named)
    assert (same.then, same.feed) == (found.plan.then, found.plan.feed)
    assert same.results == found.results


def test_an_aggregate_of_an_aggregate_is_that_of_python(named):
    counts = sw.aggregate(
        named["bus"], by="line", size="5 seconds", values={"n": sw.count()}, contract=sw.FixedSlack("2 seconds")
    )
    same = sw.aggregate(counts, size="20 seconds", values={"most": sw.max("n")})
    inner = "SELECT line, count(*) AS n FROM bus [RANGE 5 s, SLIDE 5 s] GROUP BY line WITH SLACK 2 SECONDS"
    assert same.node == node(f"SELECT max(n) AS most FROM ({inner}) [RANGE 20 s, SLIDE 20 s]", named)


def test_what_is_computed_from_one_stream_is_aggregated_over_the_join(named):
    values = "max(bus.delay * 2) AS twice, sum(scats.flow + 1) AS more"
    found = sw.sql(f"SELECT {values} FROM {JOINED} WINDOW [RANGE 20 s, SLIDE 20 s] WITH MAX SLACK", **named).results
    rows = sw.sql(f"SELECT bus.delay, scats.flow FROM {JOINED} WITH MAX SLACK", **named).results.to_pylist()
    more = sum(row["flow"] + 1 for row in rows)
    assert (2 * max(row["delay"] for row in rows), more) == (found["twice"][0].as_py(), found["more"][0].as_py())


def test_columns_that_are_computed_have_names_that_no_other_column_has():
    rows = pa.table({"ts": [1, 2], "s": [{"x": 5}, {"x": 7}], "s_x": [1, 1]})
    text = "SELECT max(s.x), max(s_x), max(bus.s.x + 1) FROM bus [9 s, SLIDE 9 s] WITH NO SLACK"
    found = sw.sql(text, bus=sw.stream(rows, event_time="ts", unit="s")).results.drop_columns("window")
    assert [{"max(s.x)": 7, "max(s_x)": 1, "max(bus.s.x + 1)": 8}] == found.to_pylist()


def test_groups_of_one_name_are_told_apart_by_their_streams(named):
    text = "SELECT count(*) AS n FROM bus AS a [5 s], bus AS b [5 s] WINDOW [RANGE 20 s, SLIDE 20 s]"
    found = sw.sql(f"{text} GROUP BY a.line, b.line WITH MAX SLACK", **named).results
    assert ["window", "a_line", "b_line", "n"] == found.column_names


def test_a_group_has_the_name_that_the_query_in_brackets_gives_it(named):
    text = "SELECT count(*) AS n FROM (SELECT scats.flow AS f FROM bus [5 s], scats [5 s] WITH MAX SLACK)"
    assert ["window", "f", "n"] == sw.sql(f"{text} [9 s, SLIDE 9 s] GROUP BY f", **named).results.column_names


def test_an_aggregate_is_that_of_python(named):
    text = (
        "SELECT max(delay) AS worst, count(*) AS n FROM bus [30 s, SLIDE 10 s] GROUP BY line WITHIN ERROR 3% EARLY 25%"
    )
    same = sw.aggregate(
        named["bus"],
        size="30 seconds",
        slide="10 seconds",
        by="line",
        values={"worst": sw.max("delay"), "n": sw.count()},
        contract=sw.RelativeError(0.03),
        early=sw.Early(aggressiveness=0.25),
    )
    assert same.node == node(text, named)


def test_a_reordered_stream_is_that_of_python(named):
    same = sw.reorder(named["bus"], by="line", contract=sw.FixedSlack("2 seconds"), late="adjust")
    assert same.node == node("SELECT * FROM bus PARTITION BY line WITH SLACK 2 s LATE ADJUST", named)


def test_a_merge_is_that_of_python(named):
    same = sw.merge(*named.values(), contract=sw.DropRatio(0.01) & sw.Deadline("6 seconds"))
    assert same.node == node("SELECT * FROM MERGE(bus, scats) WITH DROP 1% AND DEADLINE 6 SECONDS", named)


EARLY = [
    ("25%", sw.Early(aggressiveness=0.25)),
    ("EVERY 10 SECONDS RAW", sw.Early(every="10 seconds", estimate="raw")),
    ("AT 1 MINUTE, 2 MINUTES", sw.Early(at=["1 minute", "2 minutes"])),
    ("ACCURACY 98% CONFIDENCE 80%", sw.Early(accuracy=0.98, confidence=0.8)),
    ("ON PRODS", sw.Early()),
]


@pytest.mark.parametrize(("words", "same"), EARLY, ids=[words for words, _ in EARLY])
def test_early_is_that_of_python(words, same):
    text = f"SELECT * FROM bus EARLY {words}"
    assert same == early_of(parse_query(text).early, Places(text))


def test_late_raise_raises(fuzz_streams):
    with pytest.raises(LateEventError):
        _ = sw.sql("SELECT * FROM bus WITH NO SLACK LATE RAISE", **fuzz_streams).results


def test_the_names_of_streams_are_found_in_upper_or_lower_case(fuzz_streams):
    assert "BUS" == node("SELECT * FROM BUS WITH NO SLACK", fuzz_streams).stream.name


def test_where_of_an_aggregate_comes_first(fuzz_streams):
    found = sw.sql("SELECT count(*) AS n FROM bus [10 s, SLIDE 10 s] WHERE delay > 60 WITH MAX SLACK", **fuzz_streams)
    assert [2, 1] == found.results["n"].to_pylist()


def test_where_of_a_stream_chooses_from_what_all_rows_give(fuzz_streams):
    found = sw.sql("SELECT ts FROM bus WHERE delay > 60 WITH NO SLACK", **fuzz_streams)
    assert ([1, 12], 1) == (found.results["ts"].to_pylist(), found.late.num_rows)


def test_hostile_names_and_texts_stay_what_they_are(fuzz_streams):
    text = "SELECT '\"; DROP TABLE x; --' AS `a\"b; --` FROM bus WHERE area <> '''); DELETE' WITH MAX SLACK"
    found = sw.sql(text, **fuzz_streams).results
    assert {'a"b; --': '"; DROP TABLE x; --'} == found.to_pylist()[0]


def test_modules_of_sql_can_be_imported_under_another_name():
    import slackwater.sql.parser as parser

    assert parser.parse is sys.modules["slackwater.sql.parser"].parse
