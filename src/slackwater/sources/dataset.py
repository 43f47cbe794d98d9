"""Dataset: named streams as Arrow tables in arrival order, and their folder of Parquet files."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from slackwater.errors import DatasetError
from slackwater.parquet import read_parquet
from slackwater.sources.columns import Layout, to_streams
from slackwater.time import Times, delay_of, running_clock

ROW_GROUP_ROWS = 65_536  # small enough that a reader of a row range decodes little that it does not need
QUANTILES = (0.5, 0.9, 0.99, 0.999, 1.0)

_NAME, _DESCRIPTION, _POSITION = b"slackwater.dataset", b"slackwater.description", b"slackwater.position"


@dataclass(frozen=True)
class Dataset:
    """Streams by name, each a table whose rows are in arrival order.

    Every table has `event_time` (timestamp[us, UTC]) and `arrival` (int64, one sequence over all streams: unique, and
    increasing within each stream), mostly `arrival_time` (timestamp[us, UTC], never decreasing), then payload.
    """

    name: str
    streams: Mapping[str, pa.Table]
    description: str

    @property
    def rows(self) -> int:
        """Number of events of all streams together."""
        return sum(table.num_rows for table in self.streams.values())

    def merged(self) -> pa.Table:
        """Return the events of all streams in arrival order: event_time, arrival, stream (its position)."""
        parts = [
            table.select(["event_time", "arrival"]).append_column("stream", _repeat(position, table.num_rows))
            for position, table in enumerate(self.streams.values())
        ]
        return pa.concat_tables(parts).sort_by("arrival")

    def write(self, folder: str | os.PathLike[str]) -> Path:
        """Write one Parquet file per stream and a README.md; a file appears under its name only when complete."""
        target = Path(folder)
        self._check_target(target)
        target.mkdir(parents=True, exist_ok=True)
        for position, (stream, table) in enumerate(self.streams.items()):
            marked = table.replace_schema_metadata(self._metadata(position))
            _replace(target / f"{stream}.parquet", partial(_write_rows, marked))
        _replace(target / "README.md", lambda path: path.write_text(summarize(self), encoding="utf-8"))
        return target

    @classmethod
    def read(cls, folder: str | os.PathLike[str]) -> Dataset:
        """Read a folder that `write` made, or any with the same columns (`ts` in ms also serves as event time)."""
        source = Path(folder)
        if not source.is_dir():
            raise DatasetError(str(source), problem="is not a folder", remedy="write one with Dataset.write(folder)")
        tables = {path.stem: read_parquet(path) for path in sorted(source.glob("*.parquet"))}
        if not tables:
            raise DatasetError(
                str(source),
                problem="has no Parquet file",
                remedy="a dataset has one <stream>.parquet per stream",
            )
        return cls._from_tables(source, dict(sorted(tables.items(), key=_position)))

    @classmethod
    def _from_tables(cls, source: Path, tables: Mapping[str, pa.Table]) -> Dataset:
        metadata = next(iter(tables.values())).schema.metadata or {}
        readme = source / "README.md"
        fallback = readme.read_text(encoding="utf-8") if readme.exists() else ""
        return cls(
            name=metadata.get(_NAME, source.name.encode()).decode(),
            streams=to_streams(str(source), tables, Layout()),
            description=metadata.get(_DESCRIPTION, fallback.encode()).decode(),
        )

    def _metadata(self, position: int) -> dict[bytes, bytes]:
        return {
            _NAME: self.name.encode(),
            _DESCRIPTION: self.description.encode(),
            _POSITION: str(position).encode(),
        }

    def _check_target(self, target: Path) -> None:
        for stream in self.streams:
            if not re.fullmatch(r"[\w.+-]+", stream):
                raise DatasetError(
                    self.name,
                    problem=f"has a stream named {stream!r}",
                    remedy="use letters, digits and . _ + -",
                )
        others = {path.stem for path in target.glob("*.parquet")} - set(self.streams)
        if others:
            raise DatasetError(
                self.name,
                problem=f"cannot be written to {target}: it holds other streams ({', '.join(sorted(others))})",
                remedy="choose an empty folder",
            )


def delays_of(table: pa.Table) -> Times:
    """Return the delay (µs) of every event by its definition: largest event time seen at its arrival - its own.

    >>> table = pa.table({"event_time": pa.array([1, 4, 3], pa.timestamp("us", tz="UTC"))})
    >>> delays_of(table).tolist()
    [0, 0, 1]
    """
    times = event_times_of(table)
    return delay_of(times, running_clock(times, None)) if len(times) else times


def event_times_of(table: pa.Table) -> Times:
    """Return the event times as int64 µs."""
    return table["event_time"].cast(pa.int64()).to_numpy()


def summarize(dataset: Dataset) -> str:
    """Return the README of a dataset: what it is, and how out-of-order each stream and all of them together are."""
    lines = [
        f"# {dataset.name}",
        "",
        dataset.description,
        "",
        "Rows are in arrival order; delay = largest event time seen at the arrival - event time.",
        "",
        "| stream | rows | out-of-order % | delay p50 | p90 | p99 | p99.9 | max (ms) |",
        "|---|---|---|---|---|---|---|---|",
        *(_summary_row(stream, table) for stream, table in dataset.streams.items()),
    ]
    if len(dataset.streams) > 1:
        lines.append(_summary_row("all, as one stream", dataset.merged()))
    return "\n".join([*lines, ""])


def _summary_row(label: str, table: pa.Table) -> str:
    delays = delays_of(table)
    if not len(delays):
        return f"| {label} | 0 | - | - | - | - | - | - |"
    share = 100 * np.count_nonzero(delays) / len(delays)
    quantiles = " | ".join(f"{value / 1000:.10g}" for value in np.quantile(delays, QUANTILES, method="lower"))
    return f"| {label} | {len(delays):,} | {share:.1f} | {quantiles} |"


def _position(named: tuple[str, pa.Table]) -> tuple[int, str]:
    metadata = named[1].schema.metadata or {}
    return int(metadata.get(_POSITION, b"0")), named[0]


def _repeat(position: int, count: int) -> pa.Array[Any]:
    return pa.array(np.full(count, position), type=pa.int64())


def _write_rows(table: pa.Table, path: Path) -> None:
    pq.write_table(table, path, row_group_size=ROW_GROUP_ROWS, compression="zstd")


def _replace(path: Path, write: Callable[[Path], object]) -> None:
    unfinished = path.with_name(f".{path.name}.unfinished")
    try:
        write(unfinished)
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)
