"""Print and parse are inverse."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from slackwater.sql.parser import parse
from slackwater.sql.printer import print_script
from tests.sql.corpus import DOCUMENTS, OURS
from tests.sql.strategies import SCRIPTS


@settings(max_examples=300, deadline=None)
@given(SCRIPTS)
def test_what_is_printed_is_read_back_as_the_same_tree(script):
    assert script == parse(print_script(script))


@pytest.mark.parametrize("condition", ["a * late", "a IS NOT DISTINCT FROM late", "late > 5", "x.late AND early"])
def test_a_column_that_is_called_as_a_clause_is_one_where_an_expression_goes_on(condition):
    assert condition == parse(f"SELECT * FROM bus WHERE {condition} EARLY 25%").statements[0].where.text


@pytest.mark.parametrize("text", [*DOCUMENTS, *OURS])
def test_a_query_means_the_same_after_it_was_printed(text):
    script = parse(text)
    assert script == parse(print_script(script))
