"""From the columns of a batch to the numbers that a tally counts."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from slackwater.disorder.parts import PartNames
from slackwater.disorder.tally import Tally, usable_rows
from slackwater.disorder.text_times import TextTimes
from slackwater.errors import ColumnError, ParameterError
from slackwater.pipeline.columns import read_arrival, read_times
from slackwater.plan.nodes import StreamNode
from slackwater.time import Duration, DurationLike, Mask, Times
from slackwater.wording import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from slackwater.plan.nodes import Unit

STREAMS, KEYS = "streams", "keys"
_PLAUSIBLE = {"s": 1, "ms": 1_000, "us": 1_000_000, "ns": 1_000_000_000}
_FROM, _TO = 631_152_000, 4_102_444_800  # 1990 and 2100, in seconds: what an event time without a unit must lie in


@dataclass(frozen=True, kw_only=True)
class Question:
    """What is to be profiled: the meaning of the columns."""

    event_time: str
    unit: Unit | None = None
    arrival: str | None = None
    by: str | None = None
    stream: str | None = None
    max_ahead: Duration | None = None
    parse: bool = False  # read event times from text

    @classmethod
    def of(cls, *, unit: str | None, max_ahead: DurationLike | None, **columns: Any) -> Question:
        """Check what can be checked without the rows."""
        if unit not in (None, *_PLAUSIBLE):
            raise ParameterError("unit", unit, must='be "s", "ms", "us" or "ns"', remedy="leave it out for timestamps")
        ahead = None if max_ahead is None else Duration.of(max_ahead, parameter="max_ahead")
        return cls(unit=cast("Unit | None", unit), max_ahead=ahead, **columns)

    @property
    def columns(self) -> list[str]:
        """The columns that are read, each once."""
        named = (self.event_time, self.arrival, self.by, self.stream)
        return list(dict.fromkeys(column for column in named if column is not None))

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of parts that are followed."""
        return tuple(kind for kind, column in self.parts.items() if column is not None)

    @property
    def parts(self) -> dict[str, str | None]:
        """The column that tells the parts of a kind apart."""
        return {STREAMS: self.stream, KEYS: self.by}

    def check(self, name: str, columns: Sequence[str]) -> None:
        """Raise ColumnError for a column that is not there, or there twice; it says which one is near."""
        for column in self.columns:
            if columns.count(column) != 1:
                hint = did_you_mean(column, columns, cutoff=0.4)
                problem = f"exists {columns.count(column)} times" if column in columns else "does not exist"
                raise ColumnError(name, column, problem=problem, remedy=f"{hint}columns are: {', '.join(columns)}")


class Reader:
    """Reads batches, one after the other, into a tally. What it guessed or learned on the way is kept.

    `present` is the processing time that times must not be past, where the arrival column has none, in us.
    """

    def __init__(
        self,
        question: Question,
        *,
        present: int,
        names: Mapping[str, PartNames] | None = None,
        tally: Tally | None = None,
    ) -> None:
        self.question = question
        self.unit: Unit | None = None  # of integers; guessed where the question has none
        self.names = names or {kind: PartNames() for kind in question.kinds}
        self.tally = tally or Tally(question.kinds)
        self.last_arrival: int | None = None
        self._texts = TextTimes()
        self._present = present

    def on_batch(self, name: str, batch: pa.RecordBatch | pa.Table) -> bool:
        """Count the rows of a batch; return False, and count nothing, if it is not in arrival order."""
        node, values = self._node(name), _column(batch, self.question.event_time)
        arrivals = None if node.arrival is None else read_arrival(node, node.arrival, _table(batch, node.arrival))
        if arrivals is not None and not self._in_order(arrivals):
            return False
        times, has_time = self._times(node, values)
        arrived_at = self._arrival_times(node, batch)
        usable = usable_rows(
            times,
            has_time,
            self.tally,
            present=self._present if arrived_at is None else arrived_at,
            max_ahead=None if node.max_ahead is None else node.max_ahead.microseconds,
        )
        if arrived_at is not None:
            self._compare(times, arrived_at, usable)
        codes = {kind: self._codes(name, kind, batch) for kind in self.question.kinds}
        self.tally.on_batch(times, usable=usable, arrivals=arrivals, codes=codes)
        return True

    def _node(self, name: str) -> StreamNode:
        asked = self.question
        ahead = asked.max_ahead
        return StreamNode(
            name=name, event_time=asked.event_time, unit=self.unit or asked.unit, arrival=asked.arrival, max_ahead=ahead
        )

    def _times(self, node: StreamNode, values: pa.ChunkedArray[Any]) -> tuple[Times, Mask | None]:
        if pa.types.is_null(values.type):
            return np.zeros(len(values), np.int64), np.zeros(len(values), np.bool_)
        if is_text(values.type):
            values = self._texts.read(node, values, parse=self.question.parse)
        if pa.types.is_integer(values.type) and node.unit is None:
            first = first_value(values)
            if first is None:
                return np.zeros(len(values), np.int64), np.zeros(len(values), np.bool_)
            self.unit = guessed_unit(node, first)
            node = replace(node, unit=self.unit)
        return read_times(node, node.event_time, values)

    def _arrival_times(self, node: StreamNode, batch: pa.RecordBatch | pa.Table) -> Times | None:
        """Return when rows arrived, if the arrival column has times and not just numbers."""
        if node.arrival is None:
            return None
        values = _column(batch, node.arrival)
        return read_times(node, node.arrival, values)[0] if pa.types.is_timestamp(values.type) else None

    def _compare(self, times: Times, arrived_at: Times, usable: Mask | None) -> None:
        transit = (arrived_at - times)[slice(None) if usable is None else usable]
        if len(transit):
            least, most = self.tally.transit
            self.tally.transit = (min(least, int(transit.min())), max(most, int(transit.max())))
            self.tally.counted["ahead"] += int(np.count_nonzero(transit < 0))

    def _in_order(self, arrivals: Times) -> bool:
        if not len(arrivals):
            return True
        follows = self.last_arrival is None or arrivals[0] >= self.last_arrival
        if not follows or not (arrivals[1:] >= arrivals[:-1]).all():
            return False
        self.last_arrival = int(arrivals[-1])
        return True

    def _codes(self, name: str, kind: str, batch: pa.RecordBatch | pa.Table) -> Times:
        column = self.question.parts[kind]
        values: Any = _column(batch, str(column)).combine_chunks()
        values = values.combine_chunks() if isinstance(values, pa.ChunkedArray) else values
        if pa.types.is_nested(values.type):
            raise ColumnError(name, str(column), problem=f"is {values.type}", remedy="name a column of single values")
        return self.names[kind].codes_of(values)


def guessed_unit(node: StreamNode, value: int) -> Unit:
    """Return the unit in which a number is a time from 1990 to 2100: at most one is.

    >>> node = StreamNode(name="bus", event_time="ts")
    >>> guessed_unit(node, 1_700_000_000), guessed_unit(node, 1_700_000_000_000)
    ('s', 'ms')
    """
    for unit, per_second in _PLAUSIBLE.items():
        if _FROM * per_second <= value <= _TO * per_second:
            return cast("Unit", unit)
    raise ColumnError(
        node.name,
        node.event_time,
        problem=f"has no unit, and its first value {value} is a time from 1990 to 2100 in none",
        remedy='say the unit: "s", "ms", "us" or "ns"',
    )


def first_value(values: pa.ChunkedArray[Any]) -> int | None:
    """Return the first value that is not null."""
    found = pc.drop_null(values)
    return int(found[0].as_py()) if len(found) else None


def is_text(kind: pa.DataType) -> bool:
    """Whether a column has text, encoded or not."""
    if isinstance(kind, pa.DictionaryType):
        return is_text(kind.value_type)
    return pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind)


def _column(batch: pa.RecordBatch | pa.Table, column: str) -> pa.ChunkedArray[Any]:
    values: Any = batch.column(column)
    return values if isinstance(values, pa.ChunkedArray) else pa.chunked_array([values])


def _table(batch: pa.RecordBatch | pa.Table, column: str) -> pa.Table:
    columns: Any = {column: _column(batch, column)}
    return pa.table(columns)
