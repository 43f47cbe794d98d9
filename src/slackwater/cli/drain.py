"""The command `drain`: lets a running query finish what is there, and stop."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from slackwater.errors import ParameterError


def drain(
    checkpoint: Annotated[Path, typer.Argument(help="The checkpoint of the query: start(checkpoint=).")],
    go_on: Annotated[bool, typer.Option("--go-on", help="Release what is held, but do not stop.")] = False,
) -> None:
    """Let a running query release all that it holds, close its windows, and stop.

    Example:  slackwater drain out/checkpoint
    """
    from slackwater.board.found import FoundQuery, checked_checkpoint
    from slackwater.spark.control_stream import send

    query = FoundQuery.of(checked_checkpoint(checkpoint))
    if query.control is None:
        raise ParameterError(
            "checkpoint", str(checkpoint), must="be of a query that listens", remedy="start it with control=, a folder"
        )
    query.check_runs()
    send(query.control, "drain", stop=not go_on)
    typer.echo(f"asked to drain{'' if go_on else ' and stop'}: with the next micro-batch ({query.control})")
