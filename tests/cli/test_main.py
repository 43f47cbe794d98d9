from __future__ import annotations

import os
import subprocess
import sys

import pytest
from typer.main import get_command
from typer.testing import CliRunner

import slackwater
from slackwater.cli import main as cli
from slackwater.errors import ParameterError

COMMANDS = sorted(get_command(cli.app).commands)


def run(*arguments: str):
    return CliRunner().invoke(cli.app, list(arguments))


def fail_with(error: BaseException):
    def command(*_args, **_options):
        raise error

    return command


def test_version_is_that_of_the_package():
    assert f"slackwater {slackwater.__version__}\n" == run("--version").stdout


@pytest.mark.parametrize("command", COMMANDS)
def test_help_of_every_command_has_an_example(command):
    shown = run(command, "--help")
    assert 0 == shown.exit_code
    assert f"Example:  slackwater {command}" in shown.stdout


def test_no_command_shows_the_help():
    assert all(command in run().stdout for command in COMMANDS)


def test_error_is_one_line_on_stderr_without_a_traceback(monkeypatch):
    error = ParameterError("slack", -5, must="be >= 0", remedy="use NoSlack()")
    monkeypatch.setattr("slackwater.cli.demo.run.run_demo", fail_with(error))
    shown = run("demo")
    assert 1 == shown.exit_code
    assert "slackwater: slack must be >= 0, got -5; use NoSlack()\n" == shown.stderr


def test_other_errors_are_not_hidden(monkeypatch):
    monkeypatch.setattr("slackwater.cli.demo.run.run_demo", fail_with(ZeroDivisionError("a bug")))
    assert isinstance(run("demo").exception, ZeroDivisionError)


def test_ctrl_c_ends_politely(monkeypatch):
    monkeypatch.setattr("slackwater.cli.demo.run.run_demo", fail_with(KeyboardInterrupt()))
    shown = run("demo")
    assert 130 == shown.exit_code
    assert "slackwater: stopped\n" == shown.stderr


def test_a_pipe_that_nobody_reads_ends_quietly(tmp_path):
    (tmp_path / "a.csv").write_text("ts\n1700000000\n1700000001\n")
    reader, writer = os.pipe()
    os.close(reader)
    command = [sys.executable, "-m", "slackwater.cli.main", "profile", str(tmp_path / "a.csv"), "--event-time", "ts"]
    ended = subprocess.run(command, stdout=writer, stderr=subprocess.PIPE, text=True, check=False)
    os.close(writer)
    assert (1, "") == (ended.returncode, ended.stderr)


def test_import_of_the_command_line_loads_neither_spark_nor_plotly():
    heavy = "{'pyspark', 'pandas', 'plotly', 'numba'}"
    code = f"import sys, slackwater.cli.main; sys.exit(', '.join({heavy} & set(sys.modules)))"
    assert (
        "" == subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False).stderr.strip()
    )
