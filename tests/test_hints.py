"""What is said where names or arguments are those of other engines."""

from __future__ import annotations

import pytest

import slackwater as sw
from slackwater import hints
from slackwater.errors import ParameterError


def test_a_name_of_another_engine_is_answered_with_ours():
    with pytest.raises(AttributeError, match=r"slackwater has no 'median'; use sw\.quantile\(column, 0\.5\)"):
        _ = sw.median


def test_a_misspelled_name_is_answered_with_the_nearest():
    with pytest.raises(AttributeError, match="slackwater has no 'Recal'; did you mean Recall"):
        _ = sw.Recal


def test_no_name_that_exists_has_a_hint():
    assert set() == set(hints.INSTEAD) & set(sw.__all__)


def test_a_quantile_without_its_share_says_how_to_give_it():
    with pytest.raises(ParameterError, match=r'q must be between 0 and 1, got None; sw\.quantile\("v", 0\.5\)'):
        sw.quantile("v")


def test_a_quantile_of_a_text_is_refused():
    with pytest.raises(ParameterError, match=r"q must be between 0 and 1, got '0\.5'"):
        sw.quantile("v", "0.5")


def test_early_results_by_a_number_alone_are_refused():
    with pytest.raises(ParameterError, match=r"early must say by name.*got 0\.25; write Early\(aggressiveness=0\.25\)"):
        sw.Early(0.25)


def test_a_negative_duration_is_refused_for_its_sign():
    with pytest.raises(
        ParameterError, match="over must not be negative, got '-1 seconds'; leave the sign out: \"1 sec"
    ):
        sw.Recall(0.99, over="-1 seconds")
