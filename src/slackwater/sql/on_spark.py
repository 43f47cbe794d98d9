"""Runs a pipeline on Spark: every query is a streaming query with its own checkpoint."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from slackwater.api import session
from slackwater.sql.bind import bind
from slackwater.sql.described import meant, origin_of
from slackwater.sql.in_process import dataset_stream, loaded
from slackwater.sql.running import Running, absolute

if TYPE_CHECKING:
    from slackwater.sql.output import SqlOutput
    from slackwater.sql.pipeline import Pipeline
    from slackwater.sql.summary import Summary
    from slackwater.sql.tree import CreateStream

Notice = Callable[[str], None]
Pause = Callable[[float], None]
_POLL = 0.5  # seconds between two looks at the progress


def run_on_spark(
    pipeline: Pipeline,
    *,
    checkpoint: Path,
    trigger: dict[str, Any] | None,
    drain: bool,
    notice: Notice,
    show: Notice,
    pause: Pause = time.sleep,
) -> Iterator[Summary]:
    """Start all queries, wait until they end, and say what came of each. Ctrl-C ends them; a restart goes on."""
    folder = checkpoint.absolute()
    outputs = built_on_spark(pipeline, folder, notice)
    running = []
    for number, output in enumerate(outputs, 1):
        own = folder if len(outputs) == 1 else folder / f"query-{number}"
        running.append(Running(pipeline, number, output, own, show))
    _run(running, trigger, notice, pause)
    if drain:
        _drain(running, notice, pause)
    for each in running:
        yield each.summary()


def _run(running: list[Running], trigger: dict[str, Any] | None, notice: Notice, pause: Pause) -> None:
    try:
        for each in running:
            each.start(trigger)
        _wait(running, notice, pause)
    finally:
        for each in running:
            if each.query is not None:
                each.query.stop()


def _drain(running: list[Running], notice: Notice, pause: Pause) -> None:
    """Release what still waits: a record in the input says that nothing more comes, and one more run reads it."""
    from slackwater.spark.control_stream import send

    for each in running:
        send(each.control, "drain")
    _run(running, {"availableNow": True}, notice, pause)


def _wait(running: list[Running], notice: Notice, pause: Pause) -> None:
    """Wait until all queries have ended; Ctrl-C is one way to end those that would go on for ever."""
    from slackwater.spark.ended import has_ended

    try:
        while [each for each in running if not has_ended(each.query)]:
            pause(_POLL)
            for each in running:
                each.look()
            notice(", ".join(f"query {each.number}: {each.counted()['arrived']:,} rows" for each in running))
    except KeyboardInterrupt:
        notice("stopping")
    for each in running:
        each.look()


def session_for(pipeline: Pipeline) -> Any:
    """Return a session with the settings of a pipeline; the one that is there already, if one is."""
    stated = (each for each in pipeline.settings.values() if each.name.startswith("spark."))
    settings = {each.name.replace(".", "__"): str(each.value) for each in stated}
    spark = session(**settings)
    spark.sparkContext.setLogLevel("ERROR")
    return spark


def built_on_spark(pipeline: Pipeline, checkpoint: Path, notice: Notice) -> list[SqlOutput]:
    """Start Spark, open all streams, and build the plan of every query.

    Raises:
        SqlError: a stream cannot be opened, or a query cannot be built.
    """
    notice("starting Spark")
    spark = session_for(pipeline)
    streams = {}
    for name, statement in pipeline.streams.items():
        with pipeline.places.at(statement.place):
            streams[name] = meant(statement, _frame(pipeline, spark, statement, checkpoint), pipeline.places)
    return [bind(query, pipeline.text, streams) for query in pipeline.queries]


def _frame(pipeline: Pipeline, spark: Any, statement: CreateStream, checkpoint: Path) -> Any:
    from slackwater.spark.live import live_stream
    from slackwater.spark.stored import Stored, open_stream

    origin = origin_of(statement, pipeline.places)
    if origin.dataset is None:
        stored = Stored(origin.format, absolute(origin.path), origin.columns, origin.options, origin.of_kafka)
        return open_stream(spark, stored)
    dataset_stream(pipeline, statement)  # it is there
    folder = checkpoint.absolute() / "datasets" / origin.dataset
    loaded(origin.dataset, *origin.of_dataset.items()).write(folder)
    return live_stream(spark, folder, stream=origin.stream, rows_per_second=origin.rows_per_second)
