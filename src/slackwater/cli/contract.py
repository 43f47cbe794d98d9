"""The command `contract`: changes the contract of a running query, from another terminal."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from slackwater.errors import ParameterError


def contract(
    checkpoint: Annotated[Path, typer.Argument(help="The checkpoint of the query: start(checkpoint=).")],
    text: Annotated[
        str | None, typer.Argument(help='Such as "recall 0.95 over 1 minute"; left out, what rules.')
    ] = None,
) -> None:
    """Change the contract of a running query, without a restart; or say which one rules.

    Example:  slackwater contract out/checkpoint "recall 0.95 over 1 minute"
    """
    from slackwater.board.found import FoundQuery, checked_checkpoint
    from slackwater.board.shown import shown

    query = FoundQuery.of(checked_checkpoint(checkpoint))
    if text is None:
        typer.echo(shown(query.contract, 1_000) or "the query has not written a batch yet")
        return
    if query.control is None:
        raise ParameterError(
            "checkpoint",
            str(checkpoint),
            must="be of a query that listens",
            remedy="start it with control=, a folder; with a new checkpoint, if it had none",
        )
    from slackwater.spark.control_stream import send

    query.check_runs()
    send(query.control, "contract", contract=text)
    typer.echo(f"asked: {text!r} instead of {shown(query.contract, 1_000)!r}, from the next micro-batch on")
    typer.echo("decisions say what became of it")
