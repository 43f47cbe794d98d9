"""The command `profile`: how disordered the rows of some files are."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from slackwater.disorder.files import Files
    from slackwater.disorder.result import DisorderProfile
    from slackwater.disorder.run import Notice

_STDOUT = "-"


def profile(
    files: Annotated[
        list[Path],
        typer.Argument(help="Parquet, CSV or JSON-lines files, folders of them, Delta or Iceberg tables: one stream."),
    ],
    event_time: Annotated[str, typer.Option(help="The column that says when a row happened.")],
    unit: Annotated[str | None, typer.Option(help="Of integer event times: s, ms, us or ns; else guessed.")] = None,
    arrival: Annotated[
        str | None, typer.Option(help="A column that orders rows by arrival; else rows came as they are in the files.")
    ] = None,
    by: Annotated[str | None, typer.Option(help="A column of keys: which of them are worst?")] = None,
    stream: Annotated[
        str | None, typer.Option(help="A column that tells streams apart: how far apart are they?")
    ] = None,
    max_ahead: Annotated[
        str, typer.Option(help="Rows with a time further than this past their arrival are counted and left out.")
    ] = "1 day",
    parse: Annotated[bool, typer.Option("--parse", help="Read event times from ISO 8601 text.")] = False,
    json: Annotated[str | None, typer.Option(metavar="FILE", help="Write all figures as JSON; - for stdout.")] = None,
    html: Annotated[Path | None, typer.Option(metavar="FILE", help="Write a page with plots.")] = None,
) -> None:
    """Say how disordered a stream is: delays, drift, skew, the worst keys, gaps and suspicious clocks.

    The delay of a row is the largest event time that came before it minus its own: it needs
    at most that much slack.

    Example:  slackwater profile events.parquet --event-time ts --by key --html profile.html

    Example:  slackwater profile a.csv b.csv --event-time ts --arrival offset --json -
    """
    from slackwater.disorder.columns import Question
    from slackwater.disorder.files import Files, profile_files

    asked = Question.of(
        event_time=event_time, unit=unit, arrival=arrival, by=by, stream=stream, max_ahead=max_ahead, parse=parse
    )
    opened = Files(files, asked)
    with _progress(opened) as notice:
        found = profile_files(opened, present=time.time_ns() // 1_000, notice=notice)
    typer.echo(found.to_json() if json == _STDOUT else found.table())
    if json not in (None, _STDOUT):
        found.to_json(Path(json))
        typer.echo(f"\nFigures: {json}", err=True)
    if html is not None:
        _write_page(found, html)


@contextmanager
def _progress(files: Files) -> Iterator[Notice]:
    """Show a bar on stderr, where there is a terminal; it disappears in the end."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (BarColumn(20), MofNCompleteColumn(), TimeElapsedColumn(), TextColumn("{task.description}", markup=False))
    console = Console(stderr=True)
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task(f"{files.source}: rows", total=files.rows)
        yield lambda rows: progress.update(task, advance=rows)


def _write_page(found: DisorderProfile, target: Path) -> None:
    from slackwater import __version__
    from slackwater.report.profile import write_profile_page

    page = write_profile_page(target.resolve(), found, footer=f"Made by slackwater {__version__}.")
    typer.echo(f"\nReport: {page} (opens in any browser, offline)", err=True)
