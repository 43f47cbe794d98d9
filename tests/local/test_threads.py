"""Threads change nothing but the time that a run takes: the same outputs, the same report, the same errors."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest

import slackwater as sw
from slackwater import lanes
from slackwater.core.combine import Combiner
from slackwater.errors import ConditionError
from slackwater.lanes import Lanes
from slackwater.local import join

CONTRACTS = [sw.FixedSlack("20 ms"), sw.Recall(0.9)]
CONDITIONS = [
    {"on": "key"},
    {"on": "key", "where": "abs(a.x - b.x) < 40 and a.x + b.x > 9"},
    {"where": "a.x > b.x + 70"},
]


def tables(streams: int, rows: int = 1_500) -> list[pa.Table]:
    """Rows of which a third come up to 200 ms late."""
    random = np.random.default_rng(5)
    found = []
    for stream in range(streams):
        time = np.sort(random.integers(0, 8_000, rows))
        order = np.argsort(time + np.where(random.random(rows) < 0.3, random.integers(0, 200, rows), 0), kind="stable")
        seq = np.arange(rows) * streams + stream
        keys, x = random.integers(0, 12, rows), random.integers(0, 90, rows)
        found.append(pa.table({"ts": time[order], "seq": seq, "key": keys, "x": x}))
    return found


def streams_of(count: int) -> list[sw.Stream]:
    return [
        sw.stream(table, name=name, event_time="ts", unit="ms", arrival="seq")
        for name, table in zip("abc", tables(count), strict=False)
    ]


def outputs(run):
    decisions = run.decisions.drop_columns(["took_us"]).to_pylist()
    return run.results.to_pylist(), run.late.to_pylist(), str(decisions), run.explain()


@pytest.fixture
def with_lanes(monkeypatch):
    """Run with so many lanes, and threads however few rows there are; also return how many pools there were."""

    def run(count, ask):
        started = []

        def starting(threads):
            started.append(threads)
            return ThreadPoolExecutor(threads)

        monkeypatch.setattr(Lanes, "of_cores", lambda: Lanes(count))
        monkeypatch.setattr(lanes, "_EVENTS_WORTH_THREADS", 0)
        monkeypatch.setattr(lanes, "ThreadPoolExecutor", starting)
        monkeypatch.setattr(join, "BATCH_ROWS", 1_000)
        return outputs(ask()), len(started)

    return run


@pytest.mark.parametrize("contract", CONTRACTS, ids=str)
@pytest.mark.parametrize("condition", CONDITIONS, ids=str)
@pytest.mark.parametrize("streams", [2, 3])
def test_a_join_is_the_same_with_and_without_threads(with_lanes, streams, condition, contract):
    def ask():
        return sw.join(*streams_of(streams), **condition, within="50 ms", contract=contract)

    expected, none = with_lanes(1, ask)
    found, some = with_lanes(2, ask)
    assert expected == found
    assert expected[0]
    assert expected[1]
    assert expected[2] != "[]"
    assert none == 0 < some


@pytest.mark.parametrize("contract", [sw.FixedSlack("20 ms"), sw.DropRatio(0.05)], ids=str)
@pytest.mark.parametrize("streams", [2, 3])
def test_a_merge_is_the_same_with_and_without_threads(with_lanes, streams, contract):
    def ask():
        return sw.merge(*streams_of(streams), contract=contract)

    expected, none = with_lanes(1, ask)
    found, some = with_lanes(2, ask)
    assert expected == found
    assert none == 0 < some


def failing(a, b):
    raise ZeroDivisionError


@pytest.mark.parametrize("where", ["cast(concat('x', a.x) as int) = b.x", failing], ids=["DuckDB", "Python"])
def test_a_condition_that_fails_is_named_where_other_steps_have_threads(with_lanes, where):
    def ask():
        return sw.join(*streams_of(2), on="key", where=where, within="50 ms", contract=CONTRACTS[0])

    with pytest.raises(ConditionError, match=r"CAST|ZeroDivisionError"):
        with_lanes(2, ask)


def test_a_function_of_the_users_is_called_by_one_thread(with_lanes):
    callers = set()

    def where(a, b):
        callers.add(threading.get_ident())
        return pc.not_equal(a["x"], b["x"])

    found, some = with_lanes(
        2, lambda: sw.join(*streams_of(2), on="key", where=where, within="50 ms", contract=CONTRACTS[0])
    )
    assert {threading.get_ident()} == callers
    assert found[0]
    assert some  # threads, for what is not the user's


def test_an_error_in_a_search_comes_out_of_its_thread(with_lanes, monkeypatch):
    def fail(self, *arguments):
        if threading.current_thread() is threading.main_thread():
            return found(self, *arguments)
        raise ConditionError("a.x > b.x", problem="it fails", remedy="none")

    found = Combiner.combinations
    monkeypatch.setattr(Combiner, "combinations", fail)
    with pytest.raises(ConditionError, match="it fails"):
        with_lanes(2, lambda: sw.join(*streams_of(2), on="key", within="50 ms", contract=CONTRACTS[0]))
