"""All jobs by all engines, in turn and repeated; medians, spread, and ratios to slackwater."""

from __future__ import annotations

import json
import os
import platform
import shutil
import statistics
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import slackwater
from benchmarks.rivals import canonical, data
from benchmarks.rivals.catalog import Engine
from benchmarks.rivals.engines import on_duckdb
from benchmarks.rivals.environments import reason_to_skip
from benchmarks.rivals.runs import Run, run

RESULTS = Path(__file__).parent.parent / "results"
OURS = ("slackwater-spark", "slackwater")


def measure(
    jobs: Sequence[str], engines: Sequence[Engine], *, rows: int, files: int, repeat: int
) -> list[dict[str, Any]]:
    """Return a row for each job and engine: the median run of `repeat`, or why there is none."""
    folder = Path(tempfile.mkdtemp(prefix="slackwater-rivals-data-"))
    try:
        data.write(folder / "data", rows=rows, files=files)
        expected = {job: expected_results(job, folder / "data") for job in jobs}
        turns = list(_turns(jobs, engines, folder / "data", rows, repeat, expected))
    finally:
        shutil.rmtree(folder)
    config = {"rows_per_stream": rows, "files": files, **versions()}
    return [{**config, **_summary(job, engine, turns)} for job in jobs for engine in engines]


def expected_results(job: str, folder: Path) -> canonical.Results:
    """Return what DuckDB finds in the sorted rows: the truth for all others."""
    with tempfile.TemporaryDirectory() as out:
        on_duckdb.JOBS[job](on_duckdb.begin(), folder, Path(out))
        return canonical.results(job, Path(out))


def versions() -> dict[str, Any]:
    """Return what figures depend on besides the code."""
    return {"version": slackwater.__version__, "python": platform.python_version(), "cores": os.cpu_count()}


def _turns(
    jobs: Sequence[str],
    engines: Sequence[Engine],
    folder: Path,
    rows: int,
    repeat: int,
    expected: dict[str, canonical.Results],
) -> Iterator[Run]:
    """Run all engines of a job one after the other, each time beginning with another; nothing twice that went wrong."""
    for job in jobs:
        running = [engine for engine in engines if not (engine.cannot.get(job) or reason_to_skip(engine))]
        for turn in range(repeat):
            begin = turn % max(len(running), 1)
            for engine in running[begin:] + running[:begin]:
                done = run(engine, job, folder, rows=rows, expected=expected[job])
                print(f"{job:10} {engine.name:18} {done.wrong or f'{done.seconds:.1f} s'}", flush=True)
                if done.wrong:
                    running = [other for other in running if other is not engine]
                yield done


def _summary(job: str, engine: Engine, turns: list[Run]) -> dict[str, Any]:
    own = [turn for turn in turns if (turn.job, turn.engine) == (job, engine.name)]
    named = {"job": job, "engine": engine.name, "tuning": engine.tuning, "differs": engine.differs(job)}
    reason = engine.cannot.get(job) or reason_to_skip(engine) or next((turn.wrong for turn in own if turn.wrong), "")
    if reason:
        return {**named, "no_figures": reason}
    middle = sorted(own, key=lambda turn: turn.seconds)[len(own) // 2]
    ratios = {ours: _ratios(own, [t for t in turns if (t.job, t.engine) == (job, ours)]) for ours in OURS}
    return {**named, **middle.figures(), "all_seconds": [turn.seconds for turn in own], "ratios": ratios}


def _ratios(own: list[Run], ours: list[Run]) -> dict[str, list[float]] | None:
    """Return an engine's figures over ours of the same turn, each as lowest, median, highest; nothing without ours."""
    if not ours or any(turn.wrong for turn in ours):
        return None
    pairs = list(zip(own, ours, strict=True))
    return {
        "seconds": _spread([one.seconds / other.seconds for one, other in pairs]),
        "cpu_seconds": _spread([one.cpu_seconds / other.cpu_seconds for one, other in pairs]),
    }


def _spread(values: list[float]) -> list[float]:
    return [min(values), statistics.median(values), max(values)]


def write(rows: list[dict[str, Any]]) -> Path:
    """Write rows as JSON lines; return the file."""
    RESULTS.mkdir(exist_ok=True)
    path = RESULTS / f"rivals-{time.strftime('%Y%m%d-%H%M%S', time.gmtime())}.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path
