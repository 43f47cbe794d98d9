from __future__ import annotations

import numpy as np
import pytest

from slackwater.errors import ParameterError
from slackwater.sources import delays_of, soccer
from slackwater.sources.dataset import event_times_of
from slackwater.sources.soccer import PITCH


@pytest.fixture(scope="module")
def game():
    return soccer()


def test_each_team_has_450_000_events_in_23_minutes(game):
    for table in game.streams.values():
        assert 450_000 == table.num_rows
        assert pytest.approx(1436.9e6, rel=1e-3) == np.ptp(event_times_of(table))


def test_counts_of_the_thesis_are_met():
    rows = [table.num_rows for table in soccer(game="23min", duration="14.369 seconds").streams.values()]
    assert [3_427, 4_291] == rows


@pytest.mark.parametrize("team", ["team_a", "team_b"])
def test_about_70_percent_are_in_order(game, team):
    assert pytest.approx(0.70, abs=0.03) == np.mean(delays_of(game.streams[team]) == 0)


@pytest.mark.parametrize("team", ["team_a", "team_b"])
def test_most_out_of_order_events_are_at_most_40_ms_behind(game, team):
    delays = delays_of(game.streams[team])
    assert np.mean(delays[delays > 0] <= 40_000) > 0.95


@pytest.mark.parametrize(("team", "longest"), [("team_a", 22e6), ("team_b", 26e6)])
def test_longest_delay_is_that_of_the_document(game, team, longest):
    assert pytest.approx(longest, abs=100_000) == delays_of(game.streams[team]).max()


@pytest.fixture(scope="module")
def clock_difference(game):
    merged = game.merged()
    times, stream = event_times_of(merged), merged["stream"].to_numpy()
    clocks = [np.maximum.accumulate(np.where(stream == which, times, times[0])) for which in (0, 1)]
    return clocks[0] - clocks[1]


def test_clocks_of_the_teams_differ_by_less_than_50_ms_most_of_the_time(clock_difference):
    assert np.mean(np.abs(clock_difference) <= 50_000) > 0.95


def test_neither_team_always_leads(clock_difference):
    assert 0.25 < np.mean(clock_difference > 0) < 0.75


def test_players_stay_on_the_pitch(game):
    for table in game.streams.values():
        for axis, size in zip(("xcoord", "ycoord"), PITCH, strict=True):
            assert 0 <= table[axis].to_numpy().min()
            assert table[axis].to_numpy().max() <= size


def test_players_run_no_faster_than_people(game):
    table = game.streams["team_a"].sort_by("event_time")
    one = table["sid"].to_numpy() == 3
    every = slice(None, None, 40)  # about one position per second, so that rounding to cm does not matter
    x, y = (table[axis].to_numpy()[one][every] for axis in ("xcoord", "ycoord"))
    seconds = np.diff(event_times_of(table)[one][every]) / 1e6
    assert (np.hypot(np.diff(x), np.diff(y)) / seconds).max() < 10


def test_opponents_meet(game):
    a, b = (table.slice(0, 3_000).to_pydict() for table in game.streams.values())
    gap = np.hypot(np.subtract.outer(a["xcoord"], b["xcoord"]), np.subtract.outer(a["ycoord"], b["ycoord"]))
    assert 0.001 < np.mean(gap < 5) < 0.2


def test_unknown_game_is_refused():
    with pytest.raises(ParameterError, match="ji16, 23min, 16min"):
        soccer(game="final")
