"""The command `replay`: streams through their join under contracts, and what each contract reached and cost."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from slackwater.errors import ParameterError

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from slackwater.contracts import Contract
    from slackwater.experiments.queries import JoinQuery
    from slackwater.experiments.replay import Notice
    from slackwater.experiments.subject import Subject
    from slackwater.report.replay import Comparison

_EXAMPLE = 'slackwater replay syn3 --contract "recall 0.95 over 1 minute"'
_FILES = 'slackwater replay a.parquet b.parquet --event-time ts --on key --within "5 seconds" --contract "recall 0.95"'


def replay(
    sources: Annotated[
        list[str],
        typer.Argument(help="A data set (syn3, syn4, soccer, nezha, zeek, flights), or a file for each stream."),
    ],
    contract: Annotated[
        list[str] | None,
        typer.Option(
            help='Such as "recall 0.95 over 1 minute", "recall 0.99 cap 30 seconds by model-search" (or by needed, '
            'model-search-eq, model-search-eq-uncalibrated, late-degree, pd), "fixed 2 seconds", "max", "none"; '
            "may be repeated."
        ),
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Of a generated data set; 1 unless given.")] = None,
    duration: Annotated[str | None, typer.Option(help='How much of a data set, such as "2 minutes".')] = None,
    event_time: Annotated[str | None, typer.Option(help="Of files: the column that says when a row happened.")] = None,
    unit: Annotated[str | None, typer.Option(help="Of files: of integer event times, s, ms, us or ns.")] = None,
    arrival: Annotated[str | None, typer.Option(help="Of files: a column that orders rows by arrival.")] = None,
    on: Annotated[list[str] | None, typer.Option(help="Of files: columns that must be equal, or equations.")] = None,
    where: Annotated[str | None, typer.Option(help="Of files: what else must hold, in SQL.")] = None,
    within: Annotated[str | None, typer.Option(help='Of files: the window of the join, such as "5 seconds".')] = None,
    hindsight: Annotated[
        bool, typer.Option("--hindsight/--no-hindsight", help="Search the smallest constant slack that does as well.")
    ] = True,
    output: Annotated[Path, typer.Option(help="Folder for the page and the figures.")] = Path("replay-output"),
) -> None:
    """Replay streams through a join under contracts, and show what each reached and what it cost.

    Each is compared with never waiting (NoSlack), with waiting for the largest delay so far (MaxSlack), and with
    hindsight: the smallest constant slack that would have kept the contract as often.

    Example:  slackwater replay syn3 --contract "recall 0.95 over 1 minute"

    Example:  slackwater replay a.parquet b.csv --event-time ts --on key --within "5 seconds" --contract "recall 0.95"
    """
    from rich.console import Console

    of_files = {"event_time": event_time, "unit": unit, "arrival": arrival, "on": on, "where": where, "within": within}
    subject = _subject(sources, of_files, seed=seed, duration=duration)
    contracts = _contracts(contract, subject.query)
    console = Console(highlight=False)
    comparisons = _compare(subject, contracts, output, hindsight=hindsight)
    _show(subject, comparisons, console)
    page = _write_page(subject, comparisons, output)
    console.print(f"Report: [bold]{page}[/bold] (opens in any browser, offline)", soft_wrap=True)


def _subject(sources: Sequence[str], of_files: dict[str, Any], *, seed: int | None, duration: str | None) -> Subject:
    from slackwater.experiments.subject import subject_of_dataset, subject_of_files

    given = {name: value for name, value in of_files.items() if value}
    if len(sources) == 1 and not Path(sources[0]).suffix:
        _refuse(given, f"the data set {sources[0]}, which has its own query")
        return subject_of_dataset(sources[0], seed=1 if seed is None else seed, duration=duration)
    _refuse({"seed": seed, "duration": duration}, "files")
    if len(sources) < 2:
        raise ParameterError(
            "files", sources[0], must="be two or more, one for each stream", remedy=f"such as {_FILES}"
        )
    for name in ("event_time", "within"):
        if name not in given:
            raise ParameterError(_option(name), None, must="be given for files", remedy=f"such as {_FILES}")
    if "on" in given:
        given["on"] = on[0] if len(on := given["on"]) == 1 else tuple(on)
    return subject_of_files(sources, **given)


def _contracts(texts: Sequence[str] | None, query: JoinQuery) -> list[Contract]:
    from slackwater.plan.contract_text import parse_contract

    if not texts:
        raise ParameterError("--contract", None, must="be given", remedy=f"such as {_EXAMPLE}")
    contracts = [parse_contract(text, over=query.period, every=query.adaptation_interval) for text in texts]
    for text, contract in zip(texts, contracts, strict=True):
        if contract.counts_events:  # a replay measures results, and would compare the one with the other
            raise ParameterError("--contract", text, must="be about results here", remedy=f"such as {_EXAMPLE}")
    return contracts


def _compare(subject: Subject, contracts: Sequence[Contract], output: Path, *, hindsight: bool) -> list[Comparison]:
    """Run everything, write the figures, and read them back as a report does."""
    from slackwater import __version__
    from slackwater.experiments.comparison import compare, write
    from slackwater.experiments.replay import Replay
    from slackwater.report.replay import read_replay

    output.mkdir(parents=True, exist_ok=True)  # before the work: a folder that cannot be is better known now
    with _progress(subject) as notice:
        runs = compare(Replay(subject, notice=notice), contracts, hindsight=hindsight)
    figures, series = output / "replay.jsonl", output / "replay.parquet"
    write(runs, {**subject.config, "version": __version__}, figures=figures, series=series)
    return read_replay(figures, series)


@contextmanager
def _progress(subject: Subject) -> Iterator[Notice]:
    """Show a bar on stderr, where there is a terminal; it disappears in the end."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (BarColumn(20), MofNCompleteColumn(), TimeElapsedColumn(), TextColumn("{task.description}", markup=False))
    console = Console(stderr=True)
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task(f"{subject.name}: {subject.rows:,} rows", total=1)

        def notice(what: str, done: int, planned: int) -> None:
            progress.update(task, description=f"{subject.name}: {what}", completed=done, total=planned)

        yield notice


def _show(subject: Subject, comparisons: Sequence[Comparison], console: Console) -> None:
    console.print(f"{subject.name}: {subject.rows:,} rows of {', '.join(subject.query.streams)}", soft_wrap=True)
    for each in comparisons:
        console.print(_table(each))
        console.print(each.caption, style="dim", markup=False)


def _table(comparison: Comparison) -> Table:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    from slackwater.report.replay import HEADS

    table = Table(
        title=comparison.title, title_justify="left", title_style="bold", box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0)
    )
    table.add_column(HEADS[0])
    for head in HEADS[1:]:  # in two short lines, which leaves room for the policy in a terminal of 80 columns
        table.add_column(head.replace(" ", "\n"), justify="right", no_wrap=True)
    for row in comparison.rows():
        table.add_row(*map(Text, row))
    return table


def _write_page(subject: Subject, comparisons: Sequence[Comparison], output: Path) -> Path:
    from slackwater import __version__
    from slackwater.report.replay import write_replay_page

    return write_replay_page(
        (output / "replay.html").resolve(),
        title=f"slackwater replay: {subject.name}",
        intro=f"{subject.rows:,} rows of {', '.join(subject.query.streams)}, joined within {subject.query.within}. "
        + subject.description,
        comparisons=comparisons,
        footer=f"Made by slackwater {__version__}; replay.jsonl and replay.parquet beside this page have the figures.",
    )


def _refuse(given: dict[str, Any], of_what: str) -> None:
    for name, value in given.items():
        if value is not None:
            raise ParameterError(_option(name), value, must=f"be left out for {of_what}", remedy=f"such as {_EXAMPLE}")


def _option(name: str) -> str:
    return "--" + name.replace("_", "-")
