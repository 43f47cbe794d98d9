"""How a stream is bound to combinations: which bands may be used together."""

from __future__ import annotations

from slackwater.core.step import Step


def step(*bands: int, checks: tuple = ()) -> Step:
    return Step(1, (), None, None, None, (), (), None, checks, tuple((band, 0) for band in bands))


def test_at_most_two_bands_are_used_together_fewest_first():
    assert [(), (3,), (5,), (6,), (3, 5), (3, 6), (5, 6)] == step(3, 5, 6).choices


def test_without_bands_everything_within_the_window_is_searched():
    assert [()] == step().choices


def test_a_step_that_checks_its_pairs_afterwards_is_slow():
    assert not step().slow
    assert step(checks=(object(),)).slow
