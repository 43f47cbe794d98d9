"""A case: a plan, its rows and what happens to them on the way. It is a value that prints as the code that makes it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

import slackwater as sw
from slackwater.time import Duration

NOW = 1_790_000_000_000_000  # us: when rows come, for whoever asks what is from the future
FUTURE = 10**13  # ms
SCHEMA = pa.schema(
    [
        ("ts", pa.int64()),
        ("seq", pa.int64()),
        ("id", pa.int64()),
        ("key", pa.string()),
        ("x", pa.int64()),
        ("f", pa.float64()),
        ("what", pa.string()),
        ("since", pa.int64()),
    ]
)


class Row(NamedTuple):
    """A row of a stream; times are in ms, rows with the same step came together."""

    stream: int
    step: int
    ts: int | None
    key: str | None = None
    x: int | None = None
    what: str | None = None  # "prod" or "punctuation": no event
    since: int | None = None

    def __repr__(self) -> str:
        last = max((i for i, value in enumerate(self) if value is not None), default=-1)
        return f"Row({', '.join(map(repr, self[: last + 1]))})"

    @property
    def usable(self) -> bool:
        """Whether it is an event with a time that can be used."""
        return self.what is None and self.ts is not None and self.ts < FUTURE


def near(*tables: pa.Table) -> Any:
    """Say whether x of the first two rows is near: a condition that is a Python function."""
    return pc.less(pc.abs(pc.subtract(tables[0]["x"], tables[1]["x"])), 3)


@dataclass(frozen=True)
class Case:
    """What is simulated. Options are the source of their values, so that a case can be read and replayed."""

    operator: str
    options: dict[str, str]
    rows: tuple[Row, ...]
    streams: int = 1
    cuts: tuple[int, ...] = ()  # a batch ends before these rows, unless it would part rows that came together
    replays: tuple[int, ...] = ()  # batches whose first call is lost: it is made again from the state before it
    shuffled: int = 0  # seed of the order in which the rows of a batch are delivered; 0: as they came
    arrival: bool = True  # whether a column says in which order rows came; else those of a batch came together
    changes: tuple[tuple[int, str], ...] = ()  # from a call on, another contract

    @property
    def names(self) -> list[str]:
        """Streams by name."""
        return [f"s{number}" for number in range(self.streams)]

    @property
    def marked(self) -> bool:
        """Whether there may be prods or punctuations."""
        return any(row.what is not None for row in self.rows)

    @property
    def chained(self) -> bool:
        """Whether the results of a join or a merge are aggregated."""
        return "then" in self.options and self.operator != "aggregate"

    @property
    def edges(self) -> list[int]:
        """Where batches begin and end."""
        rows = self.rows
        good = {cut for cut in self.cuts if 0 < cut < len(rows) and rows[cut].step != rows[cut - 1].step}
        return [0, *sorted(good), len(rows)]

    @property
    def steps(self) -> list[int]:
        """When each row came: its own step, or the number of its batch."""
        if self.arrival:
            return [row.step for row in self.rows]
        return [number for number, (start, stop) in enumerate(pairwise(self.edges)) for _ in range(start, stop)]

    def option(self, name: str) -> Any:
        """Return the value of an option, None if it is left out."""
        return evaluated(self.options[name]) if name in self.options else None

    def tables(self) -> list[pa.Table]:
        """Return the rows of each stream in arrival order."""
        return [self._table(range(len(self.rows)), stream) for stream in range(self.streams)]

    def batches(self) -> Iterator[list[pa.Table]]:
        """Cut the streams; rows that did not come together may be delivered in any order."""
        random = np.random.default_rng(self.shuffled)
        for start, stop in pairwise(self.edges):
            numbers = list(range(start, stop))
            if self.shuffled and self.arrival:
                turn = _turns({self.rows[i].step for i in numbers}, random)
                numbers.sort(key=lambda i: turn[self.rows[i].step])
            yield [self._table(numbers, stream) for stream in range(self.streams)]

    def plan(self, tables: list[pa.Table], *, arrival: str | None = "seq") -> Any:
        """Build the plan over tables."""
        marks = {"marker": "what", "since": "since"} if self.marked else {}
        streams = [
            sw.stream(table, name=name, event_time="ts", unit="ms", arrival=arrival, **marks)
            for name, table in zip(self.names, tables, strict=True)
        ]
        options = {name: evaluated(text) for name, text in self.options.items()}
        then = options.pop("then", None)
        plan = getattr(sw, self.operator)(*streams, **options)
        return plan if then is None else sw.aggregate(plan, **then)

    def _table(self, numbers: Any, stream: int) -> pa.Table:
        steps = self.steps
        mine = [(self.rows[i], i) for i in numbers if self.rows[i].stream == stream]
        columns = [
            [row.ts for row, _ in mine],
            [steps[i] for _, i in mine],
            [i for _, i in mine],
            [row.key for row, _ in mine],
            [row.x for row, _ in mine],
            [None if row.x is None else row.x / 7 for row, _ in mine],
            [row.what for row, _ in mine],
            [row.since for row, _ in mine],
        ]
        return pa.table(
            [pa.array(column, field.type) for column, field in zip(columns, SCHEMA, strict=True)], schema=SCHEMA
        )

    def __repr__(self) -> str:
        """Return the code that makes it."""
        rows = "".join(f"        {row!r},\n" for row in self.rows)
        extra = {"streams": 1, "cuts": (), "replays": (), "shuffled": 0, "arrival": True, "changes": ()}
        more = "".join(f"    {k}={getattr(self, k)!r},\n" for k, v in extra.items() if getattr(self, k) != v)
        options = "".join(f"        {name!r}: {text!r},\n" for name, text in self.options.items())
        return f"Case(\n    {self.operator!r},\n    {{\n{options}    }},\n    (\n{rows}    ),\n{more})"


def evaluated(text: str) -> Any:
    """Return the value of the source of an option: ours, never data."""
    return eval(text, {"sw": sw, "control": sw.control, "Duration": Duration, "near": near})


def _turns(steps: set[int], random: np.random.Generator) -> dict[int, int]:
    """Return a place for each step."""
    return dict(zip(sorted(steps), random.permutation(len(steps)).tolist(), strict=True))
