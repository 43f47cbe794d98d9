"""Whatever is written, the answer is a plan or an error of ours that shows the place."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import slackwater as sw
from slackwater.errors import ConditionError
from slackwater.sql.parser import parse, parse_query
from slackwater.sql.pipeline import read_pipeline
from slackwater.sql.printer import print_statement
from slackwater.sql.yaml_form import read_yaml
from tests.sql.corpus import DOCUMENTS, OURS
from tests.sql.strategies import CHAOS, FORMS, WORDS

CORPUS = [*DOCUMENTS, *OURS]
MOST_ROWS = 5  # of a stream of `fuzz_streams`
QUICK = settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def refused(text, read):
    """Return the error of ours that a text gives, if it gives one, with its place; any other is a failure."""
    found = None
    try:
        read(text)
    except sw.SqlError as error:
        found = error
    assert found is None or f"line {found.line}, column {found.column}: " in str(found)
    assert found is None or "^" in str(found)
    return found


def parsed_or_refused(text):
    error = refused(text, parse)
    if error is not None:
        assert 1 <= error.line <= text.count("\n") + 1


def run_or_refused(text, streams):
    refused(text, lambda text: show(sw.sql(text, contract=sw.NoSlack(), **streams)))


def show(output):
    """Ask for everything; rows may not fit a cast, which is an error of ours without a place."""
    with suppress(ConditionError):
        names = [name.lower() for name in output.results.schema.names]
        assert sorted(set(names)) == sorted(names)
        assert output.late.num_rows <= MOST_ROWS * len(output.query.first.streams)
        assert "sql" in output.explain()


@QUICK
@given(st.text())
@example("SELECT " + "(" * 5000)
@example("SELECT " + "-" * 1 + "CASE " * 400 + "FROM bus")
@example("SELECT 1 FROM bus [" + "9" * 500 + " s]")
@example("SELECT 1 FROM (" * 5000)
@example("SELECT * FROM bus WITH RECALL 1e999")
@example("SELECT \x00 FROM bus")
def test_random_text_is_read_or_refused(text):
    parsed_or_refused(text)


@QUICK
@given(st.lists(WORDS, max_size=25).map(" ".join))
def test_random_words_of_sql_are_read_or_refused(text):
    parsed_or_refused(text)


@st.composite
def mutated(draw):
    """Return a valid query of which some characters or words were left out, doubled, changed or swapped."""
    words = draw(st.sampled_from(OURS)).split(" ")
    for _ in range(draw(st.integers(1, 3))):
        place = draw(st.integers(0, len(words) - 1))
        words[place : place + 1] = draw(
            st.sampled_from([[], [words[place]] * 2, [words[place][:-1]], words[place : place + 2][::-1]])
            | WORDS.map(lambda w: [w])
        )
        words = words or ["SELECT"]
    return " ".join(words)


@QUICK
@given(mutated())
def test_a_mutated_query_runs_or_is_refused(fuzz_streams, text):
    run_or_refused(text, fuzz_streams)


@QUICK
@given(FORMS, CHAOS, CHAOS)
@example("SELECT sum({}) AS a FROM bus [10 s] WITH NO SLACK", "year()", "")
@example("SELECT {} AS a FROM bus [5 s], scats [5 s] WITH NO SLACK", "(`delay` . 0)", "")
@example("SELECT {} AS a FROM bus [10 s] GROUP BY line WITH NO SLACK", "mean(count(delay))", "")
@example("SELECT ts FROM bus WHERE {} WITH NO SLACK", "count()", "")
@example("SELECT max({}) AS a FROM bus [10 s, SLIDE 5 s] WITH NO SLACK", "INTERVAL 5 SECONDS", "")
def test_any_expression_is_computed_or_refused(fuzz_streams, form, first, second):
    run_or_refused(form.format(first, second), fuzz_streams)


YAML = "streams: {bus: {dataset: traffic}}\nsinks: {o: {path: x}}\nqueries:\n  - {into: o, select: '*', from: bus}\n"


@QUICK
@given(st.integers(0, len(YAML) - 1), st.text(alphabet="{}[]:,'\"\n -ab&*!%1~", max_size=3))
def test_mutated_yaml_is_read_or_refused(place, text):
    refused(YAML[:place] + text + YAML[place + 1 :], read_yaml)


PIPELINE = """CREATE STREAM bus (ts BIGINT, s STRUCT<x: INT>) WITH (path = 'x', unit = 's', n.x = 5);
CREATE SINK o WITH (path = 'o', rows = 5); SET engine = 'local'; INSERT INTO o SELECT * FROM bus WITH SLACK 1 s"""


@QUICK
@given(st.integers(0, len(PIPELINE) - 1), st.text(alphabet="()<>=:;,.'` x1é", max_size=3))
def test_a_mutated_pipeline_is_read_or_refused(place, text):
    refused(PIPELINE[:place] + text + PIPELINE[place + 1 :], read_pipeline)


@pytest.mark.parametrize("text", CORPUS)
@pytest.mark.parametrize("share", [0.25, 0.5, 0.75, 0.9])
def test_a_query_that_breaks_off_is_read_or_refused(text, share):
    parsed_or_refused(text[: int(len(text) * share)])


@pytest.mark.parametrize("text", OURS)
def test_a_query_of_the_corpus_finds_the_same_when_it_is_written_again(fuzz_streams, text):
    again = print_statement(parse_query(text))
    assert sw.sql(text, **fuzz_streams).results == sw.sql(again, **fuzz_streams).results
