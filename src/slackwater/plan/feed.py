"""Results of a join or a merge as rows of an aggregate: which of their columns it needs, and what it calls them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

if TYPE_CHECKING:
    from slackwater.plan.nodes import StreamsNode

EVENT_TIME = "event_time"  # the first column of such results


@dataclass(frozen=True, slots=True)
class Feed:
    """Columns of the results, each with the name that the aggregate knows it by.

    A column is named as in the results; one within a struct, as `stream.column`.

    >>> rows = pa.table({"event_time": [1, 2], "bus": [{"line": "a", "x": 5}, {"line": "b", "x": 6}]})
    >>> Feed((("event_time", "event_time"), ("line", "bus.line"))).rows(rows).to_pydict()
    {'event_time': [1, 2], 'line': ['a', 'b']}
    """

    columns: tuple[tuple[str, str], ...]  # (name, column of the results)

    def schema(self, results: pa.Schema) -> pa.Schema:
        """Return the columns of the rows; `results` has those of the results."""
        kinds = columns_within(results)
        return pa.schema([pa.field(name, kinds[column]) for name, column in self.columns])

    def rows(self, results: pa.Table) -> pa.Table:
        """Return results as rows."""
        columns = dict(_taken(results, {column for _, column in self.columns}))
        return pa.table({name: columns[column] for name, column in self.columns})

    def pruned(self, node: StreamsNode, tables: Sequence[pa.Table]) -> list[pa.Table]:
        """Leave out columns of streams that nobody needs, so that they are not gathered; event times stay."""
        wanted = {*(column for _, column in self.columns), *(stream.event_time for stream in node.streams)}
        return [
            table.select([name for name in table.column_names if _is_needed(stream.name, name, wanted)])
            for stream, table in zip(node.streams, tables, strict=True)
        ]

    def column_of(self, name: str) -> str:
        """Return the column of the results that the aggregate calls so."""
        return dict(self.columns)[name]


def columns_within(results: pa.Schema) -> dict[str, pa.DataType]:
    """Return the columns that results have, with their types: those of structs as `stream.column`."""
    kinds: dict[str, pa.DataType] = {}
    for field in results:
        if pa.types.is_struct(field.type):
            kinds |= {f"{field.name}.{inner.name}": inner.type for inner in field.type}
        else:
            kinds[field.name] = field.type
    return kinds


def _is_needed(stream: str, column: str, wanted: Iterable[str]) -> bool:
    return column in wanted or f"{stream}.{column}" in wanted


def _taken(results: pa.Table, wanted: set[str]) -> Iterator[tuple[str, Any]]:
    for field in results.schema:
        if not pa.types.is_struct(field.type):
            yield field.name, results[field.name]
            continue
        for position, inner in enumerate(field.type):
            name = f"{field.name}.{inner.name}"
            if name in wanted:
                yield name, pc.struct_field(results[field.name], [position])
