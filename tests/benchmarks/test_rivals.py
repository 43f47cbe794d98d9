from __future__ import annotations

import importlib
import json
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from benchmarks.rivals import canonical, data, suite, watch
from benchmarks.rivals.catalog import BY_NAME, ENGINES, Engine
from benchmarks.rivals.environments import reason_to_skip
from benchmarks.rivals.jobs import JOBS
from benchmarks.rivals.runs import Run, run
from benchmarks.rivals.suite import _ratios, expected_results

ROWS = 6_000


@pytest.fixture(scope="module")
def rows(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("rivals")
    data.write(folder, rows=ROWS, files=2)
    return folder


@pytest.mark.parametrize("job", JOBS)
@pytest.mark.parametrize("name", ["on_polars", "on_slackwater"])
def test_engines_in_process_find_what_duckdb_finds(rows, tmp_path, name, job):
    engine = importlib.import_module(f"benchmarks.rivals.engines.{name}")
    engine.JOBS[job](None, rows, tmp_path)
    assert expected_results(job, rows) == canonical.results(job, tmp_path)


@pytest.mark.parametrize("job", JOBS)
def test_every_job_has_results(rows, job):
    assert expected_results(job, rows).rows > 100


def test_a_run_has_the_figures_of_its_process(rows):
    done = run(BY_NAME["duckdb"], "join2", rows, rows=ROWS, expected=expected_results("join2", rows))
    assert "" == done.wrong
    assert 2 * ROWS == done.rows
    assert 0 < done.startup_seconds < done.seconds
    assert done.cpu_seconds > 0
    assert done.peak_bytes > 10_000_000


@pytest.mark.parametrize(("name", "batches"), [("slackwater-spark", 3), ("slackwater-spark-at-once", 1)])
def test_a_backlog_is_one_batch_and_a_stream_one_for_each_file(rows, name, batches):
    done = run(BY_NAME[name], "merge", rows, rows=ROWS, expected=expected_results("merge", rows))
    assert ("", batches) == (done.wrong, done.batches)


def test_a_run_with_other_results_does_not_count(rows):
    other = canonical.Results(rows=1, digest="", in_order=True)
    done = run(BY_NAME["duckdb"], "join2", rows, rows=ROWS, expected=other)
    assert done.wrong.startswith("other results")
    assert "rows_per_second" not in done.figures()


def test_a_run_that_fails_says_its_last_line(rows):
    broken = Engine("broken", "no_such_engine", None, "")
    done = run(broken, "join2", rows, rows=ROWS, expected=expected_results("join2", rows))
    assert "No module named" in done.wrong


def test_a_process_that_outlives_its_parent_is_counted(tmp_path):
    busy = "import time\nwhile time.process_time() < 0.5: pass"
    leave = f"import subprocess, sys; subprocess.Popen([sys.executable, '-c', {busy!r}])"
    out = tmp_path / "watched.json"
    command = [sys.executable, "-m", "benchmarks.rivals.watch", "60", str(out), sys.executable, "-c", leave]
    subprocess.run(command, check=True, cwd=Path(__file__).parents[2])
    assert json.loads(out.read_text())["cpu_s"] >= 0.5


def test_memory_that_forks_share_counts_once():
    hold = "import os, sys; held = os.urandom(100_000_000); children = [os.fork() for _ in range(3)]"
    command = [sys.executable, "-c", f"{hold}; os.write(1, b'here\\n'); sys.stdin.read()"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin
        assert process.stdout
        said = [process.stdout.readline() for _ in range(8)]
        found = sum(map(watch.proportional, [process.pid, *watch.descendants(process.pid)]))
        process.stdin.close()
    assert 8 == said.count("here\n")
    assert 100_000_000 < found < 200_000_000


def test_a_slow_engine_gets_a_tenth_of_the_rows_and_so_does_the_one_it_is_compared_with(monkeypatch):
    monkeypatch.setattr(suite, "_measured", lambda jobs, engines, size: [(size.rows, [e.name for e in engines])])
    monkeypatch.setattr(suite, "reason_to_skip", lambda engine: "")
    engines = [BY_NAME["slackwater"], BY_NAME["duckdb"], BY_NAME["flink-datastream"]]
    expected = [(1_000, ["slackwater", "duckdb"]), (100, ["slackwater", "flink-datastream"])]
    assert expected == list(suite.measure(["join2"], engines, suite.Size(rows=1_000, files=1, repeat=1)))


def test_an_engine_that_has_taken_too_long_has_no_other_turn(monkeypatch, rows):
    monkeypatch.setattr(suite, "run", lambda engine, job, *_, **__: taken(engine.name, 0, 5.0))
    size = suite.Size(rows=ROWS, files=2, repeat=3, patience=8.0)
    assert 2 == len(list(suite._turns("aggregate", [BY_NAME["duckdb"]], rows, size)))


def test_results_in_another_order_are_the_same_but_not_in_order(tmp_path):
    for name, order in (("one", [0, 1]), ("other", [1, 0])):
        (tmp_path / name).mkdir()
        table = pa.table({"ts": [1, 2], "key": [3, 4], "value": [5, 6]}).take(order)
        pq.write_table(table, tmp_path / name / "results.parquet")
    one, other = (canonical.results("merge", tmp_path / name) for name in ("one", "other"))
    assert one.digest == other.digest
    assert (True, False) == (one.in_order, other.in_order)


def test_results_in_csv_are_those_in_parquet(tmp_path):
    for folder in ("csv", "headed", "parquet"):
        (tmp_path / folder).mkdir()
    (tmp_path / "csv" / "part-0").write_text("1,3,5\n")
    (tmp_path / "headed" / "part-0").write_text('"ts","key","value","time","diff"\n1,3,5,7,1\n')
    pq.write_table(pa.table({"ts": [1_000], "key": [3], "value": [5]}), tmp_path / "parquet" / "0.parquet")
    found = {canonical.results("merge", tmp_path / folder) for folder in ("csv", "headed", "parquet")}
    assert 1 == len(found)


def test_results_that_were_taken_back_are_refused(tmp_path):
    (tmp_path / "part-0").write_text('"ts","key","value","time","diff"\n1,3,5,7,1\n1,3,5,9,-1\n')
    with pytest.raises(ValueError, match="taken back"):
        canonical.results("merge", tmp_path)


def test_rows_that_close_windows_are_no_results(tmp_path):
    pq.write_table(pa.table({"ts": [1, 2], "key": [3, -4], "value": [5, 6]}), tmp_path / "0.parquet")
    assert 1 == canonical.results("merge", tmp_path).rows


def taken(engine: str, turn: int, seconds: float) -> Run:
    return Run(engine, "join2", turn=turn, seconds=seconds, cpu_seconds=1.0, peak_bytes=1)


def test_ratios_are_of_runs_of_the_same_turn():
    own = [taken("rival", turn, seconds) for turn, seconds in enumerate((2.0, 6.0, 9.0))]
    ours = [taken("slackwater", turn, seconds) for turn, seconds in enumerate((1.0, 2.0, 3.0))]
    assert [2.0, 3.0, 3.0] == _ratios(own, ours)["seconds"]


def test_an_engine_with_fewer_turns_is_compared_with_ours_of_these():
    ours = [taken("slackwater", turn, seconds) for turn, seconds in enumerate((1.0, 2.0, 3.0))]
    assert [3.0, 3.0, 3.0] == _ratios([taken("rival", 1, 6.0)], ours)["seconds"]


def test_without_a_run_of_ours_there_is_no_ratio():
    assert _ratios([taken("rival", 0, 6.0)], [Run("slackwater", "join2", wrong="ended with code 1")]) is None


def test_an_engine_that_is_not_installed_says_how_to():
    assert "make rivals" in reason_to_skip(Engine("missing", "none", "no-such-environment", ""))


def test_every_engine_has_its_jobs_or_reasons():
    known = {engine.name: set(engine.cannot) for engine in ENGINES if engine.cannot}
    assert {
        "spark-rocksdb": {"merge"},
        "spark-rocksdb-at-once": {"merge", "join2", "join3"},
        "spark-memory": {"merge"},
        "spark-memory-at-once": {"merge", "join2", "join3"},
        "spark-memory-quick": {"merge", "join2", "join3"},
        "pathway": {"aggregate-few"},
        "flink-datastream": {"aggregate-few"},
        "quix": {"merge", "aggregate-few"},
    } == known
