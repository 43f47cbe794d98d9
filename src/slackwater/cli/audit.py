"""The command `audit`: every contract on every set, what was kept, and whether decisions admit what was not."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from slackwater.errors import ParameterError
from slackwater.wording import time_in_words

if TYPE_CHECKING:
    from slackwater.experiments.audit import Audited, Hidden

_HEADS = ("contract", "set", "periods", "kept", "95 % interval", "worst period", "violated", "admitted", "not admitted")
_LEGEND = "violated: periods; admitted: those of which a decision has a quality below the target, expected or measured"


def audit(
    kinds: Annotated[list[str] | None, typer.Argument(help="recall, drop, error or deadline; left out, all.")] = None,
    whole: Annotated[bool, typer.Option(help="Sets as long as they are (an hour), instead of parts.")] = False,
    seed: Annotated[int, typer.Option(min=0, help="Of the generated sets.")] = 1,
    output: Annotated[Path | None, typer.Option(help="Where to write a line of JSON for each.")] = None,
) -> None:
    """Run every contract on every set, and say in which periods it was not kept and whether `decisions` admitted that.

    The exit code is 1 if a violated period was not admitted.

    Example:  slackwater audit drop --seed 2
    """
    from slackwater.experiments.audit import AUDITS
    from slackwater.experiments.audit import audit as run

    for kind in kinds or ():
        if kind not in AUDITS:
            raise ParameterError("kinds", kind, must=f"be one of {', '.join(AUDITS)}", remedy="leave it out for all")
    found = []
    typer.echo(row(_HEADS))
    typer.echo(row(["---"] * len(_HEADS)))
    for each in run(tuple(kinds or AUDITS), whole=whole, seed=seed):
        found.append(each)
        typer.echo(row(_cells(each)))
        if output is not None:
            with output.open("a") as file:
                file.write(json.dumps({**each.figures(), "seed": seed, "whole": whole}) + "\n")
    typer.echo(_LEGEND)
    for each in found:
        for hidden in each.hidden:
            typer.echo(f"not admitted: {each.contract} on {each.set}: {_hidden(hidden)}")
    raise typer.Exit(1 if any(each.hidden for each in found) else 0)


def _hidden(found: Hidden) -> str:
    until, size = time_in_words(found.end), f"of {found.size}"
    return f"until {until} {found.quality:.4f} {size}, decisions say {found.said:.4f} or more"


def row(cells: Sequence[str]) -> str:
    """Return a line of a table, as Markdown has it.

    >>> row(["a", "b"])
    '| a | b |'
    """
    return f"| {' | '.join(cells)} |"


def _cells(found: Audited) -> list[str]:
    interval = f"{found.lowest:.1%} to {found.highest:.1%}"
    share = f"{found.kept / found.periods:.1%}" if found.periods else "none measured"
    counts = (found.violated, found.admitted, len(found.hidden))
    return [found.contract, found.set, str(found.periods), share, interval, f"{found.worst:.4f}", *map(str, counts)]
