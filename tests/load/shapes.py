"""Streams that nobody wishes for: very many keys, one key that is half of everything, silence, clocks that step."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa

from tests.load.rows import BEGAN, rows_of

HOUR, DAY = 3_600_000_000, 86_400_000_000  # us
IN_PROCESS, ON_SPARK = "in process", "Spark"
_NEAR = 1_000  # rows within which a key of many has both of its rows


@dataclass(frozen=True)
class Shape:
    """Rows in arrival order: as those of `rows_of`, with the stream (0 or 1) and the time at which they came."""

    make: Callable[[int], pa.Table]
    queries: tuple[str, ...]
    options: Mapping[str, Any] = field(default_factory=dict)  # of streams
    full: int = 2_000_000  # rows in process
    small: int = 100_000  # rows on Spark
    join: tuple[int, int] | None = None  # the same for a join, where each row has very many partners

    def rows(self, query: str, engine: str) -> int:
        """Return how many rows a query is given."""
        full, small = self.join if query == "join" and self.join else (self.full, self.small)
        return full if engine == IN_PROCESS else small


def many_keys(count: int) -> pa.Table:
    """Give every key two rows, close to each other: no key is ever heard of again."""
    random = np.random.default_rng(1)
    blocks = -(-count // _NEAR)
    keys = np.repeat(np.arange(blocks * _NEAR // 2), 2).reshape(blocks, _NEAR)
    return _with(_base(count), key=random.permuted(keys, axis=1).ravel()[:count])


def hot_key(count: int) -> pa.Table:
    """Give one key half of the rows."""
    rows = _base(count)
    is_hot = np.random.default_rng(2).random(count) < 0.5
    return _with(rows, key=np.where(is_hot, 0, rows["key"].to_numpy()))


def silence_of_one(count: int) -> pa.Table:
    """Let the second stream be silent for an hour in the middle, in which the first goes on slowly; then it bursts."""
    rows = _base(count)
    third = count // 3
    at = rows["at"].to_numpy()
    spread = np.linspace(0, HOUR, third).astype(np.int64)
    shift = np.concatenate([np.zeros(third, np.int64), spread, np.full(count - 2 * third, HOUR)])
    stream = rows["stream"].to_numpy().copy()
    stream[third : 2 * third] = 0
    return _with(rows, at=at + shift, ts=rows["ts"].to_numpy() + shift, stream=stream)


def silence_of_all(count: int) -> pa.Table:
    """Let everything be silent for an hour, then burst: event time jumps."""
    rows = _base(count)
    shift = np.where(np.arange(count) < count // 2, 0, HOUR)
    return _with(rows, at=rows["at"].to_numpy() + shift, ts=rows["ts"].to_numpy() + shift)


def clock_forward(count: int) -> pa.Table:
    """Let the clock of one key in ten be three days ahead for a third of the time."""
    return _stepped(count, 3 * DAY)


def clock_backward(count: int) -> pa.Table:
    """Let the clock of one key in ten be three days behind for a third of the time."""
    return _stepped(count, -3 * DAY)


def _stepped(count: int, by: int) -> pa.Table:
    rows = _base(count)
    number = np.arange(count)
    steps = (rows["key"].to_numpy() % 10 == 0) & (number >= count // 3) & (number < 2 * count // 3)
    return _with(rows, ts=rows["ts"].to_numpy() + np.where(steps, by, 0))


def _base(count: int) -> pa.Table:
    rows = rows_of(0, count)
    number = rows["seq"].to_numpy()
    rows = rows.append_column("at", pa.array(BEGAN + number * 100))
    return rows.append_column("stream", pa.array(number % 2))


def _with(rows: pa.Table, **columns: np.ndarray) -> pa.Table:
    for name, values in columns.items():
        rows = rows.set_column(rows.column_names.index(name), name, pa.array(values.astype(np.int64)))
    return rows


SHAPES: Mapping[str, Shape] = {
    "10 M keys": Shape(many_keys, ("keyed", "join", "aggregate"), full=20_000_000, small=400_000),
    "one key with 50 %": Shape(hot_key, ("keyed", "join", "aggregate"), join=(100_000, 20_000)),
    "one stream silent for an hour": Shape(silence_of_one, ("join", "merge")),
    "silence of an hour, then a burst": Shape(silence_of_all, ("join", "merge", "aggregate")),
    "a clock three days ahead": Shape(clock_forward, ("reorder", "join", "aggregate")),
    "a clock three days behind": Shape(clock_backward, ("reorder", "join", "aggregate")),
}
