"""The command `experiment`: run what the documents ran, and write results as data."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from slackwater.errors import ParameterError

if TYPE_CHECKING:
    from rich.console import Console

    from slackwater.experiments.frame.description import Experiment
    from slackwater.experiments.frame.runner import Asked, Notice

RESULTS = Path("experiment-results")


def experiment(
    name: Annotated[str | None, typer.Argument(help="An experiment, or [bold]all[/bold]; --list shows them.")] = None,
    engine: Annotated[str, typer.Option(help="local, or spark for the sample of the smoke scale.")] = "local",
    scale: Annotated[str | None, typer.Option(help="smoke (seconds), small (minutes) or paper (hours).")] = None,
    seed: Annotated[int | None, typer.Option(help="One seed instead of those of the scale.")] = None,
    seeds: Annotated[int | None, typer.Option(help="The first 1 to 5 of the five seeds of the paper scale.")] = None,
    output: Annotated[Path, typer.Option(help="Folder for results, with one of each scale in it.")] = RESULTS,
    fresh: Annotated[bool, typer.Option("--fresh", help="Run cells again that have results.")] = False,
    baseline: Annotated[
        Path | None, typer.Option(help="Compare with these results, and fail if ours are worse.")
    ] = None,
    keep: Annotated[Path | None, typer.Option(help="Write what --baseline compares with.")] = None,
    show: Annotated[bool, typer.Option("--list", help="List all experiments.")] = False,
) -> None:
    """Run a table or figure of the documents, or a comparison of our own, and write its results as JSON lines.

    Every cell is written as soon as it is known: stop at any time, the same command goes on. `slackwater report` makes
    a page of the results.

    Example:  slackwater experiment ji16-fig7 && slackwater report --open

    On Spark a sample of each is run, in process too, and the command fails if their figures differ.

    Example:  slackwater experiment all --scale paper

    Example:  slackwater experiment all --seeds 5

    Example:  slackwater experiment all --engine spark
    """
    from rich.console import Console

    from slackwater.experiments.frame.catalog import load, load_all
    from slackwater.experiments.frame.runner import left_out, processor_time, run_all

    console = Console(highlight=False)
    if show:
        _list(load_all(), console)
        return
    if name is None:
        raise ParameterError("name", None, must="be given", remedy="such as ji16-fig7; slackwater experiment --list")
    chosen = load_all() if name == "all" else {name: load(name)}
    asked = _asked(engine, scale, _seeds(seed, seeds), output, fresh)
    if name == "all" and asked.engine == "spark":
        chosen = {each: described for each, described in chosen.items() if not described.in_process_only}
    with _progress() as notice:
        summaries = run_all(chosen, asked, notice)
    _show(summaries, console)
    missing = left_out(chosen, asked)
    if missing:
        console.print(missing, style="yellow")
    used = str(timedelta(seconds=round(processor_time())))
    console.print(f"Results: {asked.folder}; [bold]slackwater report[/bold] makes a page of them.", soft_wrap=True)
    console.print(f"Processor time: {used}", highlight=False)
    if asked.engine == "spark":
        _compare_engines(chosen, asked, console)
    _guard(asked, list(chosen), baseline, keep, console)


def _compare_engines(chosen: dict[str, Experiment], asked: Asked, console: Console) -> None:
    from slackwater.experiments.frame.engines import compare_engines, in_process
    from slackwater.experiments.frame.runner import run_all

    local = in_process(asked)
    with _progress() as notice:
        run_all(chosen, local, notice)
    compared, different = compare_engines(asked, local, list(chosen))
    _fail_if(
        different, console, f"{compared} cells compared with the run in process: {len(different) or 'none'} differ."
    )


def _fail_if(lines: list[str], console: Console, summary: str) -> None:
    """Print what is wrong and a summary, and end the command with an error if there was anything."""
    for line in lines:
        console.print(line, style="red", markup=False, soft_wrap=True)
    console.print(summary, soft_wrap=True)
    if lines:
        raise typer.Exit(1)


def _seeds(one: int | None, first: int | None) -> tuple[int, ...] | None:
    """Return which seeds were asked for; None for those of the scale."""
    from slackwater.experiments.frame.description import FIXED_SEEDS

    if one is not None and first is not None:
        raise ParameterError("--seeds", first, must="not be given with --seed", remedy="leave one of them out")
    if first is None:
        return None if one is None else (one,)
    if not 1 <= first <= len(FIXED_SEEDS):
        remedy = "seeds are fixed beforehand; --seed N runs any other"
        raise ParameterError("--seeds", first, must=f"be 1 to {len(FIXED_SEEDS)}", remedy=remedy)
    return FIXED_SEEDS[:first]


def _asked(engine: str, scale: str | None, seeds: tuple[int, ...] | None, output: Path, fresh: bool) -> Asked:
    from slackwater.experiments.frame.description import ENGINES, SCALES
    from slackwater.experiments.frame.runner import Asked

    scale = scale or ("smoke" if engine == "spark" else "small")
    for option, value, known in (("--engine", engine, ENGINES), ("--scale", scale, SCALES)):
        if value not in known:
            raise ParameterError(option, value, must="be known", remedy=f"use one of {', '.join(known)}")
    folder = output / (scale if engine == "local" else f"{scale}-{engine}")
    return Asked(scale, folder, engine, seeds, fresh)  # type: ignore[arg-type]


def _guard(asked: Asked, names: list[str], baseline: Path | None, keep: Path | None, console: Console) -> None:
    from slackwater.experiments.frame.baseline import compare_with, write_baseline

    if keep is not None:
        write_baseline(keep, asked.folder, names)
        console.print(f"Baseline: {keep}")
    if baseline is None:
        return
    compared, worse = compare_with(baseline, asked.folder, names)
    _fail_if(worse, console, f"{compared} figures compared with {baseline}: {len(worse) or 'none'} worse.")


def _list(experiments: dict[str, Experiment], console: Console) -> None:
    from rich.table import Table

    table = Table("name", "document", "what it shows", "engines", box=None, padding=(0, 2, 0, 0))
    for name, each in experiments.items():
        engines = "local" if each.in_process_only else "local, spark"
        table.add_row(name, f"{each.document} {each.section}".strip(), each.title, engines)
    console.print(table)


def _show(summaries: dict[str, dict[str, Any]], console: Console) -> None:
    """Print each claim with our number and the verdict."""
    colors = {"pass": "green", "differs": "yellow", "cannot be compared": "dim"}
    for name, summary in summaries.items():
        console.print(f"[bold]{name}[/bold] {summary['document']} {summary['section']}: {summary['title']}")
        for claim in summary["claims"]:
            verdict = claim["verdict"]
            console.print(f"  [{colors[verdict]}]{verdict}[/{colors[verdict]}]", end="  ")
            console.print(f"{claim['says']}; ours: {claim['ours'] or '-'}", markup=False)


def time_left(elapsed: float | None, done: int, planned: int) -> str:
    """Write how long the rest takes, if its cells take as long as those that are done.

    >>> time_left(60.0, done=2, planned=15), time_left(10.0, done=0, planned=15)
    ('0:06:30', '-:--:--')
    """
    if not done or elapsed is None:
        return "-:--:--"
    return str(timedelta(seconds=round(elapsed / done * (planned - done))))


@contextmanager
def _progress() -> Iterator[Notice]:
    """Show a bar and the time left on stderr, where there is a terminal."""
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        ProgressColumn,
        Task,
        TextColumn,
        TimeElapsedColumn,
    )
    from rich.text import Text

    class TimeLeft(ProgressColumn):
        """By all cells so far: by the last ones alone, as rich does, it would jump with every slow one."""

        def render(self, task: Task) -> Text:
            return Text(time_left(task.elapsed, int(task.completed), int(task.total or 0)))

    columns = (
        BarColumn(20),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeLeft(),
        TextColumn("{task.description}", markup=False),
    )
    console = Console(stderr=True)
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task("starting", total=None)

        def notice(what: str, done: int, planned: int) -> None:
            progress.update(task, description=what, completed=done, total=planned)

        yield notice
