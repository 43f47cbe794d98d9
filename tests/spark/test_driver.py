"""The driver's files: what a replay finds, writes again and leaves alone; no Spark needed."""

from __future__ import annotations

import errno
import json
import os
import stat
from pathlib import Path

import numpy as np
import pytest

import slackwater as sw
from slackwater.errors import ParameterError, StateError
from slackwater.estimate.pool import Statistics
from slackwater.measurement import NeededSlacks
from slackwater.spark.control_stream import put, read_record
from slackwater.spark.driver import DriverSlack, check_same_scope, driver_folder
from slackwater.spark.packets import to_bytes
from slackwater.spark.statistics import report_table
from tests.spark.rounds import SCHEMA, join_of

SECOND = 1_000_000


def driver_in(folder: Path, **options: str) -> DriverSlack:
    contract = sw.Recall(0.9, over="10 seconds", **options)
    return DriverSlack(join_of([SCHEMA.empty_table()] * 2, contract, buckets=2, scope="global").node, folder)


def report(second: int, lag: int = 500) -> bytes:
    """Return what a bucket reports that leaves an interval behind."""
    lags = np.array([lag * (1 + second)], np.int64)
    needs = NeededSlacks(lags, np.ones(1), (lags, lags), (5, 5), None, 1.0)
    return to_bytes(report_table(Statistics.of(needs, second), (second + 1) * SECOND))


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def test_a_decision_becomes_a_record_that_buckets_understand(tmp_path):
    (row,) = driver_in(tmp_path).on_batch([report(0), report(0, lag=700)], 0).to_pylist()
    told = read_record((tmp_path / "slack" / "0.json").read_bytes()).told
    assert (700, SECOND, 700) == (told.slack, told.at, row["slack"])


def test_a_batch_without_reports_writes_nothing(tmp_path):
    assert 0 == driver_in(tmp_path).on_batch([], 0).num_rows
    assert set() == names(tmp_path)


def test_a_replayed_batch_decides_and_writes_the_same(tmp_path):
    driver, attempts = driver_in(tmp_path), []
    driver.on_batch([report(0)], 0)
    for _ in range(3):
        decided = driver.on_batch([report(1), report(1, lag=900)], 1).to_pylist()
        files = [(tmp_path / kind / "1.json").read_text() for kind in ("state", "slack")]
        attempts.append((decided, files))
    assert [attempts[0]] * 3 == attempts


def test_a_driver_that_is_killed_before_the_record_is_written_makes_good_for_it(tmp_path):
    driver_in(tmp_path).on_batch([report(0)], 0)
    before = (tmp_path / "slack" / "0.json").read_text()
    (tmp_path / "slack" / "0.json").unlink()
    driver_in(tmp_path).on_batch([report(0)], 0)
    assert before == (tmp_path / "slack" / "0.json").read_text()


def test_a_batch_that_is_replayed_with_another_contract_tells_what_that_decides(tmp_path):
    slacks = []
    for options in ({}, {"cap": "500 us"}):
        driver_in(tmp_path, **options).on_batch([report(0), report(0, lag=700)], 0)
        slacks.append(read_record((tmp_path / "slack" / "0.json").read_bytes()).told.slack)
    assert [700, 500] == slacks


def test_a_contract_that_changed_rules_the_driver_too_and_after_a_restart(tmp_path):
    said = json.dumps({"contract": [repr(driver_in(tmp_path).node.contract), "recall 0.9 over 10 seconds cap 500 us"]})
    rows = driver_in(tmp_path).on_batch([report(0, lag=700)], 0, [said.encode()]).to_pylist()
    rows += driver_in(tmp_path).on_batch([report(1, lag=900)], 1).to_pylist()
    assert [500, 500] == [row["slack"] for row in rows]


def test_a_contract_that_changed_is_void_for_a_plan_with_another_one(tmp_path):
    said = json.dumps({"contract": ["Recall(0.5)", "recall 0.9 over 10 seconds cap 500 us"]})
    (row,) = driver_in(tmp_path).on_batch([report(0, lag=700)], 0, [said.encode()]).to_pylist()
    assert 700 == row["slack"]


def test_a_file_is_on_disk_before_its_name_is(tmp_path, monkeypatch):
    synced = []

    def fsync(opened: int) -> None:
        is_folder = stat.S_ISDIR(os.fstat(opened).st_mode)
        synced.append(("folder" if is_folder else "file", (tmp_path / "a.json").exists()))

    monkeypatch.setattr(os, "fsync", fsync)
    put(tmp_path / "a.json", "{}")
    assert [("file", False), ("folder", True)] == synced


def test_a_file_system_that_cannot_sync_folders_will_do(tmp_path, monkeypatch):
    def fsync(opened: int) -> None:
        if stat.S_ISDIR(os.fstat(opened).st_mode):
            raise OSError(errno.EINVAL, "Invalid argument")

    monkeypatch.setattr(os, "fsync", fsync)
    put(tmp_path / "a.json", "{}")
    assert "{}" == (tmp_path / "a.json").read_text()


def test_a_driver_remembers_nothing_but_its_files(tmp_path):
    one = driver_in(tmp_path / "one")
    for second in range(6):
        rows = [
            driver.on_batch([report(second)], second).to_pylist() for driver in (one, driver_in(tmp_path / "other"))
        ]
        assert rows[0] == rows[1]


def test_state_that_no_replay_can_need_is_deleted(tmp_path):
    driver = driver_in(tmp_path)
    for batch in (0, 1, 3, 7):
        driver.on_batch([report(batch)], batch)
    assert {"3.json", "7.json"} == names(tmp_path / "state")


def test_unreadable_state_is_an_error_not_a_new_start(tmp_path):
    driver_in(tmp_path).on_batch([report(0)], 0)
    for text in ("", "[]", json.dumps({"version": 0})):
        (tmp_path / "state" / "0.json").write_text(text)
        with pytest.raises(StateError, match=r"unreadable file .*0\.json"):
            driver_in(tmp_path).on_batch([report(1)], 1)


def test_the_files_are_in_the_checkpoint(tmp_path):
    assert [tmp_path / "slackwater"] * 2 == [driver_folder(tmp_path), driver_folder(f"file://{tmp_path}")]


def test_a_checkpoint_that_the_driver_cannot_write_to_is_refused():
    with pytest.raises(ParameterError, match="checkpoint must be a folder of a file system that the driver has"):
        driver_folder("s3a://bucket/checkpoint")


@pytest.mark.parametrize("led", [True, False])
def test_a_checkpoint_of_the_other_scope_is_refused(tmp_path, led):
    check_same_scope(tmp_path, led=led)  # a new one may become either
    (tmp_path / "offsets").mkdir()
    if not led:
        (tmp_path / "slackwater" / "slack").mkdir(parents=True)
    with pytest.raises(ParameterError, match="scope must be that of the checkpoint"):
        check_same_scope(tmp_path, led=led)
