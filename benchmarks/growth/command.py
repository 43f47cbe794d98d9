"""Measures all curves, prints their exponents, writes JSON."""

from __future__ import annotations

import json
import os
import platform
import sys
import time
from pathlib import Path

from rich.console import Console
from rich.progress import Progress
from rich.table import Table

import slackwater
from benchmarks.growth.curve import LIMIT, Curve, Grown, measure
from benchmarks.growth.curves import curves
from benchmarks.growth.on_spark import spark_curves
from benchmarks.spark_files import scratch

RESULTS = Path(__file__).parent.parent / "results"


def main(*, quick: bool, repeat: int) -> int:
    """Run all curves; return 1 if the cost of one grows faster than the limit. Quick ones are too small to tell."""
    console = Console(width=None if sys.stdout.isatty() else 230)
    path = _new_file()
    grown = _measured(curves(quick=quick), repeat, console, path)
    with scratch() as (spark, folder):
        grown += _measured(spark_curves(spark, folder, quick=quick), 1, console, path)  # minutes each, of many batches
    console.print(table(grown))
    console.print(f"written to {path}")
    return int(not quick and not all(curve.held for curve in grown))


def table(grown: list[Grown]) -> Table:
    """Return a line for each curve."""
    shown = Table(title="processor time over size: cost grows with size to the power of the exponent")
    for column in ("operator", "what grows", "sizes", "seconds", "results", "exponent", "at the end", ""):
        shown.add_column(column, justify="right" if column in ("exponent", "at the end") else "left")
    for curve in grown:
        points = curve.points
        shown.add_row(
            curve.operator,
            curve.grows + (" (per result)" if curve.per_result else ""),
            " ".join(f"{point.size:g}" for point in points),
            " ".join(f"{point.seconds:.2f}" for point in points),
            " ".join(f"{point.results:.2g}" for point in points),
            f"{curve.exponent:.2f}",
            f"{curve.last:.2f}",
            "[green]held[/green]" if curve.held else f"[red]above {LIMIT}[/red]",
        )
    return shown


def _measured(all_curves: list[Curve], repeat: int, console: Console, path: Path) -> list[Grown]:
    """Measure curves; each is written as soon as it is known, so that who ends a run early keeps what there is."""
    grown = []
    with Progress(console=console, transient=True) as progress:
        task = progress.add_task("growth", total=sum(len(curve.sizes) for curve in all_curves))
        for curve in all_curves:
            progress.update(task, description=f"{curve.operator}: {curve.grows}")
            points = []
            for point in measure(curve, repeat):
                points.append(point)
                progress.advance(task)
            grown.append(Grown(curve.operator, curve.grows, curve.per_result, tuple(points)))
            _write(grown[-1], path)
    return grown


def _new_file() -> Path:
    RESULTS.mkdir(exist_ok=True)
    return RESULTS / f"growth-{time.strftime('%Y%m%d-%H%M%S', time.gmtime())}.jsonl"


def _write(curve: Grown, path: Path) -> None:
    machine = {"version": slackwater.__version__, "python": platform.python_version(), "cores": os.cpu_count()}
    with path.open("a") as file:
        file.write(json.dumps({**curve.as_json(), **machine}) + "\n")
