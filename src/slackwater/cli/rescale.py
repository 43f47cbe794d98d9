"""The command `rescale`: lets a stopped query go on with more buckets."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer


def rescale(
    checkpoint: Annotated[Path, typer.Argument(help="The checkpoint of the stopped query: start(checkpoint=).")],
    to: Annotated[Path, typer.Option(help="The checkpoint to write: a folder that is not there yet.")],
    buckets: Annotated[int, typer.Option(help="How many buckets it has: a multiple of those there were.")],
) -> None:
    """Write the checkpoint of a stopped query anew with more buckets; the old one is left as it is.

    The same query then goes on where it stopped, into the same outputs: with another buckets= in its operator, such as
    sw.join, and another checkpoint= in start().

    Example:  slackwater rescale out/checkpoint --to out/checkpoint-8 --buckets 8
    """
    from slackwater.api import session
    from slackwater.api_rescale import rescale as run
    from slackwater.cli.demo.quiet import children_log_to

    with children_log_to(Path(os.devnull)):  # what goes wrong comes as an error
        spark = session(app="slackwater-rescale")
        spark.sparkContext.setLogLevel("ERROR")
    try:
        done = run(spark, checkpoint, to=to, buckets=buckets)
    finally:
        spark.stop()
    typer.echo(
        f"{done.before} buckets became {done.after}, after batch {done.batch}; "
        f'go on with buckets={done.after} in sw.{done.operator}() and checkpoint="{done.checkpoint}" in start()'
    )
