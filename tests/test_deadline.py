"""Deadlines, and two contracts at once."""

from __future__ import annotations

import numpy as np
import pytest

import slackwater as sw
from slackwater.control import DeadlineSlack, controller_for
from slackwater.errors import ParameterError
from slackwater.time import Duration

TIGHT = sw.Deadline("5 seconds", latency="1 second")


def test_what_is_no_waiting_is_not_left_for_waiting():
    assert Duration.of("4 seconds") == TIGHT.left


def test_a_deadline_is_kept_by_waiting_as_long_as_it_leaves():
    assert Duration.of("4 seconds") == controller_for(TIGHT).next_slack()


def test_a_controller_without_a_deadline_waits_for_nothing():
    assert Duration.ZERO == DeadlineSlack().build().next_slack()


def test_a_cap_also_limits_what_a_deadline_leaves():
    assert Duration.of("2 seconds") == controller_for(sw.Deadline("5 seconds", cap="2 seconds")).next_slack()


def test_a_deadline_without_time_to_wait_names_the_shortest_one():
    with pytest.raises(ParameterError, match=r"limit must be more than the 2 seconds .* 2\.001 seconds is"):
        sw.Deadline("2 seconds", latency="2 seconds")


def test_the_goal_of_a_deadline_tells_a_tuner_all_of_it():
    goal = TIGHT.goal()
    assert (5_000_000, 1_000_000, 5_000_000) == (goal.deadline, goal.latency, goal.cap)


def test_the_second_of_two_contracts_says_how_long_is_waited_at_most():
    both = sw.Recall(0.99) & TIGHT
    assert (Duration.of("4 seconds"), 0.99) == (both.longest_wait, both.quality)
    assert (sw.Recall(0.99) & TIGHT).deadline_rules


def test_the_first_of_two_contracts_gives_way():
    other = TIGHT & sw.Recall(0.99)
    assert (None, False) == (other.longest_wait, other.deadline_rules)


def test_a_cap_of_the_target_counts_as_well():
    both = sw.DropRatio(0.01, cap="3 seconds") & TIGHT
    assert Duration.of("3 seconds") == both.longest_wait


@pytest.mark.parametrize(
    ("contract", "names"),
    [
        (sw.Recall(0.99) & TIGHT, ["Recall", "Deadline", "Deadline", "Deadline"]),
        (TIGHT & sw.Recall(0.99), ["Deadline", "Deadline", "Recall", "Recall"]),
    ],
)
def test_decisions_name_the_second_contract_where_both_could_not_be_kept(contract, names):
    slack, past = np.array([0, 4_000_000, 4_000_001, 0]), np.array([0, 0, 0, 1])
    assert names == contract.ruled(slack, past)


def test_a_single_contract_rules_alone():
    assert TIGHT.ruled(np.array([1]), np.array([1])) is None


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: sw.Recall(0.9) & sw.DropRatio(0.1), "be a Deadline and a Recall or a DropRatio, got 'Recall & DropR"),
        (lambda: TIGHT & TIGHT, "be a Deadline and a Recall or a DropRatio"),
        (lambda: sw.FixedSlack("1 s") & TIGHT, "be a Deadline and a Recall or a DropRatio"),
        (lambda: sw.Recall(0.9) & TIGHT & TIGHT, "be a Deadline and a Recall or a DropRatio"),
        (lambda: sw.Recall(0.9) & 5, "be a Deadline and a Recall or a DropRatio, got 5"),
        (lambda: sw.RelativeError(0.03) & TIGHT, r"so RelativeError\(0.03, cap=\"4 seconds\"\) says as much"),
        (lambda: sw.Recall(0.9) & sw.Deadline("5 s", cap="1 s"), "have neither where it is one of two"),
    ],
)
def test_other_pairs_are_refused(make, message):
    with pytest.raises(ParameterError, match=message):
        make()


def test_more_that_is_no_waiting_leaves_less_of_both():
    both = (sw.DropRatio(0.01) & TIGHT).after(Duration.of("3 seconds"))
    assert Duration.of("1 second") == both.longest_wait


def test_a_cap_of_nothing_counts_as_well():
    assert Duration.ZERO == (sw.Recall(0.99, cap="0 seconds") & sw.Deadline("5 seconds")).longest_wait
