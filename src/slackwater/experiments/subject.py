"""What is replayed: the streams of a data set or of files, and the join over them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import pyarrow as pa
import pyarrow.csv
import pyarrow.json

from slackwater.api import Stream, join, stream
from slackwater.contracts import Contract, NoSlack
from slackwater.disorder.json_lines import check_json_lines
from slackwater.errors import DatasetError
from slackwater.experiments.queries import JoinQuery, query_for
from slackwater.local.join import LocalJoin, run_join
from slackwater.parquet import read_parquet
from slackwater.sources.catalog import load
from slackwater.time import DurationLike

if TYPE_CHECKING:
    from collections.abc import Iterator

    from slackwater.pipeline.join_outcome import JoinOutcome
    from slackwater.plan.nodes import Unit


@dataclass(frozen=True)
class Subject:
    """Streams and the join over them; `config` is what makes them again."""

    name: str
    description: str
    query: JoinQuery
    streams: tuple[Stream, ...]
    config: Mapping[str, Any] = field(default_factory=dict)

    @property
    def rows(self) -> int:
        """Number of rows of all streams together."""
        return sum(each.frame.num_rows for each in self.streams)

    def run(self, contract: Contract) -> Iterator[JoinOutcome]:
        """Run the join under a contract; results are only counted."""
        plan = self.plan
        node = replace(plan.node, contract=contract)
        return run_join(node, plan.tables, processing_time=plan.processing_time, listing=False)

    @cached_property
    def plan(self) -> LocalJoin:
        """The join, with no contract of its own."""
        on = list(self.query.on) if isinstance(self.query.on, tuple) else self.query.on
        plan: Any = join(
            *self.streams,
            on=on,
            where=self.query.where,
            within=self.query.within,
            contract=NoSlack(),
            **self.query.options,
        )
        return cast(LocalJoin, plan)


def subject_of_dataset(
    name: str, *, seed: int = 1, duration: DurationLike | None = None, query: JoinQuery | None = None
) -> Subject:
    """Load a data set with its query, or another one; a real one must be in the shared data folder.

    >>> subject_of_dataset("syn3", duration="1 second").rows
    300
    """
    query = query or query_for(name)
    dataset = load(name, seed=seed, duration=duration)
    streams = tuple(
        stream(dataset.streams[each], name=each, event_time="event_time", arrival="arrival", max_ahead=None)
        for each in query.streams
    )
    config = {"set": name, "seed": seed, "duration": None if duration is None else str(duration)}
    return Subject(name, dataset.description, query, streams, config)


def subject_of_files(
    files: Sequence[str | Path],
    *,
    event_time: str,
    within: str,
    on: str | tuple[str, ...] | None = None,
    where: str | None = None,
    unit: Unit | None = None,
    arrival: str | None = None,
) -> Subject:
    """Read Parquet, CSV and JSON-lines files as one stream each, called as the file, rows in arrival order.

    Without an `arrival` column the streams progress together, each row coming at its stream's clock.
    """
    tables = [read_rows(Path(file)) for file in files]
    names = stream_names([Path(file) for file in files])
    query = JoinQuery(streams=names, on=on, where=where, within=within)
    streams = tuple(
        stream(table, name=name, event_time=event_time, unit=unit, arrival=arrival, max_ahead=None)
        for name, table in zip(names, tables, strict=True)
    )
    shown = ", ".join(Path(file).name for file in files)
    return Subject(shown, f"The rows of {shown}.", query, streams, {"files": [str(file) for file in files]})


def stream_name(file: Path) -> str:
    """Return the name of a file as a plain word, which streams of a join need to have.

    >>> stream_name(Path("logs/bus-2013.csv")), stream_name(Path("2013.csv"))
    ('bus_2013', '_2013')
    """
    word = re.sub(r"\W", "_", file.stem)
    return word if word.isidentifier() else f"_{word}"


def stream_names(files: Sequence[Path]) -> tuple[str, ...]:
    """Return a name for each file, with that of its folder where files are called alike.

    >>> stream_names([Path("bus/0.parquet"), Path("scats/0.csv"), Path("areas.csv")])
    ('bus_0', 'scats_0', 'areas')
    """
    names = [stream_name(file) for file in files]
    longer = [stream_name(file.with_stem(f"{file.absolute().parent.name}_{file.stem}")) for file in files]
    return tuple(long if names.count(name) > 1 else name for name, long in zip(names, longer, strict=True))


def read_rows(file: Path) -> pa.Table:
    """Read one file by its ending: .parquet, .csv, or .json, .jsonl and .ndjson for JSON lines."""
    if file.suffix.lower() not in _READERS:
        endings = ", ".join(_READERS)
        raise DatasetError(str(file), problem="is of no known kind", remedy=f"give a file that ends in {endings}")
    if not file.is_file():
        raise DatasetError(str(file), problem="is not there", remedy="check the path")
    try:
        return _READERS[file.suffix.lower()](file)
    except (OSError, pa.ArrowException) as error:
        raise DatasetError(str(file), problem=f"cannot be read ({error})", remedy="check the file") from error


def _read_json(file: Path) -> pa.Table:
    check_json_lines(file)
    return pyarrow.json.read_json(file)


_READERS: Mapping[str, Callable[[Path], pa.Table]] = {
    ".parquet": read_parquet,
    ".csv": pyarrow.csv.read_csv,
    **dict.fromkeys((".json", ".jsonl", ".ndjson"), _read_json),
}
