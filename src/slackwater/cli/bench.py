"""The command `bench`: run the benchmarks of the repository."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Annotated

import typer

from slackwater.errors import SlackwaterError

_HARNESS = Path("benchmarks") / "harness.py"


def bench(
    name: Annotated[
        str, typer.Argument(help="A benchmark; [bold]all[/bold], aims, rivals, growth or budget.")
    ] = "guard",
    quick: Annotated[bool, typer.Option("--quick", help="Small sizes: does it run, not how fast.")] = False,
    repeat: Annotated[int, typer.Option(min=1, help="How often each measurement is repeated.")] = 5,
    contract: Annotated[
        str | None,
        typer.Option(help='What it costs to keep a contract, such as "drop 1%" or "drop 0.5% over 5 minutes".'),
    ] = None,
) -> None:
    """Run a benchmark of the repository: ratios against a rival in the same run.

    Without a name it guards against regressions: a few cheap ratios, against those of benchmarks/baseline.json; it
    fails where one is worse by more than its noise.

    rivals runs the jobs of all engines side by side (make rivals makes their environments), aims what this project has
    set itself besides, growth how cost grows, budget where the time goes, all every other benchmark.

    A name that others begin with, such as reorder or join, runs all of these. With --contract only those are run that
    take one: reorder under the contract, in process and on Spark, against a fixed slack of the same average length.

    Example:  slackwater bench --quick

    Example:  slackwater bench all --quick

    Example:  slackwater bench reorder --contract "drop 1%"
    """
    from slackwater.plan.contract_text import parse_contract

    promised = None if contract is None else parse_contract(contract)
    repository = find_repository(Path.cwd())
    sys.path.insert(0, str(repository))
    harness = importlib.import_module("benchmarks.harness")
    raise typer.Exit(harness.main(name, quick=quick, repeat=repeat, contract=promised))


def find_repository(start: Path) -> Path:
    """Return the nearest folder, from `start` upwards, that has the benchmarks."""
    for folder in (start, *start.parents):
        if (folder / _HARNESS).is_file():
            return folder
    raise SlackwaterError(
        f"benchmarks are part of the repository, and there are none in {start} or above; "
        "clone the repository and run this in it"
    )
