"""What counts as the kill of a driver; no Spark needed."""

from __future__ import annotations

import os
import sys

import pytest

from tests.chaos import disturb


@pytest.fixture
def driver_of(tmp_path, monkeypatch):
    """Start drivers that run a line of a shell instead of a query."""

    def start(line: str) -> disturb.Driver:
        program = tmp_path / "program"
        program.write_text(f"#!/bin/sh\n{line}\n")
        program.chmod(0o755)
        monkeypatch.setattr(sys, "executable", str(program))
        return disturb.Driver("local", [(tmp_path, "query")])

    return start


def test_a_driver_that_runs_is_killed(driver_of):
    assert driver_of("exec sleep 60").kill()


def test_a_driver_that_has_ended_by_itself_is_not_killed_even_if_nobody_has_noticed(driver_of):
    driver = driver_of("exit 0")
    os.waitid(os.P_PID, driver._process.pid, os.WEXITED | os.WNOWAIT)
    assert not driver.kill()


def test_a_driver_that_has_left_a_process_is_not_killed(driver_of):
    driver = driver_of("sleep 60 & exit 0")
    os.waitid(os.P_PID, driver._process.pid, os.WEXITED | os.WNOWAIT)
    assert not driver.kill()
