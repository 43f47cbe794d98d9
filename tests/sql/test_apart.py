"""Sinks that would write over each other, or over what a stream reads, are refused before anything is written."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import slackwater as sw
from slackwater.sql.pipeline import read_pipeline
from slackwater.sql.run import run
from slackwater.sql.yaml_form import read_yaml

ROWS = pa.table({"ts": [1, 4, 3, 9, 2]})
BUS = "CREATE STREAM bus WITH (path = 'bus/in.parquet', event_time = 'ts', unit = 's');\n"
TWO = "CREATE SINK a WITH (path = '{}');\nCREATE SINK b WITH (path = '{}');\n"
ORDERED = "SELECT ts FROM bus WITH SLACK 1 SECOND"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "bus").mkdir()
    pq.write_table(ROWS, tmp_path / "bus" / "in.parquet")
    (tmp_path / "linked").symlink_to("out")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def ran(text: str) -> list:
    return list(run(read_pipeline(text)))


def refusal(text: str, read=ran) -> str:
    with pytest.raises(sw.SqlError) as caught:
        read(text)
    return str(caught.value)


OVERLAPPING = [
    ("out/x", "out/x"),
    ("out/x", "out/x/"),
    ("out/x", "./out/y/../x"),
    ("out/x", "out/x/late"),
    ("out/x/results", "out/x"),
    ("out/x", "{folder}/out/x"),
    ("out/x", "file://{folder}/out/x"),
    ("out/x", "linked/x"),
    ("s3a://data/x", "s3a://data/x/late"),
]


@pytest.mark.parametrize(("one", "other"), OVERLAPPING)
def test_sinks_that_would_write_over_each_other_are_refused(folder, one, other):
    other = other.format(folder=folder)
    said = refusal(f"{BUS}{TWO.format(one, other)}INSERT INTO a {ORDERED} LATE TO b")
    assert f"sinks 'a' and 'b' would write over each other: their paths are {one!r} and {other!r}" in said
    assert "CREATE SINK b" in said
    assert {"bus", "linked"} == {each.name for each in folder.iterdir()}


def test_sinks_of_two_queries_that_would_write_over_each_other_are_refused(folder):
    said = refusal(f"{BUS}{TWO.format('x.csv', './x.csv')}INSERT INTO a {ORDERED};\nINSERT INTO b {ORDERED}")
    assert "sinks 'a' and 'b' would write over each other" in said


def test_sinks_of_a_yaml_pipeline_that_would_write_over_each_other_are_refused():
    text = """
streams: {bus: {path: bus/in.parquet, event_time: ts, unit: s}}
sinks: {a: {path: out/x}, b: {path: out/x/}}
queries: [{into: a, select: ts, from: bus, contract: SLACK 1 SECOND, late: TO b}]
"""
    assert "sinks 'a' and 'b' would write over each other" in refusal(text, read_yaml)


def test_sinks_whose_names_begin_alike_are_apart(folder):
    ran(f"{BUS}{TWO.format('out/x', 'out/x-late')}INSERT INTO a {ORDERED} LATE TO b")
    assert [4, 1] == [pq.read_table(folder / "out" / name).num_rows for name in ("x", "x-late")]


def test_a_sink_that_nothing_goes_to_writes_over_nothing(folder):
    ran(f"{BUS}{TWO.format('x.parquet', 'x.parquet')}INSERT INTO a {ORDERED}")
    assert 4 == pq.read_table(folder / "x.parquet").num_rows


@pytest.mark.parametrize("path", ["bus/in.parquet", "./bus//in.parquet", "bus", "bus/in.parquet/out"])
def test_a_sink_that_would_write_over_its_input_is_refused(folder, path):
    said = refusal(f"{BUS}CREATE SINK o WITH (path = '{path}');\nINSERT INTO o {ORDERED}")
    assert f"sink 'o' would write where stream 'bus' reads: their paths are {path!r} and 'bus/in.parquet'" in said
    assert ROWS == pq.read_table(folder / "bus" / "in.parquet")


def test_a_sink_within_the_folder_of_a_stream_is_refused_on_spark_too():
    text = f"{BUS.replace('bus/in.parquet', 'bus')}CREATE SINK o WITH (path = 'bus/out');\nSET engine = 'spark';\n"
    assert "sink 'o' would write where stream 'bus' reads" in refusal(f"{text}INSERT INTO o {ORDERED}", read_pipeline)


@pytest.mark.parametrize("name", ["a\0b", "a\ud800b"])
def test_paths_that_no_file_can_have_are_compared_too(name):
    text = f"{BUS}{TWO.format(name, name)}INSERT INTO a {ORDERED} LATE TO b"
    assert "would write over each other" in refusal(text, read_pipeline)
