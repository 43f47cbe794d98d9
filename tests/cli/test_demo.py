from __future__ import annotations

import subprocess
import sys

import pyarrow.parquet as pq
import pytest

from slackwater.report.tables import read_run

pytestmark = [pytest.mark.spark, pytest.mark.slow]


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """A demo of six seconds of event time, in a process and a folder of its own."""
    folder = tmp_path_factory.mktemp("demo")
    command = [
        sys.executable,
        "-m",
        "slackwater.cli.main",
        "demo",
        "--output",
        "out",
        "--minutes",
        "0.1",
        "--speed",
        "6",
    ]
    ended = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=280, check=False)
    return folder, ended


def test_demo_ends_well_and_prints_no_noise(finished):
    _, ended = finished
    assert (0, "") == (ended.returncode, ended.stderr)
    assert "every row accounted for" in ended.stdout
    assert "DropRatio(0.01) promised that at most 1.0% come late" in ended.stdout
    assert "WARN" not in ended.stdout


def test_every_row_of_the_stream_is_released_or_late(finished):
    folder, _ = finished
    rows = pq.read_metadata(folder / "out" / "data" / "team_a.parquet").num_rows
    runs = [read_run(policy.name, policy) for policy in sorted((folder / "out" / "policies").iterdir())]
    assert [rows, rows] == [run.released + run.late.num_rows for run in runs]


def test_demo_leaves_only_its_folder_and_no_work_files(finished):
    folder, _ = finished
    assert ["out"] == [path.name for path in folder.iterdir()]
    names = {".slackwater-demo", "data", "policies", "report.html", "spark.log"}
    assert names == {path.name for path in (folder / "out").iterdir()}
