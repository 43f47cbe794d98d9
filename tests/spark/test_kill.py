"""Kill everything with SIGKILL, start again from the checkpoint: every row exactly once, in the same order."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.spark.job import aggregate_plan_of, chain_plan_of, plan_of

pytestmark = [pytest.mark.spark, pytest.mark.slow, pytest.mark.timeout(900)]
ROWS, FILES = 6_000, 4


@pytest.fixture(scope="module")
def table() -> pa.Table:
    random = np.random.default_rng(5)
    delays = np.where(random.random(ROWS) < 0.7, 0, random.exponential(120, ROWS)).astype(np.int64)
    return pa.table(
        {
            "ts": np.arange(ROWS) * 2 - delays,
            "seq": np.arange(ROWS),
            "key": random.integers(0, 20, ROWS),
            "text": [f"row {i}" for i in range(ROWS)],
        }
    )


@pytest.fixture
def folder(tmp_path, table) -> Path:
    write_files(table, tmp_path / "in")
    return tmp_path


def write_files(table: pa.Table, folder: Path, *, files: int = FILES) -> None:
    folder.mkdir()
    for number in range(files):
        path = folder / f"{number}.parquet"
        pq.write_table(table.slice(number * len(table) // files, len(table) // files), path)
        os.utime(path, (1_700_000_000 + number,) * 2)  # Spark takes files in the order of their times


def run_job(folder: Path, *where: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, str(Path(__file__).parent / "job.py"), str(folder), *where]
    log = (folder / "log").open("ab")
    return subprocess.Popen(command, start_new_session=True, stdout=log, stderr=log)


def run_to_the_end(folder: Path, *where: str) -> None:
    assert 0 == run_job(folder, *where).wait(timeout=240), (folder / "log").read_text()[-3000:]


def read(folder: Path, name: str) -> pa.Table:
    """Return all rows of an output in the order of their batches."""
    batches = sorted((folder / name).glob("batch=*"), key=lambda path: int(re.sub(r"\D", "", path.name)))
    files = [file for batch in batches for file in sorted(batch.glob("part-*.parquet"))]
    return pa.concat_tables([pq.read_table(file, partitioning=None) for file in files])


def check_against_the_local_run(folder: Path, tables: list[pa.Table]) -> None:
    local = plan_of(tables)
    assert local.results.to_pylist() == read(folder, "results").to_pylist()
    assert by_stream(local.late) == by_stream(read(folder, "late"))
    decisions = read(folder, "decisions").drop_columns(["took_us"])
    assert local.decisions.drop_columns(["took_us"]).to_pylist() == decisions.to_pylist()
    last = decisions.to_pylist()[-1]
    assert (ROWS, 0) == (last["arrived"], last["buffered"])
    assert last["late"] == local.late.num_rows


def by_stream(late: pa.Table) -> list[dict]:
    return sorted(late.to_pylist(), key=lambda row: row["stream"])


WITHIN_A_BATCH = [
    ("before=results", "batch=0"),  # in the first batch: the operator ran, nothing is written
    ("after=results", "batch=1"),  # one output is written, two are not
    ("after=decisions", "batch=2"),  # all is written, but Spark has not committed the batch
]


def test_killed_within_three_batches_and_between_two(folder, table):
    for where in WITHIN_A_BATCH:
        assert -signal.SIGKILL == run_job(folder, *where).wait(timeout=240), (folder / "log").read_text()[-3000:]
    kill_when_committed(folder, commits=3)
    run_to_the_end(folder)
    check_against_the_local_run(folder, [table])


def test_a_join_killed_within_a_batch_goes_on_as_if_nothing_had_happened(tmp_path, table):
    tables = [table.filter(pa.array(np.arange(ROWS) % 2 == stream)) for stream in range(2)]
    for number, own in enumerate(tables):
        write_files(own, tmp_path / f"in{number}", files=2)
    assert -signal.SIGKILL == run_job(tmp_path, "after=results", "batch=1").wait(timeout=240)
    run_to_the_end(tmp_path)
    check_against_the_local_run(tmp_path, tables)


def test_aggregates_of_aggregates_killed_within_a_batch_go_on_as_if_nothing_had_happened(folder, table):
    killed = run_job(folder, "after=results", "batch=1", "aggregate=1")
    assert -signal.SIGKILL == killed.wait(timeout=240), (folder / "log").read_text()[-3000:]
    run_to_the_end(folder, "aggregate=1")
    local, found = aggregate_plan_of([table]), read(folder, "results")
    assert by_window(local.results) == by_window(found)
    assert local.late["seq"].to_pylist() == read(folder, "late")["seq"].to_pylist()


def test_a_chain_killed_within_a_batch_goes_on_as_if_nothing_had_happened(tmp_path, table):
    tables = [table.filter(pa.array(np.arange(ROWS) % 2 == stream)) for stream in range(2)]
    for number, own in enumerate(tables):
        write_files(own, tmp_path / f"in{number}", files=2)
    killed = run_job(tmp_path, "after=results", "batch=1", "chain=1")
    assert -signal.SIGKILL == killed.wait(timeout=240), (tmp_path / "log").read_text()[-3000:]
    run_to_the_end(tmp_path, "chain=1")
    local = chain_plan_of(tables)
    assert by_window(local.results) == by_window(read(tmp_path, "results"))
    assert by_stream(local.late) == by_stream(read(tmp_path, "late"))


def by_window(results: pa.Table) -> list[dict]:
    return sorted(results.to_pylist(), key=lambda row: (row["window"]["end"], row["key"], row["revision"]))


def kill_when_committed(folder: Path, *, commits: int) -> None:
    """Kill the job as soon as Spark has committed so many batches: between two of them, or early in the next."""
    job = run_job(folder)
    deadline = time.monotonic() + 240
    while job.poll() is None and time.monotonic() < deadline:
        if len(list((folder / "checkpoint" / "commits").glob("[0-9]*"))) >= commits:
            os.killpg(job.pid, signal.SIGKILL)
            break
        time.sleep(0.01)  # this is the killer waiting for its moment, not the test waiting for a result
    assert -signal.SIGKILL == job.wait(timeout=60)
