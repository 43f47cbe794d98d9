"""Paths of streams and sinks as addresses: `file:` is a file of this machine, others are for Spark."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import slackwater as sw
from slackwater.sql.pipeline import read_pipeline
from slackwater.sql.run import run
from slackwater.sql.running import absolute

QUERY = """
CREATE STREAM bus WITH (path = '{}', format = 'parquet', event_time = 'ts', unit = 's');
CREATE SINK ordered WITH (path = '{}');
INSERT INTO ordered SELECT ts FROM bus WITH SLACK 3 SECONDS;
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    pq.write_table(pa.table({"ts": [1, 4, 3, 9]}), tmp_path / "bus.parquet")
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    return tmp_path


def ran(source, sink):
    return list(run(read_pipeline(QUERY.format(source, sink))))


@pytest.mark.parametrize("address", ["file://{}", "file:{}", "{}"])
def test_files_of_this_machine_may_have_addresses(folder, address):
    place = address.format(folder)
    ran(f"{place}/bus.parquet", f"{place}/out.parquet")
    assert [1, 3, 4, 9] == pq.read_table(folder / "out.parquet")["ts"].to_pylist()
    assert not list((folder / "elsewhere").iterdir())


@pytest.mark.parametrize(
    ("source", "sink", "says"),
    [
        ("s3a://data/bus.parquet", "out.parquet", "in process nothing is read from s3a://data/bus.parquet"),
        ("../bus.parquet", "s3a://data/out.parquet", "in process nothing is written to s3a://data/out.parquet"),
    ],
)
def test_files_elsewhere_are_for_spark(folder, source, sink, says):
    with pytest.raises(sw.SqlError, match=f"{says}(.|\n)*run it on Spark"):
        ran(source, sink)
    assert not list((folder / "elsewhere").iterdir())


def test_paths_are_the_same_wherever_a_jvm_was_started(folder):
    assert [f"{folder}/elsewhere/out", "/data/out", "s3a://data/out", None] == [
        absolute(path) for path in ("out", "file:/data/out", "s3a://data/out", None)
    ]
