"""What a listener makes of Spark's progress reports: read from reports as Spark writes them, without a session."""

from __future__ import annotations

import uuid
from types import SimpleNamespace

import pyarrow as pa
import pytest
from pyspark.sql.streaming.listener import StreamingQueryProgress

from slackwater.decisions import decisions_table
from slackwater.metrics.figures import Figures
from slackwater.spark.listener import FiguresListener, batch_of
from slackwater.spark.noted import Noted, forget

QUERY = str(uuid.UUID(int=7))
RUN = str(uuid.UUID(int=1))
OBSERVED = {"operator": "join", "measure": "recall", "arrived": 10, "late": 1, "late_late": 1, "slack": 500_000}
NOTHING = dict.fromkeys(("released", "buffered", "target", "estimated", "measured"))


def report(batch: int = 0, *, name: str | None = "jams", observed: dict | None = OBSERVED) -> StreamingQueryProgress:
    found = {} if observed is None else {"slackwater": {**NOTHING, **observed}}
    return StreamingQueryProgress.fromJson(
        {
            "id": QUERY,
            "runId": str(uuid.UUID(int=batch)),
            "name": name,
            "timestamp": "2024-05-01T08:00:00.250Z",
            "batchId": batch,
            "batchDuration": 1_500,
            "stateOperators": [],
            "sources": [],
            "sink": {"description": "", "numOutputRows": -1, "metrics": {}},
            "observedMetrics": found,
        }
    )


@pytest.fixture
def noted():
    """What the driver noted of the query."""
    made = Noted()
    made.belong_to(SimpleNamespace(id=QUERY, runId=RUN))
    yield made
    forget(QUERY, RUN)


def test_a_batch_says_how_long_it_took_and_when_it_began():
    batch = batch_of(report())
    assert (1.5, 1_714_550_400.25) == (batch.seconds, batch.began)


def test_a_query_of_others_is_left_alone():
    assert batch_of(report(observed=None)) is None


def test_a_batch_in_which_no_bucket_was_called_is_left_alone():
    assert batch_of(report(observed={**OBSERVED, "arrived": None})) is None


def test_a_query_without_a_name_is_called_by_its_id():
    assert QUERY == batch_of(report(name=None)).query


def test_the_latency_that_the_driver_noted_is_added(noted):
    noted.measured({"batch": 4, "latency_p99": 7})
    assert 7 == batch_of(report(4)).latency["latency_p99"]


def test_the_latency_of_another_batch_is_not_added(noted):
    noted.measured({"batch": 3, "latency_p99": 7})
    assert {} == batch_of(report(4)).latency


def test_a_listener_that_is_behind_finds_the_latency_of_its_batch(noted):
    for batch in (3, 4, 5):
        noted.measured({"batch": batch, "latency_p99": batch})
    assert [3, 4] == [batch_of(report(batch)).latency["latency_p99"] for batch in (3, 4)]


def test_of_old_batches_nothing_is_kept(noted):
    for batch in range(1_000):
        noted.measured({"batch": batch})
    assert {} == batch_of(report(0)).latency
    assert 100 == len(noted.latency)


def test_the_end_of_an_earlier_run_does_not_take_from_the_next(noted):
    noted.measured({"batch": 4, "latency_p99": 7})
    earlier = SimpleNamespace(id=QUERY, runId=uuid.UUID(int=9), exception=None)
    FiguresListener(Figures(), lambda: None).onQueryTerminated(earlier)
    assert 7 == batch_of(report(4)).latency["latency_p99"]


def test_what_the_driver_decided_counts_for_all_buckets(noted):
    decide = noted.decided(lambda bodies, batch, said: decisions_table({"slack": [1, 2_000_000], "measured": 0.98}, 2))
    assert 2 == decide([], 0, []).num_rows
    observed = batch_of(report()).observed
    assert (2_000_000, 0.98) == (observed["slack"], observed["measured"])


def test_a_batch_without_a_decision_of_the_driver_keeps_the_last_one(noted):
    tables = iter([decisions_table({"slack": [3]}, 1), pa.table({"slack": pa.array([], pa.int64())})])
    decide = noted.decided(lambda bodies, batch, said: next(tables))
    for batch in range(2):
        decide([], batch, [])
    assert 3 == batch_of(report()).observed["slack"]


def test_what_the_driver_decided_under_another_contract_counts_no_more(noted):
    tables = iter([decisions_table({"slack": [3], "measured": 0.98}, 1), decisions_table({}, 0)])
    decide = noted.decided(lambda bodies, batch, said: next(tables))
    decide([], 0, [])
    decide([], 1, [b'{"contract": ["Recall(0.9)", "drop 0.01"]}'])
    assert None is batch_of(report(observed={**OBSERVED, "measure": "drop_ratio"})).observed["measured"]


def test_a_query_of_ours_that_failed_before_its_first_batch_is_counted(noted):
    figures = Figures()
    listener = FiguresListener(figures, lambda: None)
    run = uuid.UUID(int=1)
    listener.onQueryStarted(SimpleNamespace(id=QUERY, runId=run, name="jams"))
    listener.onQueryTerminated(SimpleNamespace(id=QUERY, runId=run, exception="ValueError: bad"))
    assert [1] == [each.value for each in figures.samples() if each.metric.name == "failures"]


def test_a_query_of_others_that_failed_is_not_counted():
    figures = Figures()
    listener = FiguresListener(figures, lambda: None)
    listener.onQueryTerminated(SimpleNamespace(id=QUERY, runId=uuid.UUID(int=1), exception="ValueError: bad"))
    assert [] == figures.samples()
