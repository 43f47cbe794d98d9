"""From events in the order they happened to tables in the order they arrived."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from slackwater.time import Times

Column: TypeAlias = "npt.NDArray[Any] | pa.Array[Any]"

START = 1_577_836_800_000_000  # 2020-01-01T00:00:00Z, where streams without a start of their own begin
TIMESTAMP = pa.timestamp("us", tz="UTC")


@dataclass(frozen=True)
class Emitted:
    """One stream in the order of its source: when each event happened, when it arrives, and its payload."""

    event_time: Times
    arrival_time: Times
    payload: Mapping[str, Column] = field(default_factory=dict)


def arrange(streams: Mapping[str, Emitted]) -> dict[str, pa.Table]:
    """Sort every stream by arrival and number the arrivals over all of them.

    Equal arrival times keep the order of the streams, then the order of the source.

    >>> late = Emitted(event_time=np.array([1, 2, 3]), arrival_time=np.array([1, 9, 3]))
    >>> tables = arrange({"a": late, "b": Emitted(np.array([2]), np.array([3]))})
    >>> tables["a"]["event_time"].cast(pa.int64()).to_pylist(), tables["a"]["arrival"].to_pylist()
    ([1, 3, 2], [0, 1, 3])
    """
    orders = [np.argsort(stream.arrival_time, kind="stable") for stream in streams.values()]
    sorted_times = [stream.arrival_time[order] for stream, order in zip(streams.values(), orders, strict=True)]
    return {
        name: _table(stream, order, arrival)
        for (name, stream), order, arrival in zip(streams.items(), orders, number_arrivals(sorted_times), strict=True)
    }


def number_arrivals(arrival_times: list[Times]) -> list[Times]:
    """Number the arrivals over all streams from 0; each stream's times must not decrease.

    >>> [numbers.tolist() for numbers in number_arrivals([np.array([1, 3]), np.array([1, 2])])]
    [[0, 3], [1, 2]]
    """
    order = np.argsort(np.concatenate(arrival_times), kind="stable")
    numbers = np.empty(len(order), dtype=np.int64)
    numbers[order] = np.arange(len(order))
    return np.split(numbers, np.cumsum([len(times) for times in arrival_times])[:-1])


def timestamps(microseconds: Times) -> pa.Array[Any]:
    """Return event times as Arrow timestamps."""
    return pa.array(microseconds, type=pa.int64()).cast(TIMESTAMP)


def _table(stream: Emitted, order: Times, arrival: Times) -> pa.Table:
    columns: dict[str, Any] = {
        "event_time": timestamps(stream.event_time[order]),
        "arrival": pa.array(arrival),
        "arrival_time": timestamps(stream.arrival_time[order]),
    }
    payload = {name: _take(column, order) for name, column in stream.payload.items()}
    return pa.table({**columns, **payload})


def _take(column: Column, order: Times) -> pa.Array[Any]:
    if isinstance(column, pa.Array):
        return column.take(order)
    return pa.array(column[order], type=pa.from_numpy_dtype(column.dtype))
