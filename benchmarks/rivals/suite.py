"""All jobs by all engines, in turn and repeated; medians, spread, and ratios to slackwater."""

from __future__ import annotations

import shutil
import statistics
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from benchmarks.rivals import canonical, data
from benchmarks.rivals.catalog import Engine
from benchmarks.rivals.engines import on_duckdb
from benchmarks.rivals.environments import reason_to_skip
from benchmarks.rivals.jobs import rows_of
from benchmarks.rivals.runs import Run, run

OURS = ("slackwater-spark", "slackwater-spark-at-once", "slackwater")
SLOWER = 10  # how many times fewer rows slow engines get


@dataclass(frozen=True)
class Size:
    """How much is run: rows of each stream, its files, turns, and the seconds after which an engine gets no other."""

    rows: int
    files: int
    repeat: int
    patience: float = 60.0


def measure(jobs: Sequence[str], engines: Sequence[Engine], size: Size) -> Iterator[dict[str, Any]]:
    """Yield a row for each job and engine, job by job: the median run, or why there is none.

    Slow engines come last, with ours, all with fewer rows: a ratio is always of runs with the same rows.
    """
    yield from _measured(jobs, [engine for engine in engines if not engine.slow], size)
    slow = [engine for engine in engines if engine.slow and not reason_to_skip(engine)]
    if slow:
        ours = [engine for engine in engines if engine.name in OURS]
        theirs = [job for job in jobs if any(job not in engine.cannot for engine in slow)]
        yield from _measured(theirs, [*ours, *slow], replace(size, rows=max(size.rows // SLOWER, 1)))
        yield from (_without(job, engine) for job in jobs if job not in theirs for engine in slow)
    yield from (_without(job, engine) for job in jobs for engine in engines if engine.slow and engine not in slow)


def expected_results(job: str, folder: Path) -> canonical.Results:
    """Return what DuckDB finds in the sorted rows: the truth for all others."""
    with tempfile.TemporaryDirectory() as out:
        on_duckdb.JOBS[job](on_duckdb.begin(), folder, Path(out))
        return canonical.results(job, Path(out))


def _measured(jobs: Sequence[str], engines: Sequence[Engine], size: Size) -> Iterator[dict[str, Any]]:
    config = {"rows_per_stream": size.rows, "files": size.files}
    folder = Path(tempfile.mkdtemp(prefix="slackwater-rivals-data-"))
    try:
        data.write(folder / "data", rows=size.rows, files=size.files)
        for job in jobs:
            turns = list(_turns(job, engines, folder / "data", size))
            yield from ({**config, **_summary(job, engine, turns)} for engine in engines)
    finally:
        shutil.rmtree(folder)


def _turns(job: str, engines: Sequence[Engine], folder: Path, size: Size) -> Iterator[Run]:
    """Run all engines of a job one after the other, each time beginning with another.

    One that went wrong, or has taken as long as anybody has patience, has no further turn.
    """
    expected = expected_results(job, folder)
    left = {e.name: size.patience for e in engines if not (e.cannot.get(job) or reason_to_skip(e))}
    running = [engine for engine in engines if engine.name in left]
    for turn in range(size.repeat):
        begin = turn % max(len(running), 1)
        for engine in running[begin:] + running[:begin]:
            if left[engine.name] > 0:
                done = run(engine, job, folder, rows=size.rows, expected=expected)
                took = done.wrong or f"{done.seconds:.1f} s"
                print(f"{job:13} {engine.name:24} {rows_of(job, size.rows):>10,} rows {took}", flush=True)
                left[engine.name] = 0 if done.wrong else left[engine.name] - done.seconds
                yield replace(done, turn=turn)


def _summary(job: str, engine: Engine, turns: list[Run]) -> dict[str, Any]:
    own = [turn for turn in turns if (turn.job, turn.engine) == (job, engine.name)]
    reason = next((turn.wrong for turn in own if turn.wrong), "")
    if reason or not own:
        return _without(job, engine, reason)
    middle = sorted(own, key=lambda turn: turn.seconds)[len(own) // 2]
    ratios = {ours: _ratios(own, [t for t in turns if (t.job, t.engine) == (job, ours)]) for ours in OURS}
    return {**_named(job, engine), **middle.figures(), "all_seconds": [turn.seconds for turn in own], "ratios": ratios}


def _without(job: str, engine: Engine, reason: str = "") -> dict[str, Any]:
    return {**_named(job, engine), "no_figures": reason or engine.cannot.get(job) or reason_to_skip(engine)}


def _named(job: str, engine: Engine) -> dict[str, Any]:
    return {"job": job, "engine": engine.name, "tuning": engine.tuning, "differs": engine.differs(job)}


def _ratios(own: list[Run], ours: list[Run]) -> dict[str, list[float]] | None:
    """Return an engine's figures over ours of the same turn, each as lowest, median, highest; nothing without ours."""
    of_turn = {turn.turn: turn for turn in ours if not turn.wrong}
    pairs = [(one, of_turn[one.turn]) for one in own if one.turn in of_turn]
    if not pairs:
        return None
    return {
        "seconds": _spread([one.seconds / other.seconds for one, other in pairs]),
        "cpu_seconds": _spread([one.cpu_seconds / other.cpu_seconds for one, other in pairs]),
        "peak_bytes": _spread([one.peak_bytes / other.peak_bytes for one, other in pairs]),
    }


def _spread(values: list[float]) -> list[float]:
    return [min(values), statistics.median(values), max(values)]
