"""One run of one job by one engine: a process, what it took, and whether what it found is right."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from benchmarks.rivals import canonical
from benchmarks.rivals.catalog import Engine
from benchmarks.rivals.environments import interpreter
from benchmarks.rivals.jobs import rows_of

REPOSITORY = Path(__file__).parent.parent.parent
LONGEST = 900  # seconds that a run may take
ON_SPARK = ("batches", "state_bytes", "checkpoint_bytes", "checkpoint_bytes_per_batch")


@dataclass(frozen=True)
class Run:
    """Figures of a run that counts, or the reason why it does not."""

    engine: str
    job: str
    wrong: str = ""
    turn: int = 0
    rows: int = 0
    results: int = 0
    seconds: float = 0.0
    startup_seconds: float = 0.0
    cpu_seconds: float = 0.0
    peak_bytes: int = 0
    batches: int | None = None
    state_bytes: int | None = None
    checkpoint_bytes: int | None = None
    checkpoint_bytes_per_batch: float | None = None

    def figures(self) -> dict[str, Any]:
        """Return everything, with rates for the whole process and without its start-up."""
        rates = {}
        if not self.wrong:
            rates = {
                "rows_per_second": self.rows / self.seconds,
                "rows_per_second_started": self.rows / max(self.seconds - self.startup_seconds, 1e-9),
                "cpu_seconds_per_million": self.cpu_seconds / self.rows * 1e6,
            }
        return {**asdict(self), **rates}


def run(engine: Engine, job: str, data: Path, *, rows: int, expected: canonical.Results) -> Run:
    """Run a job on `rows` rows per stream, and compare its results."""
    with tempfile.TemporaryDirectory(prefix="slackwater-rivals-") as scratch:
        out, watched, log = Path(scratch) / "out", Path(scratch) / "watched.json", Path(scratch) / "log"
        out.mkdir()
        job_command = [interpreter(engine), "-m", f"benchmarks.rivals.engines.{engine.module}", job, data, out]
        watch = [sys.executable, "-m", "benchmarks.rivals.watch", str(LONGEST), watched]
        with log.open("wb") as errors:
            command = [str(part) for part in (*watch, *job_command)]
            done = subprocess.run(
                command, cwd=scratch, env=_environment(engine), stdout=subprocess.PIPE, stderr=errors, check=False
            )
        if done.returncode:
            return Run(engine.name, job, wrong=_why(done.returncode, log))
        wrong = _difference(job, out, expected, in_order=engine.gives_order(job))
        if wrong:
            return Run(engine.name, job, wrong=wrong)
        return _measured(engine, job, rows_of(job, rows), expected.rows, done.stdout, watched)


def _measured(engine: Engine, job: str, rows: int, results: int, said: bytes, watched: Path) -> Run:
    told, seen = json.loads(said.decode().strip().splitlines()[-1]), json.loads(watched.read_text())
    return Run(
        engine.name,
        job,
        rows=rows,
        results=results,
        seconds=seen["ended"] - seen["spawned"],
        startup_seconds=told["ready"] - seen["spawned"],
        cpu_seconds=seen["cpu_s"],
        peak_bytes=seen["peak_bytes"],
        **{name: told[name] for name in ON_SPARK if name in told},
    )


def _environment(engine: Engine) -> dict[str, str]:
    paths = [str(REPOSITORY)]
    if engine.environment is None:
        paths += [str(REPOSITORY / "src"), os.environ.get("PYTHONPATH", "")]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(paths), **engine.settings}


def _why(code: int, log: Path) -> str:
    if code == 124:
        return f"took longer than {LONGEST} s"
    lines = [line.strip() for line in log.read_text(errors="replace").splitlines() if line.strip()]
    causes = [line for line in lines if line.startswith("Caused by:")]  # what a JVM ends with is seldom its reason
    return f"ended with code {code}: {(causes or lines or ['and said nothing'])[-1]}"


def _difference(job: str, out: Path, expected: canonical.Results, *, in_order: bool) -> str:
    found = canonical.results(job, out)
    if found.rows != expected.rows:
        return f"other results: {found.rows} instead of {expected.rows}"
    if found.digest != expected.digest:
        return "other results, as many"
    return "results out of order" if in_order and not found.in_order else ""
