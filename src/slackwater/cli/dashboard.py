"""The command `dashboard`: a page on running queries, in a browser on this machine."""

from __future__ import annotations

import threading
import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from slackwater.errors import ParameterError

if TYPE_CHECKING:
    from slackwater.board.dashboard import Dashboard

PORT = 8400


def dashboard(
    checkpoint: Annotated[
        list[Path] | None,
        typer.Option(help="The checkpoint of a query: start(checkpoint=). May be given several times."),
    ] = None,
    demo: Annotated[bool, typer.Option("--demo", help="Start a small query on Spark and look at that.")] = False,
    output: Annotated[Path, typer.Option(help="Folder of the demo.")] = Path("slackwater-dashboard-demo"),
    minutes: Annotated[float, typer.Option(help="How long the demo runs.")] = 10,
    port: Annotated[int, typer.Option(help="Where to listen; 0 takes any port that is free.")] = PORT,
    host: Annotated[str, typer.Option(help="Others than this machine need --token.")] = "127.0.0.1",
    token: Annotated[
        str | None, typer.Option(envvar="SLACKWATER_TOKEN", help="What every request must bring: 16 letters or more.")
    ] = None,
    show: Annotated[bool, typer.Option("--open", help="Open the page in a browser.")] = False,
) -> None:
    """Show a running query live: slack, quality, latency, late rows; change its contract, prod it, drain it.

    Example:  slackwater dashboard --checkpoint out/checkpoint
    """
    from slackwater.cli.dashboard_demo import demo_query

    if demo == bool(checkpoint):
        raise ParameterError(
            "checkpoint",
            None if not checkpoint else [str(each) for each in checkpoint],
            must="be given, or --demo, and not both",
            remedy="slackwater dashboard --demo shows what it looks like",
        )
    how: Any = {"host": host, "port": port, "token": token}
    if demo:
        with demo_query(output, minutes) as (folder, wait), _board(folder, **how) as board:
            _announce(board.url, show=show)
            wait()
        return
    with _board(*(checkpoint or ()), **how) as board:
        _announce(board.url, show=show)
        threading.Event().wait()


def _board(*checkpoints: Path, **how: Any) -> Dashboard:
    from slackwater.board.dashboard import Dashboard

    try:
        return Dashboard(*checkpoints, **how)
    except ParameterError as error:
        if error.parameter == "checkpoint":
            error.remedy += "; or use --demo"
        raise


def _announce(url: str, *, show: bool) -> None:
    typer.echo(f"Dashboard: {url} (Ctrl-C ends it)")
    if show:
        webbrowser.open(url)
