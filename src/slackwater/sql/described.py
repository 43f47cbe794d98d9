"""What a statement says about a stream or a sink, read from its options."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from slackwater.api import Stream, is_spark, schema_of, stream
from slackwater.local.files import ENDINGS
from slackwater.sql.kafka_stream import asked_of_kafka, meaning_of_kafka
from slackwater.sql.options import MEANING, of_spark
from slackwater.wording import did_you_mean

if TYPE_CHECKING:
    from slackwater.sql.places import Places
    from slackwater.sql.tree import CreateSink, CreateStream, Options

_OF_DATASETS = {"event_time": "event_time", "arrival": "arrival", "arrival_time": "arrival_time"}


@dataclass(frozen=True)
class Origin:
    """Where a stream comes from: a dataset, or a format of Spark's with a path or options."""

    name: str
    dataset: str | None
    path: str | None
    format: str
    columns: tuple[tuple[str, str], ...]
    options: dict[str, str]  # of Spark's connector
    rows_per_second: float | None
    of_dataset: dict[str, Any]  # seed, duration, part
    stream: str  # of a dataset
    of_kafka: dict[str, str]  # time, arrival


def origin_of(statement: CreateStream, places: Places) -> Origin:
    """Return where a stream comes from.

    Raises:
        SqlError: it says both, or a format that cannot be told.
    """
    options = dict(statement.options.pairs)
    dataset = _text(options.get("dataset"))
    if dataset is not None and ("path" in options or "format" in options):
        places.fail(statement.place, "a stream is a dataset or has a path, not both", "leave one out")
    rate, seed = options.get("rows_per_second"), options.get("seed")
    kind = "dataset" if dataset is not None else _format(statement, places)
    if kind == "kafka" and not _text(options.get("subscribe")):
        places.fail(statement.place, "nothing says which topics are read", f"such as subscribe = '{statement.name}'")
    return Origin(
        statement.name,
        dataset,
        _text(options.get("path")),
        kind,
        statement.columns,
        of_spark(statement.options),
        float(rate) if isinstance(rate, Decimal) else None,
        {
            "seed": int(seed) if isinstance(seed, Decimal) else 1,
            "duration": _text(options.get("duration")),
            "part": _text(options.get("part")),
        },
        _text(options.get("stream")) or statement.name,
        asked_of_kafka(statement) if kind == "kafka" else {},
    )


def meant(statement: CreateStream, frame: Any, places: Places) -> Stream:
    """Return a stream whose columns mean what the statement says; datasets have names that need not be said.

    Raises:
        SqlError: nothing says which column has the event time.
    """
    columns = list(frame.columns) if is_spark(frame) else list(frame.column_names)
    meaning: dict[str, Any] = {name: str(value) for name, value in statement.options.pairs if name in MEANING}
    if statement.options.get("dataset") is not None:
        meaning = {**{name: column for name, column in _OF_DATASETS.items() if column in columns}, **meaning}
    if _format(statement, places) == "kafka":
        meaning.update(meaning_of_kafka(statement))
    if "event_time" not in meaning:
        remedy = f"such as event_time = '{columns[0]}'; columns are: {', '.join(columns)}"
        places.fail(statement.place, "nothing says which column has the event time", remedy)
    kind = dict(zip(columns, schema_of(frame).types, strict=True)).get(meaning["event_time"])
    if kind is not None and pa.types.is_string(kind):
        remedy = f"state what it is: CREATE STREAM {statement.name} ({meaning['event_time']} TIMESTAMP, ...)"
        places.fail(statement.place, f"{meaning['event_time']} was read as texts, not as times", remedy)
    if str(meaning.get("max_ahead")).lower() == "none":
        meaning["max_ahead"] = None
    return stream(frame, name=statement.name, **meaning)


@dataclass(frozen=True)
class Target:
    """Where rows go to."""

    name: str
    format: str
    path: str | None
    rows: int  # shown at most, on the console
    options: dict[str, str]


def target_of(statement: CreateSink, places: Places) -> Target:
    """Return where rows go to.

    Raises:
        SqlError: a file format without a path.
    """
    options = dict(statement.options.pairs)
    kind, path, rows = _format(statement, places), _text(options.get("path")), options.get("rows")
    if kind in ENDINGS and path is None:
        places.fail(statement.place, f"a sink of format {kind} needs a path", f"such as path = 'out/{statement.name}'")
    if kind == "kafka" and not _text(options.get("topic")):
        places.fail(statement.place, "a sink of format kafka needs a topic", f"such as topic = '{statement.name}'")
    shown = int(rows) if isinstance(rows, Decimal) else 20
    return Target(statement.name, kind, path, shown, of_spark(statement.options))


def _format(statement: CreateStream | CreateSink, places: Places) -> str:
    """Return the format as it is said, or as the path ends; a folder is of Parquet files unless it is said."""
    known = (*ENDINGS, "kafka", "console")
    stated = _text(statement.options.get("format"))
    if stated is not None:
        kind = stated.lower()
        near = did_you_mean(kind, known, cutoff=0.75)
        if kind not in known and near:
            places.fail(_place(statement.options, "format") or statement.place, f"there is no format {stated!r}", near)
        return kind
    suffix = Path(_text(statement.options.get("path")) or "").suffix.lower()
    return next((kind for kind, endings in ENDINGS.items() if suffix in endings), "parquet")


def _place(options: Options, name: str) -> Any:
    names = [each for each, _ in options.pairs]
    return options.places[names.index(name)] if options.places and name in names else None


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None
