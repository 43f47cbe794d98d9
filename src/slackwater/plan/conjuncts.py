"""The parts of a join's condition: plain frozen values, which can be compared, kept and sent to workers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class ColumnOf:
    """A column of a stream, the stream by its position among the join's streams."""

    stream: int
    column: str


@dataclass(frozen=True, slots=True)
class Equality:
    """Two columns of different streams must be equal."""

    left: ColumnOf
    right: ColumnOf


@dataclass(frozen=True, slots=True)
class KeyClass:
    """Columns that are all equal in every result: at least two, at most one of each stream, in order of the streams."""

    columns: tuple[ColumnOf, ...]

    @property
    def streams(self) -> tuple[int, ...]:
        """The streams that have such a column."""
        return tuple(column.stream for column in self.columns)

    def column_of(self, stream: int) -> str | None:
        """Return the stream's column of this class, if it has one."""
        return next((column.column for column in self.columns if column.stream == stream), None)


@dataclass(frozen=True, slots=True)
class Conjunct:
    """A part of the condition that must be true by itself."""

    streams: tuple[int, ...]  # in order
    columns: tuple[ColumnOf, ...]
    sql: str  # for people, with the names of streams and columns
    expression: str  # for machines, in DuckDB's SQL: c0, c1, ... stand for `columns`


@dataclass(frozen=True, slots=True)
class Band:
    """Two numbers are near each other in every result: `left - ratio * right` is within `half` of `center`."""

    columns: tuple[ColumnOf, ColumnOf]  # left and right, in order of the streams
    ratio: float
    center: float
    half: float
    nan_meets_nan: bool  # NaN in both columns may be a result; NaN in one never is
    parts: tuple[int, ...]  # the residuals that it follows from, by their position

    @property
    def streams(self) -> tuple[int, int]:
        """The streams of the two columns."""
        return self.columns[0].stream, self.columns[1].stream


@dataclass(frozen=True, slots=True)
class RowFunction:
    """A function that is called with one table of aligned rows for each of its streams."""

    streams: tuple[int, ...]  # in the order of its arguments
    call: Callable[..., Any]

    @property
    def name(self) -> str:
        """What people call it."""
        return getattr(self.call, "__name__", None) or type(self.call).__name__


@dataclass(frozen=True, slots=True)
class JoinCondition:
    """What makes a combination of rows, one of each stream, a result: all of these parts must hold."""

    key_classes: tuple[KeyClass, ...] = ()
    filters: tuple[Conjunct, ...] = ()  # each over one stream
    residuals: tuple[Conjunct, ...] = ()  # each over two streams or more
    function: RowFunction | None = None
    bands: tuple[Band, ...] = ()  # what follows from the residuals
    equalities: tuple[Equality, ...] = ()  # as written; the key classes say the same, and what follows from it

    @property
    def widest_class(self) -> KeyClass | None:
        """The key class that covers most streams, of equals the first; None where there is none."""
        return max(self.key_classes, key=lambda each: len(each.streams), default=None)
