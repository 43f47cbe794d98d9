"""The command `simulate`: random plans over random streams, with restores, against other ways to the answer."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Annotated

import typer

from slackwater.errors import SlackwaterError

_HARNESS = Path("tests") / "simulation" / "command.py"


def simulate(
    seeds: Annotated[int, typer.Option(min=1, help="How many random plans.")] = 1_000,
    first: Annotated[int, typer.Option(min=0, help="The seed of the first of them.")] = 0,
    seed: Annotated[int | None, typer.Option(min=0, help="Only this one; a failure is made small, as code.")] = None,
) -> None:
    """Run random plans over random streams, cut and restored at random, and compare with other ways to the answer.

    It is part of the repository, as its tests are. The exit code is 1 if a promise was broken, or if more
    than a tenth of at least 100 plans was refused.

    Example:  slackwater simulate --seeds 1000

    Example:  slackwater simulate --seed 25
    """
    sys.path.insert(0, str(find_repository(Path.cwd(), _HARNESS, "the simulation")))
    command = importlib.import_module("tests.simulation.command")
    raise typer.Exit(command.main(seeds=seeds, first=first, seed=seed))


def find_repository(start: Path, harness: Path, what: str) -> Path:
    """Return the nearest folder, from `start` upwards, that has a file of the repository."""
    for folder in (start, *start.parents):
        if (folder / harness).is_file():
            return folder
    raise SlackwaterError(
        f"{what} is part of the repository, and there is none in {start} or above; run this in a clone of slackwater"
    )
