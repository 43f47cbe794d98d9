from __future__ import annotations

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

from slackwater.cli.main import app


def run(*arguments: str):
    return CliRunner().invoke(app, ["profile", *arguments], env={"COLUMNS": "100"})


@pytest.fixture
def file(tmp_path) -> str:
    times = [1_700_000_000_000 + each for each in (0, 40, 30, 50, 45, 90)]
    path = tmp_path / "bus.parquet"
    pq.write_table(pa.table({"ts": times, "line": ["a", "b", "a", "b", "b", "a"], "seq": [0, 1, 2, 3, 4, 5]}), path)
    return str(path)


def test_the_table_says_how_disordered_a_file_is(file):
    shown = run(file, "--event-time", "ts", "--by", "line")
    assert 0 == shown.exit_code, shown.output
    assert "bus.parquet: 6 rows" in shown.stdout
    assert "ts in ms (guessed)" in shown.stdout
    assert "out of order  33.33% (2 events)" in shown.stdout
    assert "By line, worst first" in shown.stdout


def test_json_on_stdout_is_json_alone(file):
    shown = run(file, "--event-time", "ts", "--json", "-")
    assert 2 == json.loads(shown.stdout)["delays"]["out_of_order"]


def test_json_and_a_page_go_to_files(file, tmp_path):
    shown = run(file, "--event-time", "ts", "--json", str(tmp_path / "p.json"), "--html", str(tmp_path / "p.html"))
    assert 0 == shown.exit_code, shown.output
    assert 6 == json.loads((tmp_path / "p.json").read_text())["rows"]
    assert "What a constant slack would do" in (tmp_path / "p.html").read_text()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--event-time", "tz"), "stream 'bus.parquet': column 'tz' does not exist; did you mean ts?"),
        (("--event-time", "line"), "column 'line' is text, such as 'a'; cast it to a timestamp"),
        (("--event-time", "seq"), "first value 0 is a time from 1990 to 2100 in none; say the unit"),
        (("--event-time", "ts", "--unit", "h"), 'unit must be "s", "ms", "us" or "ns"'),
        (("--event-time", "ts", "--max-ahead", "5"), "max_ahead must be a duration"),
    ],
)
def test_a_mistake_is_said_in_one_line(file, arguments, message):
    shown = run(file, *arguments)
    assert 1 == shown.exit_code
    assert message in shown.stderr
    assert 1 == len(shown.stderr.splitlines())


def test_help_has_an_example():
    assert "slackwater profile events.parquet --event-time ts" in " ".join(run("--help").stdout.split())
