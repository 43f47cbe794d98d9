"""The query that `slackwater dashboard --demo` looks at: windows over a stream whose rows are up to 20 s behind."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import typer

import slackwater as sw
from slackwater.cli.demo.interrupt import interrupts_wait
from slackwater.cli.demo.quiet import children_log_to
from slackwater.errors import ParameterError, SlackwaterError
from slackwater.sources import syn3
from slackwater.time import Duration

_MARKER = ".slackwater-dashboard-demo"
_SPEED = 5  # times that of the stream, which has 100 rows a second
_STREAM = "s1"
_LOOKS_EVERY = 0.5  # seconds
_LONGEST_START = 180  # seconds until there is a first batch


@contextmanager
def demo_query(output: Path, minutes: float) -> Iterator[tuple[Path, Callable[[], None]]]:
    """Start the query; yield its checkpoint, once there is one, and what waits until the query ends."""
    folder = _prepared(output)
    syn3(duration=Duration(round(minutes * 60_000_000 * _SPEED))).write(folder / "data")
    typer.echo(f"starting Spark (its messages go to {folder / 'spark.log'})")
    with children_log_to(folder / "spark.log"):
        spark = sw.session(app="slackwater-dashboard", spark__sql__warehouse__dir=str(folder / "warehouse"))
        spark.sparkContext.setLogLevel("ERROR")
    with interrupts_wait() as pause:
        try:
            query = _start(spark, folder)
            typer.echo("waiting for the first micro-batch")
            _wait_for_first(query, folder / "checkpoint", pause)
            yield folder / "checkpoint", lambda: _wait_for_end(query, pause)
        finally:
            spark.stop()


def _start(spark: Any, folder: Path) -> Any:
    from slackwater.spark.live import live_stream

    rate = 100 * _SPEED
    live = live_stream(spark, folder / "data", stream=_STREAM, rows_per_second=rate, rows_per_batch=4 * rate)
    rows = sw.stream(live, name=_STREAM, event_time="event_time", arrival="arrival", max_ahead="1 minute")
    windows = sw.aggregate(
        rows,
        size="5 seconds",
        values={"n": sw.count(), "a1": sw.mean("a1")},
        contract=sw.DropRatio(0.01, over="1 minute"),
        early=sw.Early(aggressiveness=0.25),
    )
    outputs = {name: str(folder / name) for name in ("results", "late", "decisions", "checkpoint", "control")}
    return windows.start(**outputs, trigger={"processingTime": "1 second"}, name="dashboard demo")


def _wait_for_first(query: Any, checkpoint: Path, pause: Callable[[float], None]) -> None:
    for _ in range(round(_LONGEST_START / _LOOKS_EVERY)):
        if (checkpoint / "offsets").is_dir():
            return
        if not query.isActive:
            break
        pause(_LOOKS_EVERY)
    reason = str(query.exception() or "no batch came").strip().splitlines()[0]
    raise SlackwaterError(f"the query of the demo did not start: {reason}")


def _wait_for_end(query: Any, pause: Callable[[float], None]) -> None:
    """Wait for the end of the query, by a drain; then for Ctrl-C, so that one can look at what it left."""
    ended = False
    while True:
        pause(_LOOKS_EVERY)
        if not ended and not query.isActive:
            ended = True
            typer.echo("the query has ended; the page stays until Ctrl-C")


def _prepared(output: Path) -> Path:
    """Make the folder, or empty one that an earlier demo made; refuse any other that has something in it."""
    if output.exists() and (not output.is_dir() or (any(output.iterdir()) and not (output / _MARKER).is_file())):
        raise ParameterError(
            "output", str(output), must="be a new folder, or that of an earlier demo", remedy="choose another --output"
        )
    shutil.rmtree(output, ignore_errors=True)
    output.mkdir(parents=True)
    (output / _MARKER).write_text("Made by `slackwater dashboard --demo`; the next one replaces it.\n")
    return output.resolve()
