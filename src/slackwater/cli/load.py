"""The commands `load` and `soak`: queries at their limit, far above it, and for an hour below it."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from slackwater.cli.simulate import find_repository

_HARNESS = Path("tests") / "load" / "command.py"
_OUTPUT = Path("load-output")


def load(
    part: Annotated[
        list[str] | None,
        typer.Option(help="saturation, overload, shapes, shapes-spark, silence or silence-spark; repeatable."),
    ] = None,
    query: Annotated[list[str] | None, typer.Option(help="Only reorder, join or aggregate; repeatable.")] = None,
    shape: Annotated[list[str] | None, typer.Option(help='Only this shape, such as "10 M keys"; repeatable.')] = None,
    minutes: Annotated[float, typer.Option(min=0.2, help="How long ten times too much is offered.")] = 2,
    output: Annotated[Path, typer.Option(help="A folder for figures.")] = _OUTPUT,
) -> None:
    """Put queries under load: at their limit, ten times above it, and on streams that nobody wishes for.

    The last are 10 M keys, one key with half of the rows, silence of an hour, clocks that are days off; in process
    (shapes) and, smaller, on Spark (shapes-spark). One of two streams that is silent for an hour, with `idle_after` and
    without, is a part of its own (silence, silence-spark). This is part of the repository, as its tests are, and needs
    Linux. The exit code is 1 if a row was lost, came twice or was out of order, or if something was not bounded.

    Example:  slackwater load --part overload --query join --minutes 2
    """
    asked = {"parts": part or (), "queries": query or (), "shapes": shape or ()}
    raise typer.Exit(_command().main(**asked, minutes=minutes, output=output))


def soak(
    minutes: Annotated[float, typer.Option(min=0.5, help="How long to run at the share.")] = 60,
    query: Annotated[str, typer.Option(help="reorder, join or aggregate.")] = "join",
    share: Annotated[float, typer.Option(min=0.01, max=2, help="Of what the query can do on one core.")] = 0.7,
    output: Annotated[Path, typer.Option(help="A folder for figures and samples.")] = _OUTPUT,
) -> None:
    """Run a query for long below its limit, and say what grows: memory, file handles, checkpoint, latency.

    It measures first what one core can do. This is part of the repository, as its tests are, and needs Linux. The exit
    code is 1 if a row was lost, came twice or was out of order, or if something grew that should not.

    Example:  slackwater soak --minutes 60
    """
    raise typer.Exit(_command().main_soak(minutes=minutes, query=query, share=share, output=output))


def _command() -> Any:
    sys.path.insert(0, str(find_repository(Path.cwd(), _HARNESS, "load")))
    return importlib.import_module("tests.load.command")
