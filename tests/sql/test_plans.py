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
