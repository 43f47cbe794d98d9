"""The command `report`: a page and a table of what experiments found."""

from __future__ import annotations

import webbrowser
from pathlib import Path
from typing import Annotated

import typer

from slackwater.cli.experiment import RESULTS
from slackwater.errors import DatasetError

_SCALES = (("paper", "small"), ("smoke",))  # the best first; what the smoke scale has is not shown beside others


def report(
    results: Annotated[Path, typer.Option(help="Folder that `slackwater experiment` wrote.")] = RESULTS,
    scale: Annotated[
        str | None, typer.Option(help="smoke, small or paper; left out, of each experiment the larger of the last two.")
    ] = None,
    output: Annotated[Path, typer.Option(help="The page.")] = RESULTS / "report.html",
    markdown: Annotated[
        Path | None, typer.Option(help="The table of all claims; left out, REPRODUCTION.md beside the page.")
    ] = None,
    static: Annotated[bool, typer.Option("--static", help="Draw the figures, without a script: a small page.")] = False,
    show: Annotated[bool, typer.Option("--open", help="Open the page in a browser.")] = False,
) -> None:
    """Make one page (offline, light and dark) and a table in Markdown of results; nothing is run.

    Example:  slackwater report --open
    """
    from rich.console import Console

    from slackwater.report.reproduction import read_experiments, write_page
    from slackwater.report.reproduction_markdown import write_markdown

    folders = _folders(results, scale)
    found = read_experiments(*folders)
    output.parent.mkdir(parents=True, exist_ok=True)
    page = write_page(output.resolve(), found, static=static)
    target = markdown or output.parent / "REPRODUCTION.md"  # docs/ has that of all experiments: never by accident
    write_markdown(target, found)
    console = Console(highlight=False)
    console.print(f"{len(found)} experiments of {', '.join(map(str, folders))}", soft_wrap=True)
    console.print(f"Report: [bold]{page}[/bold] (opens in any browser, offline)", soft_wrap=True)
    console.print(f"Table: [bold]{target}[/bold]", soft_wrap=True)
    if show:
        webbrowser.open(page.as_uri())


def _folders(results: Path, scale: str | None) -> list[Path]:
    """Return the folders that have results, the best first."""
    for scales in ((scale,),) if scale else _SCALES:
        found = [results / each for each in scales if any((results / each).glob("*.json"))]
        if found:
            return found
    wanted = scale or "any scale"
    raise DatasetError(
        str(results), problem=f"has no results of {wanted}", remedy="run slackwater experiment all first"
    )
