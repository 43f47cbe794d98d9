"""Window aggregates as text."""

from __future__ import annotations

import pytest

import slackwater as sw
from slackwater.errors import ParameterError
from slackwater.plan.aggregate_text import AggregateQuery, parse_aggregate
from slackwater.time import Duration


@pytest.mark.parametrize(
    "text",
    [
        "count() as n size 1 minute",
        "max(speed) as worst, count() as n by segment size 1 minute slide 20 seconds",
        "mean(x) as m, variance(x) as v, sum(y) as s by a, b size 90 seconds",
    ],
)
def test_what_is_printed_reads_back_as_the_same_query(text):
    assert text == str(parse_aggregate(text))


def test_words_are_read_in_any_case_and_names_as_they_are():
    expected = AggregateQuery((("Top", sw.max("Size by")),), Duration.of("10 s"), Duration.of("5 s"), ("Line",))
    assert expected == parse_aggregate("MAX( Size by ) AS Top BY Line SIZE 10 s SLIDE 5 s")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("count() as n", "say the size of the windows"),
        ("count() as n size", "say 'size' once, with a value"),
        ("count() as n size 1 s size 2 s", "say 'size' once, with a value"),
        ("count() size 1 s", "have values as function"),
        ("size 1 s", "have values as function"),
        ("maxx(x) as n size 1 s", "use one of count, sum.*did you mean max"),
        ("max() as n size 1 s", "name the column of max"),
        ("count() as n size soon", "be a duration with a unit"),
    ],
)
def test_a_wrong_text_is_refused_with_what_it_must_say(text, problem):
    with pytest.raises(ParameterError, match=problem):
        parse_aggregate(text)
