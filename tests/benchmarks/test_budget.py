"""Where the time goes: what is running is told apart, and all of the time is dealt out."""

from __future__ import annotations

import json
import time

import pytest
from benchmarks.budget.command import table
from benchmarks.budget.events import jobs_of
from benchmarks.budget.local import Spent
from benchmarks.budget.on_spark import parts_of
from benchmarks.budget.stages import STAGES, seconds_of, stage_of
from benchmarks.budget.workers import Worked, medians
from benchmarks.budget.workers import table as workers_table


def test_a_module_that_helps_others_has_no_stage_of_its_own():
    assert [None, "reorder", "adapt"] == [
        stage_of(f"/x/src/slackwater/{path}") for path in ("time.py", "core/reorder.py", "control/pd.py")
    ]


def test_all_of_the_processor_time_is_dealt_out():
    def work():
        end = time.process_time() + 0.05
        while time.process_time() < end:
            pass

    seconds = seconds_of(work)
    assert 0.05 == pytest.approx(sum(seconds.values()), rel=0.2)
    assert sum(seconds.values()) == pytest.approx(seconds["rest"])


def test_a_line_has_the_share_of_disorder_handling_and_what_a_decision_takes():
    stages = {**dict.fromkeys(STAGES, 0.0), "operator": 0.6, "reorder": 0.3, "adapt": 0.1}
    spent = Spent("join", stages, rows=1_000, decisions=10, with_files={**stages, "rest": 1.0})
    assert (0.4, 10.0) == pytest.approx((spent.handling, spent.of_a_decision))
    assert (0.2, 0.05) == pytest.approx(
        (spent.share_with_files(["reorder", "adapt"]), spent.share_with_files(["adapt"]))
    )
    assert 1 == table([spent]).row_count


def task(stage, began, ended, **counted):
    counts = [{"Name": name.replace("_", " "), "Update": str(value)} for name, value in counted.items()]
    info = {"Launch Time": began, "Finish Time": ended, "Accumulables": counts}
    return {"Event": "SparkListenerTaskEnd", "Stage ID": stage, "Task Info": info}


def test_parts_of_a_batch_are_read_from_the_event_log(tmp_path):
    said = {"sql.streaming.queryId": "q", "streaming.sql.batchId": "3"}
    events = [
        {
            "Event": "SparkListenerJobStart",
            "Job ID": 7,
            "Submission Time": 100,
            "Stage IDs": [5, 4],
            "Properties": said,
        },
        task(4, 101, 130, time_to_execute_Python_code=8),
        task(5, 131, 200, time_to_execute_Python_code=40, time_to_commit_changes=6),
        task(5, 133, 210, time_to_execute_Python_code=30, time_to_commit_changes=9),
        {"Event": "SparkListenerJobEnd", "Job ID": 7, "Completion Time": 215},
    ]
    (tmp_path / "events_1_local").write_text("".join(json.dumps(event) + "\n" for event in events))
    (job,) = jobs_of(tmp_path, "q")
    names = ("triggerExecution", "latestOffset", "walCommit", "commitOffsets", "queryPlanning", "addBatch")
    parts = parts_of({"durationMs": dict(zip(names, (300, 10, 11, 12, 13, 200), strict=True))}, job)
    found = {name.strip(): value for name, value in parts.items()}
    assert (29, 8) == (found["read, to Arrow, pack"], found["pack in Python"])
    assert (79, 9, 85) == (
        found["stateful stage"],
        found["state committed"],
        found["planning and start of its job, outputs, bookkeeping"],
    )


def test_tasks_that_call_a_bucket_are_told_from_those_that_pack(tmp_path):
    stateful = [{"call": call, "state": 4.0, "questions": 13, "task": 9.0, "used": 5.0} for call in (1.0, 2.0, 30.0)]
    packing = [{"task": 100.0, "used": 2.0}]
    for number, tasks in enumerate(([*packing, *stateful], packing)):
        (tmp_path / f"{number}.jsonl").write_text("".join(json.dumps(task) + "\n" for task in tasks))
    found = medians(tmp_path)
    assert (2.0, 13, 100.0) == (found["stateful"]["call"], found["stateful"]["questions"], found["packing"]["task"])
    assert 8 == workers_table([Worked("reorder", 2_000, found)]).row_count
