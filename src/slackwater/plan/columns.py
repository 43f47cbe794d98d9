"""Which column of which stream a name in a condition means; what cannot be told is an error that lists the choice."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import pyarrow as pa

from slackwater.errors import ColumnError, ParameterError
from slackwater.plan.conjuncts import ColumnOf
from slackwater.wording import did_you_mean


class StreamColumns:
    """The columns of the streams of a join.

    Names match exactly, or else without regard to case where that leaves one.

    >>> import pyarrow as pa
    >>> bus, scats = pa.schema([("area", pa.int64()), ("Delay", pa.int64())]), pa.schema([("area", pa.int64())])
    >>> columns = StreamColumns([("bus", bus), ("scats", scats)])
    >>> columns.find("where", "delay > 5", ["delay"])
    (ColumnOf(stream=0, column='Delay'), [])
    """

    def __init__(self, streams: Sequence[tuple[str, pa.Schema]]) -> None:
        self.names = [name for name, _ in streams]
        self.schemas = [schema for _, schema in streams]

    def find(self, parameter: str, text: str, parts: Sequence[str]) -> tuple[ColumnOf, list[str]]:
        """Return the column that a name with dots means, and the fields inside it that the rest of the name selects."""
        stream = self._stream(parts[0]) if len(parts) > 1 else None
        if stream is not None:
            return self.of_stream(stream, parts[1]), list(parts[2:])
        found = self._of_any(parts[0])
        if len(found) == 1:
            return found[0], list(parts[1:])
        if found:
            raise self._ambiguous(parameter, text, parts[0], found)
        if len(parts) == 1 == len(self.names):
            return self.of_stream(0, parts[0]), []  # it is not there, and the error need not name the stream again
        raise self._unknown(parameter, text, parts)

    def of_stream(self, stream: int, name: str) -> ColumnOf:
        """Return a stream's column by its name."""
        found = _matches(name, self.schemas[stream].names)
        if len(found) == 1:
            return ColumnOf(stream, found[0])
        problem = "could be any of " + ", ".join(found) if found else "does not exist"
        choice = f"{did_you_mean(name, self.schemas[stream].names)}columns are: {', '.join(self.schemas[stream].names)}"
        raise ColumnError(self.names[stream], name, problem=problem, remedy=choice)

    def index(self, parameter: str, value: object, name: str) -> int:
        """Return the position of a stream by its name."""
        stream = self._stream(name)
        if stream is None:
            choice = f"{did_you_mean(name, self.names)}streams are: {', '.join(self.names)}"
            raise ParameterError(parameter, value, must=f"name streams of this join, not {name!r}", remedy=choice)
        return stream

    def type_of(self, column: ColumnOf) -> pa.DataType:
        """Return a column's type."""
        schema = self.schemas[column.stream]
        return schema.types[schema.names.index(column.column)]

    def has_cells(self, column: ColumnOf) -> bool:
        """Whether numbers of a column are computed with as the cells of bands expect: in 64 bits."""
        kind = self.type_of(column)
        return pa.types.is_integer(kind) or pa.types.is_float64(kind)

    def written(self, column: ColumnOf) -> str:
        """Return a column as people write it."""
        return f"{self.names[column.stream]}.{column.column}"

    def _stream(self, name: str) -> int | None:
        found = _matches(name, self.names)
        return self.names.index(found[0]) if len(found) == 1 else None

    def _of_any(self, name: str) -> list[ColumnOf]:
        exact = [ColumnOf(index, name) for index, schema in enumerate(self.schemas) if name in schema.names]
        return exact or [
            ColumnOf(index, column)
            for index, schema in enumerate(self.schemas)
            for column in _matches(name, schema.names)
        ]

    def _ambiguous(self, parameter: str, text: str, name: str, found: Iterable[ColumnOf]) -> ParameterError:
        choice = " or ".join(self.written(column) for column in found)
        return ParameterError(parameter, text, must=f"say which stream's {name!r} it means", remedy=f"write {choice}")

    def _unknown(self, parameter: str, text: str, parts: Sequence[str]) -> ParameterError:
        if len(parts) > 1:
            choice = f"{did_you_mean(parts[0], self.names)}streams are: {', '.join(self.names)}"
            return ParameterError(parameter, text, must=f"name streams of this join, not {parts[0]!r}", remedy=choice)
        written = [
            f"{name}.{column}" for name, schema in zip(self.names, self.schemas, strict=True) for column in schema.names
        ]
        bare = {each.split(".", 1)[1]: each for each in written}
        hint = did_you_mean(parts[0], bare, shown=bare)
        choice = f"{hint}columns are: {', '.join(written)}; a text is written in single quotes"
        return ParameterError(parameter, text, must=f"name columns of the streams, not {parts[0]!r}", remedy=choice)


def _matches(name: str, choice: Sequence[str]) -> list[str]:
    return [name] if name in choice else [each for each in choice if each.lower() == name.lower()]
