from __future__ import annotations

import json

import pytest

from slackwater.spark.control_stream import describe, read_record
from tests.cli.test_main import run


def sent(folder):
    return [read_record(path.read_bytes()) for path in folder.glob("*.json") if not path.name.startswith("_")]


def test_a_prod_from_another_terminal_is_a_control_record(tmp_path):
    describe(tmp_path, {"by": ["line"], "early": True})
    shown = run("prod", "--control", str(tmp_path), "--where", "line=5", "--until", "1970-01-01T00:00:10Z")
    assert 0 == shown.exit_code
    (record,) = sent(tmp_path)
    assert (10_000_000, {"line": "5"}) == (record.prod.until, record.prod.where)


@pytest.mark.parametrize(
    ("plan", "arguments", "words"),
    [
        ({"by": ["line"], "early": True}, ["--where", "lin=5"], "groups have: line"),
        ({"by": [], "early": True}, ["--where", "line=5"], "this aggregate has no groups"),
        ({"by": ["line"], "early": False}, [], "start it with early=sw.Early()"),
        ({"by": ["line"], "early": True}, ["--where", "line"], "be column=value"),
        ({"by": ["line"], "early": True}, ["--until", "soon"], "be a time as ISO 8601"),
    ],
)
def test_a_mistake_is_found_where_it_is_made(tmp_path, plan, arguments, words):
    describe(tmp_path, plan)
    shown = run("prod", "--control", str(tmp_path), *arguments)
    assert 1 == shown.exit_code
    assert words in shown.stderr
    assert [] == sent(tmp_path)


def test_a_folder_that_no_query_watches_is_an_error(tmp_path):
    assert "be the folder of a running query" in run("prod", "--control", str(tmp_path / "nowhere")).stderr


def test_a_record_that_is_no_prod_is_unreadable():
    assert "unreadable" == read_record(json.dumps({"kind": "prod", "until": "soon"}).encode()).kind
