"""The command `run`."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

from slackwater.cli.main import app

TRAFFIC = "CREATE STREAM bus WITH (dataset = 'traffic', duration = '1 second');\n"
QUERY = "SELECT count(*) AS n FROM bus [RANGE 1 s, SLIDE 1 s] WITH NO SLACK"


@pytest.fixture
def written(tmp_path, monkeypatch):
    """Write a pipeline, and stand beside it."""
    monkeypatch.chdir(tmp_path)

    def write(text: str, name: str = "pipeline.sql") -> str:
        (tmp_path / name).write_text(text)
        return name

    return write


def said(*arguments: str):
    return CliRunner().invoke(app, ["run", *arguments])


def test_a_pipeline_runs_and_says_where_its_rows_are(written):
    done = said(written(TRAFFIC + QUERY))
    assert 0 == done.exit_code
    assert "rows      500 arrived = 500 released + 0 late + 0 buffered" in done.output


def test_explain_says_what_would_run(written):
    assert "aggregate 'bus'" in said(written(TRAFFIC + QUERY), "--explain").output


def test_a_mistake_is_shown_with_a_caret_and_no_traceback(written):
    done = said(written(TRAFFIC + QUERY.replace("SLACK", "SLAK")))
    assert 1 == done.exit_code
    assert "did you mean SLACK?" in done.output
    assert "^^^^" in done.output
    assert "Traceback" not in done.output


def test_yaml_runs_too(written):
    text = f"streams: {{bus: {{dataset: traffic, duration: 1 second}}}}\nqueries: ['{QUERY}']\n"
    assert "query 1: aggregate of bus" in said(written(text, "pipeline.yaml")).output


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("pipeline.txt", "", "must end in .sql, .yaml or .yml"),
        ("pipeline.sql", "\udcff", "cannot be read"),
    ],
)
def test_a_file_that_is_no_pipeline_is_refused(name, text, expected, written, tmp_path):
    (tmp_path / name).write_bytes(text.encode("utf-8", "surrogateescape"))
    assert expected in said(name).output


def test_a_file_that_is_not_there_is_refused(written):
    assert "cannot be read" in said("nowhere.sql").output
