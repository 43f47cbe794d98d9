"""The reorder pipeline with a clock per key: what it adds to the laws."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

from slackwater.contracts import DropRatio, FixedSlack, NoSlack
from slackwater.core.late import LatePolicy
from slackwater.events import Events
from slackwater.pipeline.guard import Incoming
from slackwater.plan.nodes import ReorderNode, StreamNode
from slackwater.testing import strategies as sst
from slackwater.testing.trace import KEYS, Driver, run_all

STREAM = StreamNode(name="bus", event_time="ts")


def node_of(contract, **options):
    return ReorderNode(stream=STREAM, contract=contract, by=("line",), **options)


@settings(max_examples=150, deadline=None)
@given(sst.contracts(), sst.late_policies(), sst.batches())
def test_restoring_after_every_prefix_gives_the_same_remaining_output(contract, late, batches):
    undisturbed = Driver(node_of(contract, late=late))
    for batch in batches:
        restored = undisturbed.restored()
        assert undisturbed.on_batch(batch) == restored.on_batch(batch)
    assert undisturbed.restored().on_end() == undisturbed.on_end()


@settings(max_examples=100, deadline=None)
@given(sst.late_policies(), sst.incoming())
def test_with_a_fixed_slack_keys_do_not_know_of_each_other(late, whole):
    node = node_of(FixedSlack("3 seconds"), late=late)
    together = run_all(node, [whole]).released
    for key in range(KEYS):
        alone = run_all(node, [whole[np.flatnonzero(whole.events.row % KEYS == key)]]).released
        assert alone == [(time, row) for time, row in together if row % KEYS == key]


def test_an_adjusted_event_takes_the_time_that_its_own_key_has_passed_on():
    driver = Driver(node_of(NoSlack(), late=LatePolicy.adjust()))
    released = driver.on_batch(Incoming(Events.of([100, 7, 50, 99, 3]))).released
    assert [(100, 0), (7, 1), (50, 2), (100, 3), (7, 4)] == released


def test_the_slack_follows_the_delays_within_keys_not_how_far_keys_are_apart():
    hour, second = 3_600_000_000, 1_000_000
    times = np.repeat(np.arange(400) * second, KEYS) - np.tile(np.arange(KEYS) * hour, 400)
    driver = Driver(node_of(DropRatio(0.01)))
    driver.on_batch(Incoming(Events.of(times.tolist())))
    assert (0, 0) == (driver.pipeline.counts.late, driver.pipeline.slack)


def test_quiet_keys_are_counted_as_released():
    driver = Driver(node_of(FixedSlack("1 hour")))
    driver.on_batch(Incoming(Events.of([5, 6, 7])))
    outcome = driver.pipeline.on_quiet(np.array([True, False, True]))
    assert ([5, 7], 1) == (outcome.released.time.tolist(), driver.pipeline.counts.buffered)


def test_one_clock_has_no_quiet_keys():
    driver = Driver(ReorderNode(stream=STREAM, contract=NoSlack()))
    with pytest.raises(TypeError, match="clock per key"):
        driver.pipeline.on_quiet(np.array([True]))
