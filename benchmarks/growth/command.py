"""Measures all curves, prints their exponents, writes JSON."""

from __future__ import annotations

import os
import platform
import sys

from rich.console import Console
from rich.progress import Progress
from rich.table import Table

import slackwater
from benchmarks.growing_file import GrowingFile
from benchmarks.growth.curve import LIMIT, Curve, Grown, measure
from benchmarks.growth.curves import curves
from benchmarks.growth.on_spark import spark_curves
from benchmarks.spark_files import scratch


def main(*, quick: bool, repeat: int) -> int:
    """Run all curves; return 1 if the cost of one grows faster than the limit. Quick ones are too small to tell."""
    console = Console(width=None if sys.stdout.isatty() else 230)
    machine = {"version": slackwater.__version__, "python": platform.python_version(), "cores": os.cpu_count()}
    file = GrowingFile.new("growth-", machine)
    grown = _measured(curves(quick=quick), repeat, console, file)
    with scratch() as (spark, folder):
        grown += _measured(spark_curves(spark, folder, quick=quick), 1, console, file)  # minutes each, of many batches
    console.print(table(grown))
    console.print(f"written to {file.path}")
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


def _measured(all_curves: list[Curve], repeat: int, console: Console, file: GrowingFile) -> list[Grown]:
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
            file.add(grown[-1].as_json())
    return grown
