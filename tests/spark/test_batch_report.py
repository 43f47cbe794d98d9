"""What the driver makes of the reports of buckets: a line of figures, the contract that rules, the end of a query."""

from __future__ import annotations

import json
import threading

import pytest

import slackwater as sw
from slackwater.errors import ParameterError
from slackwater.plan.nodes import ReorderNode, StreamNode
from slackwater.quality.batch_log import ENDED, ended_at, read_batches, ruling_contract
from slackwater.spark.about_file import About
from slackwater.spark.batch_report import BatchReports
from slackwater.spark.control_stream import describe, send
from slackwater.spark.ending import Ending


def said(bucket: int, *, buffered: int = 0, **others) -> bytes:
    counts = {
        "arrived": 10,
        "released": 9,
        "late": 1,
        "slack": 5 * bucket,
        "state_bytes": 7,
        "delays": {"0": 8, "3": 2},
    }
    return json.dumps({"bucket": bucket, "buffered": buffered, **counts, **others}).encode()


def test_the_figures_of_all_buckets_are_added_up(tmp_path):
    BatchReports(tmp_path).on_batch([said(0, buffered=4), said(1, buffered=3)], 5)
    (line,) = read_batches(tmp_path, 10)
    assert (5, 20, 18, 2, 7, 5, 14) == tuple(
        line[name] for name in ("batch", "arrived", "released", "late", "buffered", "slack", "state_bytes")
    )
    assert {"0": 16, "3": 4} == line["delays"]


def test_a_bucket_that_was_not_called_still_holds_what_it_held(tmp_path):
    reports = BatchReports(tmp_path)
    reports.on_batch([said(0, buffered=4), said(1, buffered=3)], 0)
    reports.on_batch([said(1, buffered=9)], 1)
    assert [7, 13] == [line["buffered"] for line in read_batches(tmp_path, 10)]


def test_of_a_batch_that_is_repeated_the_last_line_counts(tmp_path):
    for buffered in (4, 6):
        BatchReports(tmp_path).on_batch([said(0, buffered=buffered)], 3)
    assert [6] == [line["buffered"] for line in read_batches(tmp_path, 10)]


def test_only_the_newest_batches_are_read(tmp_path):
    reports = BatchReports(tmp_path)
    for batch in range(5):
        reports.on_batch([said(0)], batch)
    assert [3, 4] == [line["batch"] for line in read_batches(tmp_path, 2)]


def test_the_contract_that_rules_is_written_down_and_told(tmp_path):
    told = []
    reports = BatchReports(tmp_path, on_contract=lambda of, text: told.append(text))
    reports.on_batch([json.dumps({"contract": ["MaxSlack()", "none"]}).encode()], 0)
    assert ("none", None, ["none"]) == (
        ruling_contract(tmp_path, "MaxSlack()"),
        ruling_contract(tmp_path, "NoSlack()"),
        told,
    )


def test_a_folder_that_cannot_be_written_is_a_warning(tmp_path):
    (tmp_path / "slackwater").write_text("in the way")
    with pytest.warns(UserWarning, match="figures for the dashboard are not in"):
        BatchReports(tmp_path).on_batch([said(0)], 0)


def test_a_drain_that_is_to_stop_is_passed_on_with_its_batch(tmp_path):
    stopped = []
    BatchReports(tmp_path, stopped.append).on_batch([said(0, stop=True), said(1)], 8)
    assert [8] == stopped


class FakeQuery:
    """A query whose batches are committed when it is told so."""

    def __init__(self) -> None:
        self.committed, self.isActive, self.looked, self.stopped = -1, True, threading.Event(), threading.Event()

    @property
    def lastProgress(self):  # noqa: N802
        self.looked.set()
        return None if self.committed < 0 else {"batchId": self.committed}

    def stop(self) -> None:
        self.stopped.set()


def test_a_query_ends_when_its_last_batch_is_committed_not_before():
    ending, query = Ending(), FakeQuery()
    ending.query = query
    ending.after(3)
    assert query.looked.wait(10)
    assert not query.stopped.is_set()
    query.committed = 3
    assert query.stopped.wait(10)


def test_an_end_is_written_down_before_the_query_stops(tmp_path):
    ending, query = Ending(tmp_path), FakeQuery()
    query.committed = 3
    ending.runs(query)
    ending.after(3)
    assert query.stopped.wait(10)
    assert ended_at(tmp_path) is not None


def test_a_query_that_begins_again_has_not_ended(tmp_path):
    (tmp_path / "slackwater").mkdir()
    (tmp_path / ENDED).write_text('{"written": 5}')
    assert 5 == ended_at(tmp_path)
    Ending(tmp_path).runs(FakeQuery())
    assert ended_at(tmp_path) is None


def test_a_query_says_where_its_outputs_are(tmp_path):
    node = ReorderNode(stream=StreamNode(name="bus", event_time="ts"), contract=sw.DropRatio(0.01))
    about = About.query(node, {"operator": "reorder"}, "buses", results=tmp_path / "r", late=print, control="s3a://x")
    about.keep(tmp_path)
    found = json.loads((tmp_path / "slackwater" / "query.json").read_text())
    assert ({"results": str(tmp_path / "r"), "late": None}, None) == (found["outputs"], found["control"])


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"kind": "contract"}, 'have contract= if it is "contract"'),
        ({"kind": "drain", "contract": "max"}, 'have contract= if it is "contract"'),
        ({"kind": "prod", "stop": True}, 'be "drain" where stop= is given'),
        ({"kind": "contract", "contract": "dance"}, "begin with one of"),
        ({"kind": "contract", "contract": "error 3%"}, "be one that a reorder can keep"),
    ],
)
def test_a_mistake_is_found_where_a_record_is_sent(tmp_path, given, words):
    describe(tmp_path, {"operator": "reorder"})
    with pytest.raises(ParameterError, match=words):
        send(tmp_path, given.pop("kind"), **given)
    assert [] == list(tmp_path.glob("[!_]*.json"))
