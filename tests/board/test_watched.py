"""What the page is told of a query: from files alone."""

from __future__ import annotations

import json
import shutil

import pytest

from slackwater.board.found import FoundQuery, checked_checkpoint
from slackwater.board.late_rows import LateRows
from slackwater.board.watched import Watched
from slackwater.errors import ParameterError
from slackwater.quality.batch_log import RULES
from tests.board.builders import HOSTILE, SECOND, Left

HOUR = 3_600 * SECOND


@pytest.fixture
def left(tmp_path) -> Left:
    return Left(tmp_path)


def look(left: Left) -> dict:
    return Watched(left.checkpoint).look()


def test_a_query_without_a_batch_has_nothing_to_show(tmp_path):
    (tmp_path / "offsets").mkdir()
    found = Watched(tmp_path).look()
    assert (False, None, {}) == (found["query"]["began"], found["last"], found["delays"])


def test_all_that_is_shown_can_be_said_in_json(left):
    left.decisions(0, [5, 7], measured=[None, 0.002])
    left.late(0, ["a"])
    left.figures(0, written=SECOND, delays={"0": 9})
    json.dumps(look(left), allow_nan=False)


def test_the_slack_of_an_operator_is_in_seconds_over_event_time(left):
    left.decisions(0, [1_000_000, 3_000_000])
    (slack,) = look(left)["decided"]["slack"]
    assert ([0.0, 1_000.0], [1.0, 3.0]) == (slack["at"], slack["mid"])


def test_many_buckets_are_a_line_with_a_band(left):
    left.decisions(0, [1_000_000, 2_000_000, 6_000_000], at=[SECOND] * 3, bucket=[0, 1, 2])
    (slack,) = look(left)["decided"]["slack"]
    assert ([1.0], [2.0], [6.0], 3) == (slack["low"], slack["mid"], slack["high"], slack["buckets"])


def test_a_target_that_changed_is_a_step(left):
    left.decisions(0, [1, 1], measured=[0.01, 0.02])
    left.decisions(1, [1, 1], measured=[0.03, 0.04], target=0.05)
    (quality,) = look(left)["decided"]["quality"]
    assert [0.01, 0.05, 0.05] == quality["target"]["value"]


def test_what_was_measured_under_another_kind_of_contract_is_not_shown_beside(left):
    left.decisions(0, [1], measured=[0.002])
    left.said(0, "contract: drop 0.01 over 1 minute -> recall 0.9 over 1 minute")
    left.decisions(1, [1], measured=[0.97], target=0.9)
    (quality,) = look(left)["decided"]["quality"]
    assert [0.97] == quality["measured"]["mid"]


def test_new_batches_are_seen_and_old_ones_are_not_read_again(left, monkeypatch):
    left.decisions(0, [1])
    watched = Watched(left.checkpoint)
    watched.look()
    monkeypatch.setattr("slackwater.board.watched._FRESH", 0)
    left.decisions(5, [2])
    shutil.rmtree(left.folder / "decisions" / "batch=0")
    (slack,) = watched.look()["decided"]["slack"]
    assert [1e-6, 2e-6] == slack["mid"]


def test_a_batch_that_is_replaced_is_read_again(left, monkeypatch):
    left.late(0, ["a"])
    watched = Watched(left.checkpoint)
    watched.look()
    monkeypatch.setattr("slackwater.board.watched._FRESH", 0)
    shutil.rmtree(left.folder / "late" / "batch=0")
    left.late(0, ["a", "b", "c"])
    assert [3] == [each["rows"] for each in watched.look()["late"]["counts"]]


def test_late_rows_are_counted_over_the_newest_batches_however_long_they_are_watched(left):
    rows = LateRows(left.folder / "late", newest=2)
    for batch in range(5):
        left.late(batch, ["a"])
        found = rows.look()
    assert [2] == [each["rows"] for each in found["counts"]]


def test_a_file_that_is_half_written_is_left_for_later(left):
    left.late(0, ["a"])
    (left.folder / "late" / "batch=1").mkdir()
    (left.folder / "late" / "batch=1" / "part-0.parquet").write_bytes(b"PAR1")
    assert [1] == [each["rows"] for each in look(left)["late"]["counts"]]


def test_late_rows_are_counted_by_reason_with_the_newest_as_samples(left):
    left.late(0, ["a"] * 30)
    left.late(1, ["b"], reason="future")
    late = look(left)["late"]
    assert {"late": 30, "future": 1} == {each["reason"]: each["rows"] for each in late["counts"]}
    assert {"late": 10, "future": 1} == {
        reason: sum(each["reason"] == reason for each in late["samples"]) for reason in ("late", "future")
    }


def test_what_a_screen_would_obey_is_shown_as_what_it_is(left):
    left.late(0, [HOSTILE])
    (sample,) = look(left)["late"]["samples"]
    assert r"<img src=x onerror=alert(1)>\x1b[2J\u202e'; DROP TABLE bus; --" == sample["line"]


def test_a_long_value_is_cut(left):
    left.late(0, ["x" * 9_999])
    (sample,) = look(left)["late"]["samples"]
    assert "x" * 120 + "..." == sample["line"]


def test_delays_are_compared_with_those_of_an_hour_ago(left):
    left.figures(0, written=SECOND, delays={"0": 1, "9": 1})
    left.figures(1, written=SECOND + HOUR, delays={"0": 3, "9": 1})
    delays = look(left)["delays"]
    assert ("an hour ago", 0.5, 0.25) == (delays["label"], delays["before"][0], delays["now"][0])


def test_a_young_query_is_compared_with_its_own_beginning(left):
    for batch, behind in enumerate((1, 1, 3, 3)):
        left.figures(batch, written=batch * SECOND, delays={"0": 1, "9": behind})
    delays = look(left)["delays"]
    assert ("its first half", 0.5, 0.75) == (delays["label"], delays["before"][0], delays["now"][0])


def test_latency_is_in_seconds(left):
    left.figures(3, written=5 * SECOND, delays={"0": 1})
    assert ([5_000.0], [2.0]) == tuple(look(left)["latency"]["p95"][name] for name in ("at", "mid"))


def test_early_results_have_their_accuracy_by_value(left):
    left.decisions(0, [0, 0], operator="early", stream=["n", "x"], measured=[0.9, 0.8], target=None)
    assert [("n", [0.9]), ("x", [0.8])] == [
        (each["value"], each["measured"]["mid"]) for each in look(left)["decided"]["early"]
    ]


def test_what_control_records_led_to_is_told_the_newest_first(left):
    left.said(0, "ignored: dance")
    left.said(1, "contract: max -> none")
    assert ["contract: max -> none", "ignored: dance"] == [each["words"] for each in look(left)["decided"]["said"]]


def test_the_answers_of_all_buckets_to_a_prod_are_told_as_one(left):
    asked = {"operator": "prod", "stream": "all windows", "slack": None, "target": None}
    left.decisions(0, [0, 0], **{**asked, "bucket": [0, 1], "results": [3, 4]})
    left.decisions(1, [0], **{**asked, "bucket": 0, "results": 1})
    told = [each["words"] for each in look(left)["decided"]["said"]]
    assert ["prod: all windows, early results: 1", "prod: all windows, early results: 7"] == told


def test_a_prod_has_no_slack_to_be_drawn(left):
    left.decisions(0, [0], operator="prod", results=3)
    assert [] == look(left)["decided"]["slack"]


def test_a_drain_that_ended_the_query_is_told_before_all_else(left):
    left.said(0, "contract: max -> none")
    left.ended(written=5 * SECOND)
    found = look(left)
    assert 5_000 == found["query"]["ended"]
    assert ["drain: all that was held has left, the query ended", "contract: max -> none"] == [
        each["words"] for each in found["said"]
    ]


@pytest.mark.parametrize("text", ["", "[]", "{", '{"written": "soon"}'])
def test_an_unreadable_end_is_none(left, text):
    left.ended(written=0)
    (left.checkpoint / "slackwater" / "ended.json").write_text(text)
    assert look(left)["query"]["ended"] is None


def test_the_contract_that_rules_is_the_one_that_was_changed_to(left):
    (left.checkpoint / RULES).write_text(json.dumps({"of": "DropRatio(0.01, over='1 minute')", "contract": "max"}))
    assert "max" == FoundQuery.of(left.checkpoint).contract


def test_a_change_is_void_for_a_plan_with_another_contract(left):
    (left.checkpoint / RULES).write_text(json.dumps({"of": "MaxSlack()", "contract": "max"}))
    assert "drop 0.01 over 1 minute" == FoundQuery.of(left.checkpoint).contract


@pytest.mark.parametrize("text", ["", "[]", "{", '{"operator": 5}', '{"operator": "x", "streams": 7}'])
def test_an_unreadable_description_is_a_query_that_has_not_begun(left, text):
    (left.checkpoint / "slackwater" / "query.json").write_text(text)
    assert not look(left)["query"]["began"]


def test_a_folder_that_is_no_checkpoint_is_refused(tmp_path):
    with pytest.raises(ParameterError, match="must be the checkpoint of a query that has begun"):
        checked_checkpoint(tmp_path)
    with pytest.raises(ParameterError, match=r"must be a folder, .*give that of start\(checkpoint=\)$"):
        checked_checkpoint(tmp_path / "nowhere")
