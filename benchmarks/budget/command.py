"""Measures where the time goes, prints it, writes JSON."""

from __future__ import annotations

import json
import platform
import sys
import time
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path

from rich.console import Console
from rich.markup import escape
from rich.table import Table

import slackwater
from benchmarks.budget.local import Spent, local_runs
from benchmarks.budget.stages import HANDLING, STAGES

RESULTS = Path(__file__).parent.parent / "results"


def main(*, quick: bool, repeat: int) -> int:
    """Measure runs in process and on Spark, workers, and kernels."""
    from benchmarks.budget.on_spark import table as spark_table
    from benchmarks.budget.on_spark import timed
    from benchmarks.budget.sampled import missing, sampled
    from benchmarks.budget.sampled import table as sampled_table
    from benchmarks.budget.workers import kernels, worked
    from benchmarks.budget.workers import table as workers_table

    console = Console(width=None if sys.stdout.isatty() else 230)
    spent = list(local_runs(quick=quick, repeat=repeat))
    console.print(table(spent))
    runs = list(timed(quick=quick))
    console.print(spark_table(runs))
    workers = list(worked(quick=quick))
    console.print(workers_table(workers))
    looked, reason = [], missing()
    if not reason:
        try:
            looked = list(sampled(quick=quick))
        except RuntimeError as failed:  # containers may forbid it; the other figures are not lost for that
            reason = f"[yellow]workers were not looked at: {escape(str(failed))}[/yellow]"
    console.print(reason or sampled_table(looked))
    kernel = kernels()
    console.print(
        f"kernels: a process compiles those of every operator in {kernel.compiled:.1f} s, loads them from the disk in "
        f"{kernel.loaded:.2f} s, and has them the second time: {kernel.ready:.2f} s"
    )
    lines: list[dict[str, object]] = [
        *(_as_line(each) for each in spent),
        *({"budget": run.name, "rows": run.rows, "milliseconds_per_batch": run.parts} for run in runs),
        *({"budget": run.name, "rows": run.rows, "milliseconds_per_task": run.tasks} for run in workers),
        *({"budget": run.name, "rows": run.rows, "looks": run.looks, "shares": run.shares} for run in looked),
        {"budget": "kernels", "seconds": asdict(kernel)},
    ]
    console.print(f"written to {_write(lines)}")
    return 0


def table(spent: Iterable[Spent]) -> Table:
    """Return a line for each run: microseconds of processor time for each row, stage by stage."""
    shown = Table(title="in process: us of processor time for each row")
    for column in ("run", *STAGES, "all", "disorder", "adapt", "with files", "disorder", "adapt", "us per decision"):
        shown.add_column(column, justify="left" if column == "run" else "right")
    for each in spent:
        parts = [f"{each.stages[stage]:.3f}" for stage in STAGES]
        shares = f"{each.handling:.0%}", f"{each.share(['adapt']):.1%}"
        of_run = f"{each.share_with_files(HANDLING):.0%}", f"{each.share_with_files(['adapt']):.1%}"
        whole = f"{sum(each.with_files.values()):.3f}"
        shown.add_row(each.run, *parts, f"{each.total:.3f}", *shares, whole, *of_run, f"{each.of_a_decision:.0f}")
    return shown


def _as_line(spent: Spent) -> dict[str, object]:
    stages = {"us_per_row": dict(spent.stages), "us_per_row_with_files": dict(spent.with_files)}
    return {"budget": spent.run, **stages, "decisions": spent.decisions}


def _write(lines: Iterable[dict[str, object]]) -> Path:
    RESULTS.mkdir(exist_ok=True)
    path = RESULTS / f"{time.strftime('%Y%m%d-%H%M%S', time.gmtime())}-budget.jsonl"
    known = {"version": slackwater.__version__, "python": platform.python_version()}
    path.write_text("".join(json.dumps({**line, **known}) + "\n" for line in lines))
    return path
