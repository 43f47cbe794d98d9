"""What buckets say of their horizon, on its way over the driver to the tasks that pack rows; no session is started."""

from __future__ import annotations

import json
from functools import partial

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyspark.sql.streaming.tws_tester import TwsTester

import slackwater as sw
from slackwater.spark.added_up import parts_of
from slackwater.spark.call import HORIZON, RESULTS
from slackwater.spark.horizons import Horizons, Known, horizons_here
from slackwater.spark.packets import CELLS, ROWS, from_bytes, packer
from slackwater.spark.processor import AggregateProcessor
from slackwater.time import Duration
from tests.transcripts.runners import BUCKET

SCHEMA = pa.schema([("ts", pa.int64()), ("x", pa.int64())])


class Context:
    """What Spark has for a thread on the driver, and for a task."""

    def __init__(self) -> None:
        self.properties: dict[str, str | None] = {}
        self.seen: list[str | None] = []

    def setLocalProperty(self, name: str, value: str | None) -> None:  # noqa: N802  (Spark's own name)
        self.properties[name] = value
        self.seen.append(value)

    def getLocalProperty(self, name: str) -> str | None:  # noqa: N802  (Spark's own name)
        return self.properties.get(name)

    def partitionId(self) -> int:  # noqa: N802  (Spark's own name)
        return 0


class Session:
    """A session with a context."""

    def __init__(self) -> None:
        self._sc = Context()


@pytest.fixture
def session(monkeypatch) -> Session:
    """A driver whose properties tasks see."""
    session = Session()
    monkeypatch.setattr("pyspark.TaskContext.get", lambda: session._sc)
    return session


def packets_of(node, *times: int) -> pd.DataFrame:
    """Pack rows as a task does."""
    table = pa.table([np.array(times), np.arange(len(times))], schema=SCHEMA)
    packed = packer(SCHEMA, None, parts=partial(parts_of, node))(iter(table.to_batches()))
    frame = pa.Table.from_batches(list(packed)).to_pandas()
    return frame.assign(bucket=BUCKET, processing_time=0)


def test_tasks_hear_how_far_the_bucket_has_closed_its_windows(session, monkeypatch):
    monkeypatch.setattr("slackwater.spark.added_up._FEWEST", 1)
    stream = sw.stream(SCHEMA.empty_table(), event_time="ts", unit="s", max_ahead=None)
    values, contract = {"n": sw.count(), "total": sw.sum("x")}, sw.FixedSlack("5 seconds")
    node = sw.aggregate(stream, size="10 seconds", values=values, contract=contract).node
    tester, horizons, kinds, totals = TwsTester(AggregateProcessor(node, SCHEMA)), Horizons(), [], []
    for times in ([1, 2, 21], [*range(11, 26), 3], [*range(21, 51)]):
        with horizons.told(session):
            packets = packets_of(node, *times)
        kinds.append({kind: len(from_bytes(body)) for kind, body in zip(packets["kind"], packets["body"], strict=True)})
        out = tester.testInPandas(BUCKET, packets)
        horizons.hear(zip([0], out.loc[out["kind"] == HORIZON, "body"], strict=True))
        totals += [row for body in out.loc[out["kind"] == RESULTS, "body"] for row in from_bytes(body)["n"].to_pylist()]
    assert [{ROWS: 3}, {CELLS: 2, ROWS: 1}, {CELLS: 4}] == kinds
    assert [2, 9, 16, 10] == totals


def test_jobs_after_those_of_the_batch_hear_nothing(session):
    horizons = Horizons()
    horizons.hear([(0, b"[3, 9]")])
    with horizons.told(session):
        assert {0: Known(3, 9)} == horizons_here()
    assert {} == horizons_here()


def test_what_a_bucket_takes_back_is_forgotten(session):
    horizons = Horizons()
    horizons.hear([(0, b"[3, 9]"), (1, b"[4, 9]")])
    horizons.hear([(1, json.dumps(None).encode())])
    with horizons.told(session):
        assert [0] == list(horizons_here())


def test_a_session_without_a_context_is_told_nothing():
    horizons = Horizons()
    horizons.hear([(0, b"[3, 9]")])
    with horizons.told(object()):
        assert {} == horizons_here()


@pytest.mark.parametrize(("max_ahead", "surely"), [("1 day", 3_600), ("10 minutes", 6_900), (None, 7_200)])
def test_the_clock_of_the_driver_may_go_back_a_while(max_ahead, surely):
    ahead = None if max_ahead is None else Duration.of(max_ahead)
    assert surely * 1_000_000 == Known(0, read=7_200 * 1_000_000).surely(ahead)
