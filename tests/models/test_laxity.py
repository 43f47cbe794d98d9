from __future__ import annotations

import pytest

from slackwater.models.laxity import climb, reason_to_tune


@pytest.mark.parametrize(("latency", "reason"), [(6_000, "violated"), (1_000, "room"), (5_000, None)])
def test_e33_the_trigger(latency, reason):
    assert reason == reason_to_tune(latency, 6_000, alpha=0.3)


def test_laxity_of_exactly_alpha_is_room():
    assert "room" == reason_to_tune(70, 100, alpha=0.3)


def _few(position):
    a, b = (50 * step for step in position)
    return max(0, 500 - a) + max(0, 300 - 2 * b)


def _in_time(deadline):
    return lambda position: 100 + 50 * sum(position) < deadline


def test_e34_hill_climbing():
    found = climb((0, 0), slack_ready=_few, valid=_in_time(451), highest=(99, 99))
    assert (200, 150) == tuple(50 * step for step in found)


def test_a_climb_ends_where_nothing_more_is_gained():
    assert (10, 3) == climb((0, 0), slack_ready=_few, valid=_in_time(10_000), highest=(99, 99))


def test_on_a_plateau_a_climb_goes_on_to_the_highest_if_allowed():
    assert (12, 12) == climb((0, 0), slack_ready=_few, valid=_in_time(10_000), highest=(12, 12), allow_plateau=True)


def test_on_a_plateau_the_lowest_slack_is_raised_first():
    assert (5, 5) == climb(
        (5, 0), slack_ready=lambda _: 0, valid=lambda p: sum(p) <= 10, highest=(9, 9), allow_plateau=True
    )


def test_a_climb_never_leaves_a_start_for_something_invalid():
    assert (3, 3) == climb((3, 3), slack_ready=_few, valid=lambda _: False, highest=(9, 9))


def test_a_raise_that_makes_it_worse_is_not_taken():
    assert (0,) == climb((0,), slack_ready=lambda p: p[0], valid=lambda _: True, highest=(9,), allow_plateau=True)
