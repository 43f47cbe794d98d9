"""What the user types, and what is printed before and after."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def demo(
    output: Annotated[Path, typer.Option(help="Folder for everything that the demo makes.")] = Path("demo-output"),
    minutes: Annotated[float, typer.Option(min=0.05, max=20, help="Length of the stream, in event time.")] = 3.0,
    speed: Annotated[float, typer.Option(min=0.1, help="How many times faster than it happened.")] = 6.0,
) -> None:
    """Put a live, out-of-order Spark stream in order by a guess and under a contract, and show what each costs.

    The stream has the positions of a soccer team's players: most come within 40 ms of their turn, a few are stuck for
    seconds. A guess of 20 ms lets some rows in 100 come too late; a contract allows one, and finds the wait.

    Example:  slackwater demo --output demo-output --minutes 3 --speed 6
    """
    from rich.console import Console

    from slackwater.cli.demo.run import run_demo

    console = Console(highlight=False)
    page = run_demo(output, minutes=minutes, speed=speed, console=console)
    console.print(f"Report: [bold]{page}[/bold] (opens in any browser, offline)", soft_wrap=True)
