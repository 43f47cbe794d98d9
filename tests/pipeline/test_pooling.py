"""One controller for all buckets decides as one operator would that had seen all of it."""

from __future__ import annotations

import json

import numpy as np
import pyarrow as pa
import pytest

import slackwater as sw
from slackwater.control.choose import controller_for
from slackwater.control.following import FollowingController
from slackwater.estimate.pool import Statistics
from slackwater.measurement import NeededSlacks
from slackwater.pipeline.columns import read_batch
from slackwater.pipeline.join import JoinPipeline
from slackwater.pipeline.pooling import PooledSlack, pooled_table
from slackwater.pipeline.predicates import bind

SECOND = 1_000_000
PERIOD = 10  # decisions
CONTRACT = sw.Recall(0.9, over="10 seconds")
EVENTS = 4_000


@pytest.fixture(scope="module")
def tables() -> list[pa.Table]:
    random = np.random.default_rng(3)
    delays = np.where(random.random(EVENTS) < 0.6, 0, random.exponential(900, EVENTS)).astype(np.int64)
    columns = {"ts": np.arange(EVENTS) * 25 - delays, "seq": np.arange(EVENTS), "key": random.integers(0, 9, EVENTS)}
    whole = pa.table(columns)
    return [whole.filter(pa.array(np.arange(EVENTS) % 2 == stream)) for stream in range(2)]


def node_of(tables):
    streams = [
        sw.stream(each, name=f"s{n}", event_time="ts", unit="ms", arrival="seq") for n, each in enumerate(tables)
    ]
    return sw.join(*streams, on="key", within="1 second", contract=CONTRACT, buckets=2, scope="global").node


def reported(node, tables):
    """Run a join that decides by itself; return its decisions and what it would report."""
    windows = tuple(window.microseconds for window in node.windows)
    follower = FollowingController(controller_for(CONTRACT, windows=windows), CONTRACT.goal(windows))
    delays = [np.zeros(len(table), np.int64) for table in tables]
    pipeline = JoinPipeline(node, bind(node.condition, tables), delays, controller=follower)
    pairs = zip(node.streams, tables, strict=True)
    outcome = pipeline.on_batch([read_batch(stream, table, processing_time=10**15) for stream, table in pairs])
    return outcome.decisions, follower.report()


def test_the_reports_of_a_join_lead_to_its_own_decisions(tables):
    node = node_of(tables)
    decisions, report = reported(node, tables)
    pooled = PooledSlack(node).on_batch([report])
    assert len(decisions) > 90
    # A join writes down the slack that was in force up to a boundary, the driver what it decides there.
    assert decisions.slack[1:].tolist() == [each.slack for each in pooled[:-1]]
    # The join counts what it has made up to its time, the driver estimates: while the slack first grows they differ.
    settled = slice(2 * PERIOD, None)
    assert decisions.measured[settled].tolist() == pytest.approx([each.measured for each in pooled[settled]], abs=0.03)


def test_reports_that_come_in_pieces_lead_to_the_same_decisions(tables):
    node = node_of(tables)
    _, (statistics, clock) = reported(node, tables)
    whole = PooledSlack(node).on_batch([(statistics, clock)])
    pieces, state = [], {}
    for second in range(99):
        driver = PooledSlack(node, state)
        pieces += driver.on_batch([(statistics[statistics.interval == second], (second + 1) * SECOND)])
        state = json.loads(json.dumps(driver.snapshot()))
    assert [each.slack for each in pieces] == [each.slack for each in whole]


def some(slack: int, results: float, made: float) -> NeededSlacks:
    lags = np.array([slack], np.int64)
    return NeededSlacks(lags, np.array([results]), (lags, lags), (5, 5), None, made)


def test_the_recall_is_measured_over_all_buckets_together(tables):
    driver = PooledSlack(node_of(tables))
    poor, good = Statistics.of(some(500, 10.0, made=0.0), 0), Statistics.of(some(500, 30.0, made=30.0), 0)
    (decision,) = driver.on_batch([(poor, SECOND), (good, SECOND)])
    assert 0.75 == decision.measured


def test_a_silence_of_all_buckets_counts_its_intervals_also_after_a_restart(tables, monkeypatch):
    told = []
    kind = type(controller_for(CONTRACT))
    monkeypatch.setattr(kind, "observe", lambda _, measurement: told.append(measurement.intervals))
    state = {}
    for second in (0, 1, 7):
        driver = PooledSlack(node_of(tables), state)
        driver.on_batch([(Statistics.of(some(500, 10.0, made=9.0), second), (second + 1) * SECOND)])
        state = json.loads(json.dumps(driver.snapshot()))
    assert [1, 1, 6] == told


def test_without_reports_nothing_is_decided(tables):
    assert [] == PooledSlack(node_of(tables)).on_batch([])


def test_decisions_for_all_buckets_have_no_bucket(tables):
    node = node_of(tables)
    decided = PooledSlack(node).on_batch([(Statistics.of(some(500, 10.0, made=9.0), 0), SECOND)])
    (row,) = pooled_table(node, decided).to_pylist()
    known = {name: value for name, value in row.items() if value is not None and name != "at"}
    assert {"operator": "join", "stream": "all", "slack": 500, "target": 0.9, "measured": 0.9} == known
