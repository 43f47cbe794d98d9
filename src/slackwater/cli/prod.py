"""The command `prod`: asks a running aggregate for early results, from another terminal."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Annotated

import typer

from slackwater.errors import ParameterError


def prod(
    control: Annotated[Path, typer.Option(help="The folder that the query was started with: start(control=).")],
    where: Annotated[
        list[str] | None, typer.Option(help="A group, as column=value; several name one of several columns.")
    ] = None,
    until: Annotated[
        str | None, typer.Option(help="The end of the last window asked for, as ISO 8601; else all that are open.")
    ] = None,
) -> None:
    """Ask a running aggregate for early results of the windows that are open.

    Example:  slackwater prod --control out/control --where line=5
    """
    from slackwater.spark.control_stream import send

    if not control.is_dir():
        raise ParameterError(
            "control", str(control), must="be the folder of a running query", remedy="start it with control=, then prod"
        )
    send(control, "prod", until=_moment(until), where=dict(map(_pair, where or [])))
    typer.echo(f"asked: results follow with the next micro-batch ({control})")


def _pair(text: str) -> tuple[str, str]:
    """Read column=value.

    >>> _pair("line=5")
    ('line', '5')
    """
    column, equals, value = text.partition("=")
    if not equals or not column:
        raise ParameterError("where", text, must="be column=value", remedy="such as --where line=5")
    return column, value


def _moment(text: str | None) -> dt.datetime | None:
    try:
        return None if text is None else dt.datetime.fromisoformat(text)
    except ValueError as error:
        raise ParameterError(
            "until", text, must="be a time as ISO 8601", remedy="such as 2026-05-01T08:00:00Z"
        ) from error
