"""When a file counts as being written; no Spark needed."""

from __future__ import annotations

import os
import time

import pytest

from tests.chaos.moments import New


@pytest.fixture
def state(tmp_path):
    (tmp_path / "0").mkdir()
    (tmp_path / "0" / "1.delta").touch()
    for folder in (tmp_path, tmp_path / "0"):
        os.utime(folder, (1_700_000_000,) * 2)
    return tmp_path


def test_files_that_were_there_are_not_new(state):
    assert not New([state]).seen()


def test_a_file_in_a_folder_below_is_seen(state):
    new = New([state])
    (state / "0" / ".2.delta.tmp").touch()
    assert new.seen()


def test_a_file_in_a_new_folder_is_seen(state):
    new = New([state])
    (state / "1").mkdir()
    new.seen()
    (state / "1" / "1.delta").touch()
    assert new.seen()


def test_a_file_that_comes_within_the_same_tick_of_the_clock_is_seen(state):
    now = time.time_ns() + 60 * 10**9  # ahead, so that it is no past change however long this takes
    os.utime(state, ns=(now, now))
    new = New([state])
    (state / "2.delta").touch()
    os.utime(state, ns=(now, now))
    assert new.seen()


def test_a_file_in_a_folder_that_was_not_there_is_seen(state):
    new = New([state / "later"])
    (state / "later").mkdir()
    (state / "later" / "1.delta").touch()
    assert new.seen()


def test_a_file_that_is_deleted_is_no_new_one(state):
    new = New([state])
    (state / "0" / "1.delta").unlink()
    assert not new.seen()
