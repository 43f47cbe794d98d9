"""The command `chaos`: processes of a real cluster are killed while queries run; nothing may be lost."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Annotated

import typer

from slackwater.cli.simulate import find_repository

_HARNESS = Path("tests") / "chaos" / "command.py"


def chaos(
    kills: Annotated[int, typer.Option(min=0, help="How many processes to kill, over all queries.")] = 200,
    seed: Annotated[int, typer.Option(min=0, help="Of the input, and of who is killed when.")] = 0,
    only: Annotated[list[str] | None, typer.Option(help="Only this query, such as 'join of 2'; repeatable.")] = None,
    output: Annotated[Path | None, typer.Option(help="A folder that keeps outcomes, and adds up several runs.")] = None,
    lanes: Annotated[int, typer.Option(min=1, help="Clusters at a time; each takes some 4 GB.")] = 3,
    faults: Annotated[bool, typer.Option(help="Also harm files of a stopped query, and fill its disk.")] = True,
) -> None:
    """Kill processes of local clusters while queries of every operator run, and verify what they wrote.

    Then harm the files of a query that has stopped: it must go on as if nothing had happened, or say what is wrong.
    This is part of the repository, as its tests are, and needs Linux. The exit code is 1 if a row was lost, came twice
    or was out of order, or if a fault was not named.

    Example:  slackwater chaos --kills 200

    Example:  slackwater chaos --kills 20 --only "join of 2" --seed 7
    """
    sys.path.insert(0, str(find_repository(Path.cwd(), _HARNESS, "chaos")))
    command = importlib.import_module("tests.chaos.command")
    raise typer.Exit(command.main(kills=kills, seed=seed, only=only or (), output=output, lanes=lanes, faults=faults))
