"""How long contracts wait before they have learned anything: what their docstrings promise."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

import slackwater as sw

SECONDS = 30


@pytest.fixture(scope="module")
def stream():
    random = np.random.default_rng(1)
    happened = np.sort(random.integers(0, SECONDS * 1_000, SECONDS * 100))
    order = np.argsort(happened + random.exponential(800, len(happened)), kind="stable")
    return sw.stream(pa.table({"ts": happened[order]}), event_time="ts", unit="ms")


@pytest.fixture(scope="module")
def largest(stream):
    """The slack that `MaxSlack` has at each decision."""
    return sw.reorder(stream, contract=sw.MaxSlack()).decisions["slack"].to_pylist()


def slacks(output) -> list[int]:
    return output.decisions["slack"].to_pylist()


def test_a_recall_waits_for_nothing_in_its_first_interval(stream):
    assert 0 == slacks(sw.reorder(stream, contract=sw.Recall(0.9)))[0]


def test_a_recall_waits_for_all_so_far_until_a_sixth_of_its_period_has_passed(stream, largest):
    assert largest[:9] == slacks(sw.reorder(stream, contract=sw.Recall(0.9)))[1:10]
    assert largest[9] > slacks(sw.reorder(stream, contract=sw.Recall(0.9)))[10]


def test_a_drop_ratio_follows_the_largest_delay_from_the_first_row_on(stream, largest):
    assert largest[:5] == slacks(sw.reorder(stream, contract=sw.DropRatio(0.01)))[:5]


def test_a_bound_on_errors_waits_for_all_so_far_until_windows_can_be_judged(stream, largest):
    options = {"size": "5 seconds", "values": {"n": sw.count()}, "contract": sw.RelativeError(0.03)}
    found = slacks(sw.aggregate(stream, **options))
    assert [0, *largest[:4]] == found[:5]
    assert min(found[5:]) < largest[4]


def test_a_shorter_period_learns_sooner(stream, largest):
    found = slacks(sw.reorder(stream, contract=sw.Recall(0.9, over="12 seconds")))
    assert largest[2] > found[3]
