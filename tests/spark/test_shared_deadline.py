"""What the driver remembers and tells where operators share a deadline; no session is needed for that."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace

import pyarrow as pa
import pytest

import slackwater as sw
from slackwater.errors import ParameterError
from slackwater.measurement import Waited
from slackwater.models.graph import Graph
from slackwater.spark.control_stream import describe, read_record, send
from slackwater.spark.ruling import Ruling
from slackwater.spark.shared_deadline import _Seen
from slackwater.time import Duration

SECOND = 1_000_000
QUIET = Waited(latency=2 * SECOND, processing=2 * SECOND, slack_ready=0, spread=0, events=0)
BEHIND = Waited(latency=7 * SECOND, processing=2 * SECOND, slack_ready=400, spread=10 * SECOND, events=400)


@dataclass(frozen=True)
class Node:
    contract: sw.Deadline | sw.NoSlack


@dataclass(frozen=True)
class Plan:
    node: Node
    is_shared: bool = False


def shared(folder, **options):
    return sw.shared_deadline(sw.Deadline("20 seconds"), "jams", "alerts", folder=folder, **options)


def told(one, name: str) -> list[tuple[int, int]]:
    records = [read_record(path.read_bytes()).told for path in sorted(one.control(name).glob("*.json"))]
    return [(each.slack, each.at) for each in records]


def test_an_operator_is_told_as_soon_as_it_has_reported(tmp_path):
    one = shared(tmp_path)
    one.on_batch("jams", 0, 100 * SECOND, QUIET)
    assert [100 * SECOND] == [at for _, at in told(one, "jams")]
    assert [] == told(one, "alerts")


def test_all_that_have_reported_are_told_each_at_its_own_event_time(tmp_path):
    one = shared(tmp_path)
    one.on_batch("jams", 0, 100 * SECOND, QUIET)
    one.on_batch("alerts", 0, 90 * SECOND, QUIET)
    assert (100 * SECOND, 90 * SECOND) == (told(one, "jams")[-1][1], told(one, "alerts")[-1][1])


def test_slack_goes_to_the_operator_that_needs_it(tmp_path):
    one = shared(tmp_path)
    one.on_batch("alerts", 0, 100 * SECOND, QUIET)
    one.on_batch("jams", 0, 100 * SECOND, BEHIND)
    slacks = {name: slack.microseconds for name, slack in one.slacks.items()}
    assert slacks["jams"] >= 10 * SECOND > slacks["alerts"]
    assert sum(slacks.values()) + 4 * SECOND < 20 * SECOND


def test_a_batch_that_is_replayed_is_not_seen_twice(tmp_path):
    one = shared(tmp_path)
    one.on_batch("jams", 0, 100 * SECOND, BEHIND)
    before = (tmp_path / "tuner.json").read_text()
    one.on_batch("jams", 0, 100 * SECOND, BEHIND)
    assert before == (tmp_path / "tuner.json").read_text()


def test_another_driver_goes_on_from_the_folder(tmp_path):
    undisturbed, interrupted = shared(tmp_path / "a"), shared(tmp_path / "b")
    for batch in range(4):
        undisturbed.on_batch("jams", batch, batch * SECOND, BEHIND)
        interrupted.on_batch("jams", batch, batch * SECOND, BEHIND)
        interrupted = shared(tmp_path / "b")
    assert undisturbed.slacks == interrupted.slacks
    assert json.loads((tmp_path / "a" / "tuner.json").read_text()) == json.loads(
        (tmp_path / "b" / "tuner.json").read_text()
    )


def test_until_it_is_told_an_operator_waits_for_its_share(tmp_path):
    plan = shared(tmp_path)._sharing("jams", Plan(Node(sw.Deadline("20 seconds", latency="1 second"))))
    assert Duration.of("9 seconds") == plan.node.contract.left
    assert 20 * SECOND == plan.node.contract.goal().cap  # what it may be told


def test_a_plan_that_shares_says_so(tmp_path):
    assert shared(tmp_path)._sharing("jams", Plan(Node(sw.Deadline("20 seconds")))).is_shared


def test_one_operator_that_is_asked_for_another_contract_refuses_and_says_who_decides(tmp_path):
    changed = Ruling(Node(sw.Deadline("20 seconds")), (), is_shared=True).change(None, "deadline 10 seconds")
    assert None is changed.after
    assert changed.words.startswith(
        "refused: contract 'deadline 10 seconds': contract must stay as it is where several"
    )
    assert "start all with sw.shared_deadline" in changed.words


def test_whoever_sends_another_contract_to_one_operator_is_told_at_once(tmp_path):
    describe(tmp_path, {"operator": "join", "shared": True})
    with pytest.raises(ParameterError, match="where several queries share a deadline"):
        send(tmp_path, "contract", contract="deadline 10 seconds")
    assert [] == list(tmp_path.glob("[!_]*.json"))


def test_a_drain_may_be_sent_to_one_operator(tmp_path):
    describe(tmp_path, {"operator": "join", "shared": True})
    send(tmp_path, "drain")
    assert ["drain"] == [read_record(path.read_bytes()).kind for path in tmp_path.glob("[!_]*.json")]


def test_only_the_longest_path_is_shared(tmp_path):
    beside = sw.shared_deadline(sw.Deadline("20 seconds"), folder=tmp_path, graph=Graph(("a", "b")))
    assert Duration.of("20 seconds") == beside._sharing("a", Plan(Node(sw.Deadline("5 seconds")))).node.contract.left


@pytest.mark.parametrize(
    ("name", "contract", "must"),
    [("joms", sw.Deadline("1 second"), "be one of jams, alerts"), ("jams", sw.NoSlack(), "have a Deadline")],
)
def test_what_does_not_belong_to_the_graph_is_refused(tmp_path, name, contract, must):
    with pytest.raises(ParameterError, match=must):
        shared(tmp_path)._sharing(name, Plan(Node(contract)))


def test_an_operator_that_always_waits_shares_nothing(tmp_path):
    rows = sw.stream(pa.table({"ts": [1]}), event_time="ts", unit="s")
    windows = sw.aggregate(rows, size="1 second", values={"n": sw.count()}, contract=sw.NoSlack())
    with pytest.raises(ParameterError, match=r"plan must be a merge or a join, got .*aggregate.*start it by itself"):
        shared(tmp_path)._sharing("jams", windows)


def test_operators_are_named_or_in_a_graph(tmp_path):
    with pytest.raises(ParameterError, match="operators must be named, or be in graph="):
        sw.shared_deadline(sw.Deadline("1 second"), folder=tmp_path)
    with pytest.raises(ParameterError, match="deadline must be a contract"):
        sw.shared_deadline("1 second", "jams", folder=tmp_path)


def test_more_processing_leaves_less_to_share(tmp_path):
    one = shared(tmp_path)
    one.on_batch("jams", 0, 0, QUIET)
    before = one.slacks["jams"]
    one.on_batch("jams", 1, SECOND, replace(QUIET, processing=15 * SECOND, latency=15 * SECOND))
    assert one.slacks["jams"] < before


@dataclass(frozen=True)
class Rows:
    """Rows of decisions as a query hands them over."""

    table: pa.Table

    def select(self, *names: str) -> Rows:
        return Rows(self.table.select(list(names)))

    def toArrow(self) -> pa.Table:  # noqa: N802  (as Spark calls it)
        return self.table


@pytest.mark.parametrize(("at", "expected"), [([None], {}), ([None, 7 * SECOND], {"jams": 7 * SECOND})])
def test_rows_about_ignored_control_records_tell_the_tuner_nothing(tmp_path, at, expected):
    one = shared(tmp_path)
    numbers = {name: pa.array([time and 1 for time in at], pa.int64()) for name in ("slack", "slack_ready", "released")}
    rows = Rows(pa.table({"at": pa.array(at, pa.timestamp("us")), **numbers}))
    seen = _Seen(one, "jams", SECOND, None)
    seen.heard(lambda *_: None)(rows, 0)
    seen.told({"batch": 0, "read": 0, "written": SECOND, "held_max": None})
    assert expected == one._state()["at"]


def waited(*, held: int | None, ingested: int | None = None, unready: int = 0) -> Waited:
    """What the tuner hears of a batch that was read at 10 s and written at 12 s, with triggers 1 s apart."""
    decided = pa.table({"slack": [3 * SECOND], "slack_ready": [unready]})
    figures = {"read": 10 * SECOND, "written": 12 * SECOND, "held_max": held}
    return _Seen(None, "jams", SECOND, None)._waited(decided, figures, ingested)


def test_the_tuner_hears_how_long_rows_really_took_and_how_long_they_may_have_been_there_before():
    assert (8 * SECOND, 3 * SECOND) == (waited(held=7 * SECOND).latency, waited(held=7 * SECOND).processing)


def test_where_nothing_left_the_batch_itself_took_its_time():
    assert 3 * SECOND == waited(held=None).latency


def test_where_results_say_when_their_rows_were_ingested_latency_counts_from_there():
    assert 30 * SECOND == waited(held=7 * SECOND, ingested=30 * SECOND).latency


def test_streams_are_further_apart_than_the_slack_where_rows_were_not_ready():
    assert (0, 6 * SECOND) == (waited(held=1).spread, waited(held=1, unready=4).spread)


def test_the_aggregate_of_a_chain_tells_the_tuner_nothing(tmp_path):
    one, numbers = shared(tmp_path), {"slack": [5 * SECOND, 0], "slack_ready": [1, None], "released": [10, 3]}
    rows = Rows(pa.table({"at": pa.array([7 * SECOND, 9 * SECOND], pa.timestamp("us")), **numbers}))
    seen = _Seen(one, "jams", SECOND, None)
    seen.heard(lambda *_: None)(rows, 0)
    seen.told({"batch": 0, "read": 0, "written": SECOND, "held_max": None})
    assert {"jams": 7 * SECOND} == one._state()["at"]
