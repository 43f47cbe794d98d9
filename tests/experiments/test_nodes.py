"""SSG17's traffic join on several nodes."""

from __future__ import annotations

import duckdb
import pytest

from slackwater.experiments.nodes import AT_A_TIME, City, apart, comparisons, share_of, together

CITY = City(seed=1, duration="12 seconds")


@pytest.fixture(scope="module")
def alone():
    return apart(CITY, 1)[0]


@pytest.mark.parametrize("nodes", [2, 3])
def test_nodes_find_together_what_one_finds(alone, nodes):
    assert alone.jams == sum(each.jams for each in apart(CITY, nodes)) > 0


def test_nodes_share_the_events_without_rest():
    assert 24_000 == sum(share_of(CITY.make(), node, 3).rows for node in range(3))


def test_what_is_read_first_is_not_timed(alone):
    assert 24_000 - AT_A_TIME == alone.timed


def test_nodes_beside_each_other_find_what_one_finds(alone):
    assert alone.jams == sum(each.jams for each in together(CITY, 2))


def test_all_pairs_of_an_area_and_both_windows_are_compared():
    made = City(seed=1, duration="12 seconds").make()
    bus, scats = made.streams["bus"], made.streams["scats"]  # noqa: F841  (the query names them)
    pairs = "select count(*) from bus join scats using (area) where abs(epoch_us(bus.event_time - scats.event_time))"
    assert duckdb.sql(f"{pairs} <= 5000000").fetchall() == [(comparisons(made),)]
