"""How kills are dealt to queries; no Spark needed."""

from __future__ import annotations

from collections import Counter

from tests.chaos.kills import MIX
from tests.chaos.lanes import deal

NAMES = ("reorder", "merge", "join of 2")


def dealt(count, had=None):
    return {name: len(own) for name, own in deal(["python"] * count, NAMES, Counter(had or {})).items()}


def test_at_first_every_query_gets_its_share():
    assert {"reorder": 4, "merge": 4, "join of 2": 3} == dealt(11)


def test_fewer_kills_than_queries_are_one_for_each_of_the_first():
    assert {"reorder": 1, "merge": 1} == dealt(2)


def test_a_few_that_are_left_go_to_the_query_that_had_the_fewest():
    assert {"merge": 9} == dealt(9, had={"reorder": 20, "merge": 12, "join of 2": 29})


def test_many_that_are_left_go_to_several_queries():
    assert {"merge": 8, "reorder": 8} == dealt(16, had={"reorder": 20, "merge": 12, "join of 2": 29})


def test_each_kill_is_dealt_once():
    waiting = [*MIX] * 7
    assert Counter(waiting) == Counter(kind for own in deal(waiting, NAMES, Counter()).values() for kind in own)
