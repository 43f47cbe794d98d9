"""Runs a pipeline on the engine that it needs."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from slackwater.errors import ParameterError
from slackwater.sql.described import origin_of
from slackwater.sql.in_process import built_in_process, run_in_process

if TYPE_CHECKING:
    from slackwater.sql.pipeline import Pipeline
    from slackwater.sql.summary import Summary

Notice = Callable[[str], None]
Engine = Literal["local", "spark"]


def nobody(_: str) -> None:
    """Hear nothing."""


def run(
    pipeline: Pipeline,
    *,
    checkpoint: Path | None = None,
    once: bool = False,
    drain: bool = False,
    notice: Notice = nobody,
    show: Notice = nobody,
    pause: Callable[[float], None] = time.sleep,
) -> Iterator[Summary]:
    """Run a pipeline to the end of its input, or on Spark, without `once`, until it is stopped.

    Args:
        pipeline: read by `read_pipeline`.
        checkpoint: the folder that Spark goes on from; giving one means Spark.
        once: on Spark, take what is there and end.
        drain: on Spark, release in the end what still waits; rows that come later may be late then.
        notice: hears what is being done.
        show: gets rows for the console.
        pause: waits for so many seconds between two looks at Spark's progress; KeyboardInterrupt there ends it well.

    Raises:
        SqlError: a statement cannot be done; the place is its own.

    >>> from slackwater.sql.pipeline import read_pipeline
    >>> text = '''CREATE STREAM bus WITH (dataset = 'traffic', duration = '2 seconds');
    ...           SELECT count(*) AS reports FROM bus [RANGE 1 s, SLIDE 1 s] WITH SLACK 1 SECOND'''
    >>> [summary.arrived for summary in run(read_pipeline(text), show=print)]
    query 1, results:
    window                                      reports
    2020-01-01 00:00:00 .. 2020-01-01 00:00:01  500
    2020-01-01 00:00:01 .. 2020-01-01 00:00:02  500
    [1000]
    """
    folder = checkpoint or _stated(pipeline)
    if engine_of(pipeline, folder) == "local":
        return run_in_process(pipeline, notice=notice, show=show)
    from slackwater.sql.on_spark import run_on_spark

    trigger = {"availableNow": True} if once else _trigger(pipeline)
    return run_on_spark(
        pipeline, checkpoint=_needed(folder), trigger=trigger, drain=drain, notice=notice, show=show, pause=pause
    )


def explained(pipeline: Pipeline, *, checkpoint: Path | None = None, notice: Notice = nobody) -> list[str]:
    """Return how each query was understood and what would run; nothing runs, but in process streams are read."""
    folder = checkpoint or _stated(pipeline)
    if engine_of(pipeline, folder) == "local":
        return [output.explain() for output in built_in_process(pipeline, notice)]
    from slackwater.sql.on_spark import built_on_spark

    return [output.explain() for output in built_on_spark(pipeline, _needed(folder), notice)]


def _needed(folder: Path | None) -> Path:
    if folder is None:
        remedy = "such as --checkpoint out/checkpoint"
        raise ParameterError("--checkpoint", None, must="be given for Spark", remedy=remedy)
    return folder


def checkpoint_of(pipeline: Pipeline, checkpoint: Path | None) -> Path | None:
    """Return the folder that Spark goes on from: as given, or as the file says; None in process."""
    folder = checkpoint or _stated(pipeline)
    return _needed(folder) if engine_of(pipeline, folder) == "spark" else None


def engine_of(pipeline: Pipeline, checkpoint: Path | None) -> Engine:
    """Return the engine: as set, else Spark where there is a checkpoint, or a stream that only Spark can read.

    Raises:
        SqlError: no such engine.
    """
    setting = pipeline.settings.get("engine")
    if setting is not None:
        if setting.value not in ("local", "spark"):
            pipeline.places.fail(setting.place, f"there is no engine {setting.value!r}", "write 'local' or 'spark'")
        if setting.value == "local" and checkpoint is not None:
            raise ParameterError(
                "--checkpoint", str(checkpoint), must="be left out in process", remedy="SET engine = 'spark' needs one"
            )
        return "spark" if setting.value == "spark" else "local"
    formats = (origin_of(each, pipeline.places).format for each in pipeline.streams.values())
    return "spark" if checkpoint is not None or "kafka" in formats else "local"


def _stated(pipeline: Pipeline) -> Path | None:
    setting = pipeline.settings.get("checkpoint")
    return None if setting is None else Path(str(setting.value))


def _trigger(pipeline: Pipeline) -> dict[str, Any] | None:
    setting = pipeline.settings.get("trigger")
    return None if setting is None else {"processingTime": str(setting.value)}
