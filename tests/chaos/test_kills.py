"""Who is killed how often; no Spark needed."""

from __future__ import annotations

import random

import pytest

from tests.chaos.kills import MIX, kinds


def test_kinds_are_drawn_in_their_shares():
    drawn = kinds(200, random.Random(1))
    assert {kind: 2 * share for kind, share in MIX.items()} == {kind: drawn.count(kind) for kind in MIX}


@pytest.mark.parametrize("count", [1, 4, 5, 7, 21, 33])
def test_as_many_are_drawn_as_are_asked_for(count):
    assert count == len(kinds(count, random.Random(1)))


def test_a_few_kills_are_of_different_kinds():
    assert set(MIX) == set(kinds(len(MIX), random.Random(1)))
