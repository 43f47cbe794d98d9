"""The commands that look at a running query, and ask it for something."""

from __future__ import annotations

import pytest

from tests.board.builders import Left
from tests.cli.test_main import run


@pytest.fixture
def left(tmp_path) -> Left:
    return Left(tmp_path)


def test_the_contract_that_rules_is_shown(left):
    assert "drop 0.01 over 1 minute\n" == run("contract", str(left.checkpoint)).stdout


def test_another_contract_becomes_a_control_record(left):
    shown = run("contract", str(left.checkpoint), "drop 5%")
    (record,) = left.sent()
    assert (0, "contract", "drop 5%") == (shown.exit_code, record["kind"], record["contract"])
    assert "asked: 'drop 5%' instead of 'drop 0.01 over 1 minute'" in shown.stdout


@pytest.mark.parametrize(
    ("text", "words"),
    [("recall", "contract must say what recall is"), ("recall 2", "target must be > 0 and <= 1")],
)
def test_a_contract_that_is_none_is_refused_where_it_is_written(left, text, words):
    shown = run("contract", str(left.checkpoint), text)
    assert (1, []) == (shown.exit_code, left.sent())
    assert words in shown.stderr


def test_a_query_that_does_not_listen_cannot_be_asked(tmp_path):
    shown = run("contract", str(Left(tmp_path, control=False).checkpoint), "max")
    assert 1 == shown.exit_code
    assert "start it with control=" in shown.stderr


@pytest.mark.parametrize(("arguments", "stop"), [((), True), (("--go-on",), None)])
def test_a_drain_becomes_a_control_record(left, arguments, stop):
    assert 0 == run("drain", str(left.checkpoint), *arguments).exit_code
    assert [("drain", stop)] == [(each["kind"], each.get("stop")) for each in left.sent()]


@pytest.mark.parametrize("command", ["contract", "drain"])
def test_a_folder_that_is_no_checkpoint_is_refused(tmp_path, command):
    shown = run(command, str(tmp_path))
    assert 1 == shown.exit_code
    assert "must be the checkpoint of a query that has begun" in shown.stderr


@pytest.mark.parametrize("command", ["contract", "drain"])
def test_a_command_without_a_demo_names_none(command):
    shown = run(command, "nowhere")
    assert (1, False) == (shown.exit_code, "--demo" in shown.stderr)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), "must be given, or --demo, and not both"),
        (("--demo", "--checkpoint", "x"), "must be given, or --demo, and not both"),
        (
            ("--checkpoint", "nowhere"),
            "must be a folder, got 'nowhere'; give that of start(checkpoint=); or use --demo",
        ),
        (("--checkpoint", "nowhere", "--host", "0.0.0.0"), "host must be this machine unless there is a token"),
        (("--checkpoint", "nowhere", "--token", "short"), "token must have at least 16 letters"),
    ],
)
def test_a_dashboard_that_cannot_be_is_refused(arguments, words):
    shown = run("dashboard", *arguments)
    assert 1 == shown.exit_code
    assert words in shown.stderr


def test_a_folder_with_files_of_somebody_else_is_not_used_for_the_demo(tmp_path):
    (tmp_path / "mine.txt").write_text("mine")
    shown = run("dashboard", "--demo", "--output", str(tmp_path))
    assert 1 == shown.exit_code
    assert "output must be a new folder, or that of an earlier demo" in shown.stderr
    assert "mine" == (tmp_path / "mine.txt").read_text()


@pytest.mark.parametrize("arguments", [["contract", "max"], ["drain"]], ids=["contract", "drain"])
def test_a_query_that_has_ended_is_sent_nothing(left, arguments):
    left.ended(written=1)
    command, *rest = arguments
    assert "the query has ended: start it again" in run(command, str(left.checkpoint), *rest).stderr
    assert [] == left.sent()
