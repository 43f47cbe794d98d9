"""Runs a pipeline in process: bounded streams, one query after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from slackwater.local.files import ENDINGS, read_files
from slackwater.local.written import write_table
from slackwater.paths import local_folder
from slackwater.sources.catalog import load
from slackwater.sql.bind import bind
from slackwater.sql.described import meant, origin_of, target_of
from slackwater.sql.shown import shown, titled
from slackwater.sql.summary import Summary, contract_in_words, dropped, kept_of, title_of

if TYPE_CHECKING:
    from slackwater.sources.dataset import Dataset
    from slackwater.sql.output import SqlOutput
    from slackwater.sql.pipeline import Pipeline
    from slackwater.sql.tree import CreateStream

Notice = Callable[[str], None]
_ON_SPARK = "run it on Spark: SET engine = 'spark', or --checkpoint DIR"


def run_in_process(pipeline: Pipeline, *, notice: Notice, show: Notice) -> Iterator[Summary]:
    """Run all queries; `notice` hears what is being done, `show` gets rows for the console."""
    for number, output in enumerate(built_in_process(pipeline, notice), 1):
        notice(f"query {number}")
        yield _summary(pipeline, number, output, show)


def built_in_process(pipeline: Pipeline, notice: Notice) -> list[SqlOutput]:
    """Read all streams, and build the plan of every query.

    Raises:
        SqlError: a stream cannot be read, or a query cannot be built.
    """
    streams = {}
    for name, statement in pipeline.streams.items():
        notice(f"reading {name}")
        with pipeline.places.at(statement.place):
            streams[name] = meant(statement, _table(pipeline, statement), pipeline.places)
    return [bind(query, pipeline.text, streams) for query in pipeline.queries]


def _table(pipeline: Pipeline, statement: CreateStream) -> pa.Table:
    origin = origin_of(statement, pipeline.places)
    if origin.dataset is not None:
        return dataset_stream(pipeline, statement)
    if origin.format not in ENDINGS or origin.options:
        what = f"format {origin.format}" if origin.format not in ENDINGS else f"the option {next(iter(origin.options))}"
        pipeline.places.fail(statement.place, f"in process there is no {what}; Spark has it", _ON_SPARK)
    path = local_folder(origin.path or "")
    if path is None:
        pipeline.places.fail(statement.place, f"in process nothing is read from {origin.path}; Spark may", _ON_SPARK)
    return read_files(path, origin.format, origin.columns)


def dataset_stream(pipeline: Pipeline, statement: CreateStream) -> pa.Table:
    """Return a stream of a dataset of ours."""
    origin = origin_of(statement, pipeline.places)
    streams = loaded(origin.dataset or "", *origin.of_dataset.items()).streams
    if origin.stream not in streams:
        remedy = f"streams of {origin.dataset} are: {', '.join(streams)}; choose one: stream = '...'"
        pipeline.places.fail(statement.place, f"there is no stream {origin.stream!r} in it", remedy)
    return streams[origin.stream]


@lru_cache(maxsize=2)
def loaded(name: str, *how: tuple[str, Any]) -> Dataset:
    """Return a dataset; its streams are asked for one after the other."""
    return load(name, **dict(how))


def _summary(pipeline: Pipeline, number: int, output: SqlOutput, show: Notice) -> Summary:
    """Write the outputs of a query, and say what came of it."""
    query, plan = output.query, getattr(output.plan, "first", output.plan)
    side = query.first.late.sink if query.first.late is not None else None
    outputs = {"results": query.into, "late": side, "decisions": query.decisions}
    written = []
    for what, sink in outputs.items():
        if what == "results" or sink in pipeline.sinks:
            where = _written(pipeline, getattr(output, what), sink, partial(titled, show, number, what))
            written.append(f"{what:<8}  {where}")
    arrived = sum(table.num_rows for table in getattr(plan, "tables", None) or (plan.table,))
    late = _late(output)
    return Summary(
        title_of(number, output.plan),
        contract_in_words(plan.node.contract),
        arrived,
        arrived - late,
        late,
        0,
        kept_of(output.decisions, plan.node.contract) + dropped(plan.node.contract, late, arrived),
        tuple(written),
    )


def _late(output: SqlOutput) -> int:
    """Return how many rows were late; where they are dropped, as the last decision counted them."""
    policy = output.query.first.late
    if policy is not None and policy.policy == "drop":
        counts = output.decisions["late"].drop_null()
        return int(counts[-1].as_py()) if len(counts) else 0
    return int(output.late.num_rows)


def _written(pipeline: Pipeline, table: pa.Table, sink: str | None, show: Notice) -> str:
    rows = f"{table.num_rows:,} rows"
    if sink is None:
        show("\n".join(shown(table, 20)))
        return rows
    target = target_of(pipeline.sinks[sink], pipeline.places)
    if target.format == "console":
        show("\n".join(shown(table, target.rows)))
        return rows
    place = pipeline.sinks[sink].place
    if target.format not in ENDINGS or target.path is None:
        pipeline.places.fail(place, f"in process there is no format {target.format}; Spark has it", _ON_SPARK)
    path = local_folder(target.path)
    if path is None:
        pipeline.places.fail(place, f"in process nothing is written to {target.path}; Spark may", _ON_SPARK)
    with pipeline.places.at(place):
        return f"{rows} -> {write_table(table, path, target.format)}"
