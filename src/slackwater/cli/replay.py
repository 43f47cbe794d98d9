"""The command `replay`: streams through their join under contracts, and what each contract reached and cost."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from slackwater.cli.replay_early import show_early
from slackwater.cli.replay_given import Given
from slackwater.cli.replay_parts import Part, parts_of
from slackwater.cli.tables import figures_table

if TYPE_CHECKING:
    from rich.console import Console

    from slackwater.experiments.replay import Notice
    from slackwater.experiments.written import Written
    from slackwater.report.comparisons import Comparison
    from slackwater.report.page import Section


def replay(
    sources: Annotated[
        list[str],
        typer.Argument(
            help="A data set (syn3, syn4, soccer, nezha, zeek, flights; for drop ratios and errors also poisson, "
            "poisson-changing, umts; for errors also freeway; for deadlines traffic, traffic-growing), or a file for "
            "each stream. nezha, zeek, flights and umts are real, and do not come with slackwater: the variable "
            "SLACKWATER_DATA names the folder that they are in."
        ),
    ],
    contract: Annotated[
        list[str] | None,
        typer.Option(
            help='Such as "recall 0.95 over 1 minute", "recall 0.99 cap 30 seconds by model-search" (or by needed, '
            'model-search-eq, model-search-eq-uncalibrated, late-degree, pd), "drop 1% over 1 minute", '
            '"error 3% confidence 0.95", "deadline 6 seconds", "fixed 2 seconds", "max", "none"; '
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
    query: Annotated[
        str | None,
        typer.Option(
            help='For errors: "max(speed) as worst, count() as n by segment size 60 seconds slide 20 seconds".'
        ),
    ] = None,
    early: Annotated[
        float | None,
        typer.Option(help="For errors: also show windows early, by this share of the slide, and say how accurately."),
    ] = None,
    hindsight: Annotated[
        bool, typer.Option("--hindsight/--no-hindsight", help="Search the smallest constant slack that does as well.")
    ] = True,
    output: Annotated[Path, typer.Option(help="Folder for the page and the figures.")] = Path("replay-output"),
) -> None:
    """Replay streams through a join under contracts, and show what each reached and what it cost.

    Each is compared with never waiting (NoSlack), with waiting for the largest delay so far (MaxSlack), and with
    hindsight: the smallest constant slack that would have kept the contract as often.

    A drop ratio is about the events of one stream: that of the data set, or of one file, is put in order instead, and
    compared with the controllers AdaptiveMax and NormalDelay as well.

    A bound on errors is about the values of windows over one stream: those of --query, or a query that the data set
    has. It is compared with a drop ratio of the bound and the controller AlphaPD as well. With --early windows are also
    shown before their end, and early values compared with the final ones.

    Example:  slackwater replay syn3 --contract "recall 0.95 over 1 minute"

    Example:  slackwater replay nezha --contract "drop 1%" --contract "drop 0.1%"

    Example:  slackwater replay freeway --query "mean(speed) as speed size 1 minute" --contract "error 3%"

    The folder that SLACKWATER_DATA names must hold nezha_trainticket/spans.parquet and logs.parquet (for nezha),
    zeek_wrccdc/events.parquet (zeek), nycflights13/departures.parquet and arrivals.parquet (flights), and
    ooo_umts/events.parquet (umts), each only if it is used. All other data sets are generated.

    A deadline is kept on the traffic application of SSG17, beside the policies that it is compared with there.

    Example:  slackwater replay traffic --contract "deadline 6 seconds"

    Example:  slackwater replay a.parquet b.csv --event-time ts --on key --within "5 seconds" --contract "recall 0.95"
    """
    from rich.console import Console

    of_files = {"event_time": event_time, "unit": unit, "arrival": arrival, "on": on, "where": where, "within": within}
    given = Given(sources, {name: value for name, value in of_files.items() if value}, seed, duration, query, early)
    parts = parts_of(given, contract or ())
    console = Console(highlight=False)
    comparisons = _compare(parts, output, hindsight=hindsight)
    _show(parts, comparisons, console)
    more = show_early(given.early, parts, output, console, _progress) if given.early is not None else []
    page = _write_page(parts, comparisons, output, more)
    console.print(f"Report: [bold]{page}[/bold] (opens in any browser, offline)", soft_wrap=True)


def _compare(parts: Sequence[Part], output: Path, *, hindsight: bool) -> list[Comparison]:
    """Run everything, write the figures, and read them back as a report does."""
    from slackwater import __version__
    from slackwater.experiments.written import write
    from slackwater.report.replay import read_replay

    output.mkdir(parents=True, exist_ok=True)  # before the work: a folder that cannot be is better known now
    runs: list[Written] = []
    for part in parts:
        with _progress(part) as notice:
            runs += part.run(notice, hindsight)
    figures, series = output / "replay.jsonl", output / "replay.parquet"
    write(runs, {**parts[0].config, "version": __version__}, figures=figures, series=series)
    return read_replay(figures, series)


@contextmanager
def _progress(part: Part) -> Iterator[Notice]:
    """Show a bar on stderr, where there is a terminal; it disappears in the end."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (BarColumn(20), MofNCompleteColumn(), TimeElapsedColumn(), TextColumn("{task.description}", markup=False))
    console = Console(stderr=True)
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task(f"{part.name}: {part.rows}", total=1)

        def notice(what: str, done: int, planned: int) -> None:
            progress.update(task, description=f"{part.name}: {what}", completed=done, total=planned)

        yield notice


def _show(parts: Sequence[Part], comparisons: Sequence[Comparison], console: Console) -> None:
    for part in parts:
        console.print(f"{part.name}: {part.rows}", soft_wrap=True)
    for each in comparisons:
        console.print(figures_table(each.title, each.heads, each.rows()))
        console.print(each.caption, style="dim", markup=False)


def _write_page(
    parts: Sequence[Part], comparisons: Sequence[Comparison], output: Path, more: Sequence[Section]
) -> Path:
    from slackwater import __version__
    from slackwater.report.replay import write_replay_page

    return write_replay_page(
        (output / "replay.html").resolve(),
        title=f"slackwater replay: {parts[0].name}",
        intro=" ".join(f"{part.rows}, {part.how}" for part in parts),
        comparisons=comparisons,
        more=more,
        footer=f"Made by slackwater {__version__}; replay.jsonl and replay.parquet beside this page have the figures.",
    )
