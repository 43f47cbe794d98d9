"""The command `prepare`."""

from __future__ import annotations

import subprocess

import pytest

from slackwater.cli.prepare import archive
from slackwater.cli.prepare.first_queries import in_process, rows
from slackwater.errors import PrepareError
from slackwater.spark.java_start import PLACE


@pytest.fixture
def child(monkeypatch, tmp_path):
    """Stand in for the process that runs the queries: it ends with a code, says a line, and may leave an archive."""
    monkeypatch.setenv(PLACE, str(tmp_path / "there" / "classes.jsa"))

    def plays(code: int = 0, errors: str = "", *, leaves: bytes | None = b"classes"):
        def run(command, **_options):
            if command[0].endswith("java"):
                return subprocess.CompletedProcess(command, 0, "", 'openjdk version "17.0.1"')
            if leaves is not None:
                with open(command[-1], "wb") as file:
                    file.write(leaves)
            ended = subprocess.Popen(["true"])
            ended.wait()
            return subprocess.CompletedProcess(command, code, f"[warning] of a JVM\n{ended.pid}\n", errors)

        monkeypatch.setattr(subprocess, "run", run)

    return plays


def test_the_archive_is_put_in_place_when_the_jvm_has_ended(child, tmp_path):
    child()
    assert archive.prepare(lambda words: None) == tmp_path / "there" / "classes.jsa"
    assert (tmp_path / "there" / "classes.jsa").read_bytes() == b"classes"


def test_nothing_else_stays_behind(child, tmp_path):
    child()
    archive.prepare(lambda words: None)
    assert [file.name for file in (tmp_path / "there").iterdir()] == ["classes.jsa"]


def test_a_query_that_fails_is_told_with_its_last_words(child):
    child(1, "Traceback\nRuntimeError: no space left")
    with pytest.raises(PrepareError, match="its queries failed: RuntimeError: no space left"):
        archive.prepare(lambda words: None)


def test_a_java_that_writes_no_archive_is_told(child):
    child(leaves=None)
    with pytest.raises(PrepareError, match="this Java wrote no archive"):
        archive.prepare(lambda words: None)


def test_a_place_that_cannot_be_written_is_named(child, monkeypatch, tmp_path):
    (tmp_path / "file").touch()
    child()
    monkeypatch.setenv(PLACE, str(tmp_path / "file" / "classes.jsa"))
    with pytest.raises(PrepareError, match=f"cannot write to {tmp_path}/file: "):
        archive.prepare(lambda words: None)


def test_first_queries_run_every_operator_in_process():
    in_process()


def test_a_third_of_their_rows_is_out_of_order():
    times = rows()["ts"].cast("int64").to_pylist()
    latest, behind = times[0], 0
    for time in times:
        behind += time < latest
        latest = max(latest, time)
    assert len(times) // 3 - 1 == behind
