"""The command `run`: a pipeline from one file."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from slackwater.errors import DatasetError, ParameterError

if TYPE_CHECKING:
    from slackwater.sql.pipeline import Pipeline


def run(
    pipeline: Annotated[Path, typer.Argument(help="A file of SQL statements, or the same as YAML.")],
    checkpoint: Annotated[
        Path | None, typer.Option(help="The folder that Spark goes on from after a stop; giving one means Spark.")
    ] = None,
    once: Annotated[bool, typer.Option("--once", help="On Spark: take what is there, and end.")] = False,
    drain: Annotated[bool, typer.Option("--drain", help="On Spark: in the end, release what still waits.")] = False,
    explain: Annotated[bool, typer.Option("--explain", help="Say what would run, and run nothing.")] = False,
) -> None:
    """Run a pipeline: its streams, queries, contracts and sinks are in one file.

    In process it runs to the end of its input. With --checkpoint, or SET engine = 'spark', it runs on Spark until
    Ctrl-C, and the next run goes on from the checkpoint. docs/SQL.md has all that may be written.

    Example:  slackwater run examples/traffic.sql

    Example:  slackwater run examples/traffic.sql --checkpoint out/checkpoint --once
    """
    from slackwater.sql import run as engine

    read = _read(pipeline)
    with _progress() as notice, _spark_for(read, checkpoint, notice) as pause:
        if explain:
            typer.echo("\n".join(engine.explained(read, checkpoint=checkpoint, notice=notice)))
            return
        ran = engine.run(
            read, checkpoint=checkpoint, once=once, drain=drain, notice=notice, show=typer.echo, pause=pause
        )
        for summary in ran:
            typer.echo("\n".join(summary.lines()))


@contextmanager
def _spark_for(pipeline: Pipeline, checkpoint: Path | None, notice: Callable[[str], None]) -> Iterator[Any]:
    """Start Spark where it is needed, its messages going to a file; yield a pause in which Ctrl-C may end it all."""
    from slackwater.cli.demo.interrupt import interrupts_wait
    from slackwater.cli.demo.quiet import children_log_to
    from slackwater.sql.run import checkpoint_of

    folder = checkpoint_of(pipeline, checkpoint)
    if folder is None:
        yield None
        return
    from slackwater.sql.on_spark import session_for

    folder.mkdir(parents=True, exist_ok=True)
    notice(f"starting Spark, whose messages go to {folder / 'spark.log'}")
    with children_log_to(folder / "spark.log"):
        spark = session_for(pipeline)
    with interrupts_wait() as pause:
        try:
            yield pause
        finally:
            spark.stop()


def _read(path: Path) -> Pipeline:
    from slackwater.sql.pipeline import read_pipeline
    from slackwater.sql.yaml_form import read_yaml

    endings = {".sql": read_pipeline, ".yaml": read_yaml, ".yml": read_yaml}
    if path.suffix.lower() not in endings:
        raise ParameterError("pipeline", str(path), must="end in .sql, .yaml or .yml", remedy="rename the file")
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise DatasetError(str(path), problem=f"cannot be read ({error})", remedy="check the path") from error
    return endings[path.suffix.lower()](text)


@contextmanager
def _progress() -> Iterator[Callable[[str], None]]:
    """Show on stderr what is being done, where there is a terminal."""
    from rich.console import Console

    console = Console(stderr=True)
    if not console.is_terminal:
        yield lambda text: None
        return
    with console.status("reading") as status:
        yield lambda text: status.update(text)
