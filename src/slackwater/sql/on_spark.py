"""Runs a pipeline on Spark: every query is a streaming query with its own checkpoint."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from slackwater.api import session
from slackwater.decisions import DECISIONS
from slackwater.local.files import ENDINGS
from slackwater.sql.bind import bind
from slackwater.sql.described import meant, origin_of, target_of
from slackwater.sql.in_process import dataset_stream, loaded, titled
from slackwater.sql.shown import shown
from slackwater.sql.summary import JUDGED, Summary, contract_in_words, dropped, kept_of, title_of

if TYPE_CHECKING:
    from slackwater.sql.output import SqlOutput
    from slackwater.sql.pipeline import Pipeline
    from slackwater.sql.tree import CreateStream

Notice = Callable[[str], None]
Pause = Callable[[float], None]
_COUNTS = ("arrived", "released", "late", "buffered")
_POLL = 0.5  # seconds between two looks at the progress


@dataclass
class Running:
    """A query that runs: what it was built from, and what its batches said so far."""

    number: int
    output: SqlOutput
    query: Any
    decisions: list[pa.Table]
    written: tuple[str, ...]
    batches: dict[int, dict[str, int]] = field(default_factory=dict)

    def look(self) -> None:
        """Note what batches since the last look have counted; Spark remembers the last hundred."""
        for progress in self.query.recentProgress:
            found = progress["observedMetrics"].get("slackwater")
            if found is not None:
                self.batches[progress["batchId"]] = {name: int(found[name] or 0) for name in _COUNTS}

    def counted(self) -> dict[str, int]:
        """Return what this run has counted; `buffered` is what the last batch left."""
        sums = {name: sum(batch[name] for batch in self.batches.values()) for name in _COUNTS}
        last = self.batches[max(self.batches)]["buffered"] if self.batches else 0
        return {**sums, "buffered": last}

    def summary(self) -> Summary:
        """Return what came of it."""
        node, counts = self.output.plan.node, self.counted()
        decisions = pa.concat_tables([DECISIONS.empty_table().select(list(JUDGED)), *self.decisions])
        waiting = counts["buffered"] > 0
        return Summary(
            title_of(self.number, node),
            contract_in_words(node.contract),
            **counts,
            kept=kept_of(decisions, node.contract) + dropped(node.contract, counts["late"], counts["arrived"]),
            written=self.written,
            notes=("rows that are buffered leave when later ones come, in this run or the next",) if waiting else (),
        )


def run_on_spark(
    pipeline: Pipeline,
    *,
    checkpoint: Path,
    trigger: dict[str, Any] | None,
    notice: Notice,
    show: Notice,
    pause: Pause = time.sleep,
) -> Iterator[Summary]:
    """Start all queries, wait until they end, and say what came of each. Ctrl-C ends them; a restart goes on."""
    outputs = built_on_spark(pipeline, checkpoint, notice)
    running: list[Running] = []
    try:
        for number, output in enumerate(outputs, 1):
            own = checkpoint if len(outputs) == 1 else checkpoint / f"query-{number}"
            running.append(_started(pipeline, number, output, own, trigger, show))
        _wait(running, notice, pause)
    finally:
        for each in running:
            each.query.stop()
    for each in running:
        yield each.summary()


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
    spark = session(**{"spark__sql__session__timeZone": "UTC", **settings})
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
        return open_stream(spark, Stored(origin.format, _absolute(origin.path), origin.columns, origin.options))
    dataset_stream(pipeline, statement)  # it is there
    folder = (checkpoint / "datasets" / origin.dataset).absolute()
    loaded(origin.dataset, *origin.of_dataset.items()).write(folder)
    return live_stream(spark, folder, stream=origin.stream, rows_per_second=origin.rows_per_second)


def _started(
    pipeline: Pipeline, number: int, output: SqlOutput, checkpoint: Path, trigger: Any, show: Notice
) -> Running:
    query, decisions = output.query, list[pa.Table]()
    side = query.late.sink if query.late is not None else None
    outputs = {"results": query.into, "late": side, "decisions": query.decisions}
    writers, written = {}, []
    for what, sink in outputs.items():
        if what == "results" or sink in pipeline.sinks:
            writers[what], where = _writer(pipeline, sink, partial(titled, show, number, what))
            written.append(f"{what:<8}  {where}")
    judge = writers.get("decisions")
    _check_folders(pipeline, outputs, checkpoint)

    def judged(rows: Any, batch: int) -> None:
        decisions.append(rows.select(*JUDGED).toArrow())
        if judge is not None:
            judge(rows, batch)

    with pipeline.places.at(query.place):
        started = output.start(
            **{**writers, "decisions": judged},
            checkpoint=_absolute(os.fspath(checkpoint)),
            trigger=trigger,
            name=f"slackwater-{number}",
        )
    return Running(number, output, started, decisions, tuple(written))


def _check_folders(pipeline: Pipeline, outputs: dict[str, str | None], checkpoint: Path) -> None:
    """Refuse folders that another run has filled: their batches would be mixed with ours."""
    from slackwater.spark.outputs import checked_destinations

    for what, sink in outputs.items():
        if sink is None or sink not in pipeline.sinks:
            continue
        target = target_of(pipeline.sinks[sink], pipeline.places)
        if target.path is not None and "://" not in target.path:
            with pipeline.places.at(pipeline.sinks[sink].place):
                checked_destinations({what: _absolute(target.path)}, checkpoint=str(checkpoint.absolute()), columns=())


def _writer(pipeline: Pipeline, sink: str | None, show: Notice) -> tuple[Any, str]:
    """Return what writes the batches of an output, and where to in words."""
    from slackwater.spark.stored import Stored, writer_to

    target = None if sink is None else target_of(pipeline.sinks[sink], pipeline.places)
    if target is None or target.format == "console":
        most = 20 if target is None else target.rows
        return lambda rows, batch: show("\n".join(shown(rows.limit(most).toArrow(), most))), "to the console"
    if target.format not in ENDINGS and target.format != "kafka":
        pipeline.places.fail(pipeline.sinks[target.name].place, f"there is no sink of format {target.format}")
    return writer_to(
        Stored(target.format, _absolute(target.path), (), target.options)
    ), f"-> {target.path or target.format}"


def _absolute(path: str | None) -> str | None:
    """Return a path that is the same for Spark's JVM, which may have been started elsewhere; addresses are."""
    return path if path is None or "://" in path else os.path.abspath(path)
