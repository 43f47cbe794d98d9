from __future__ import annotations

import json

import numpy as np
import pytest

from slackwater.estimate.group_memory import GroupMemory


def remembered(rows, *, groups=None, windows=50) -> GroupMemory:
    memory = GroupMemory()
    random = np.random.default_rng(1)
    for _ in range(windows):
        counts = random.poisson(rows).astype(np.float64)
        memory.update(np.arange(len(counts)) if groups is None else np.asarray(groups), counts)
    return memory


def test_a_group_without_a_past_has_no_share():
    assert [0.0] == GroupMemory().shares(np.array([5])).tolist()


def test_groups_that_keep_their_share_are_trusted():
    assert 100 < remembered([500, 500, 500, 500]).strength(np.array([0]))[0]


def test_groups_that_vary_are_not_trusted():
    memory, random = GroupMemory(), np.random.default_rng(1)
    for _ in range(50):
        memory.update(np.arange(4), random.choice([10.0, 1000.0], 4))
    assert 3 > memory.strength(np.array([0]))[0]


def test_a_group_of_few_events_has_a_weak_past():
    memory = remembered([1000, 0.1])
    assert 10 > memory.strength(np.array([1]))[0] < memory.strength(np.array([0]))[0]


def test_a_group_that_is_gone_is_forgotten():
    memory = remembered([5.0, 5.0])
    for _ in range(800):
        memory.update(np.array([0]), np.array([5.0]))
    assert [0] == memory.groups.tolist()


def test_a_group_of_which_more_was_missing_is_later_than_others():
    memory = remembered([100, 100])
    for _ in range(50):
        memory.learn(np.array([0, 1]), np.array([150.0, 50.0]), np.array([100.0, 100.0]))
    assert [1.5, 0.5] == pytest.approx(memory.lateness(np.array([0, 1])).tolist(), abs=0.02)


def test_what_all_groups_missed_is_no_lateness_of_one():
    memory = remembered([100, 100])
    memory.learn(np.array([0, 1]), np.array([150.0, 150.0]), np.array([100.0, 100.0]))
    assert [1.0, 1.0] == pytest.approx(memory.lateness(np.array([0, 1])).tolist())


def test_groups_keep_their_memory_under_other_codes():
    memory = remembered([30, 10]).renamed(np.array([9, 2]))
    assert remembered([30, 10]).shares(np.array([0, 1])).tolist() == memory.shares(np.array([9, 2])).tolist()


def test_goes_on_from_a_snapshot():
    memory = remembered([30, 10, 5])
    again = GroupMemory(json.loads(json.dumps(memory.snapshot())))
    for each in (memory, again):
        each.update(np.array([1, 7]), np.array([3.0, 4.0]))
        each.learn(np.array([7]), np.array([1.0]), np.array([2.0]))
    assert memory.snapshot() == again.snapshot()
