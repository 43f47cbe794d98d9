"""The columns of tables in the forms in which conditions need them, each made once."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from slackwater.pipeline.kernels import NotNumeric, Term, integer_term
from slackwater.plan import duck

if TYPE_CHECKING:
    import numpy.typing as npt

    from slackwater.plan.conjuncts import ColumnOf
    from slackwater.time import Mask


@dataclass(frozen=True, eq=False)
class RowColumns:
    """The columns of one table for each stream."""

    tables: tuple[pa.Table, ...]
    _readable: dict[ColumnOf, pa.ChunkedArray[Any]] = field(default_factory=dict)
    _tables: dict[int, pa.Table] = field(default_factory=dict)

    def stored(self, column: ColumnOf) -> pa.ChunkedArray[Any]:
        """Return a column as it is."""
        return self.tables[column.stream].column(column.column)

    def readable(self, column: ColumnOf) -> pa.ChunkedArray[Any]:
        """Return a column for expressions, in one piece: rows are gathered from it again and again."""
        if column not in self._readable:
            whole = duck.readable(self.stored(column)).combine_chunks()
            self._readable[column] = whole if isinstance(whole, pa.ChunkedArray) else pa.chunked_array([whole])
        return self._readable[column]

    def table(self, stream: int) -> pa.Table:
        """Return a stream's table, in one piece."""
        if stream not in self._tables:
            self._tables[stream] = self.tables[stream].combine_chunks()
        return self._tables[stream]

    def numbers(self, column: ColumnOf) -> tuple[npt.NDArray[Any], Mask | None]:
        """Return a column of int64 or float64 with 0 for null, and which rows are not null (None: all).

        Raises:
            NotNumeric: it is neither. Floats of 32 bits are not: DuckDB rounds to 32 bits in between.
        """
        values = self.readable(column)
        if pa.types.is_uint64(values.type) and (pc.max(values).as_py() or 0) < 2**63:
            values = values.cast(pa.int64())
        if not (pa.types.is_int64(values.type) or pa.types.is_float64(values.type)):
            raise NotNumeric
        present = pc.is_valid(values).to_numpy() if values.null_count else None
        zero: Any = 0
        numbers = (values.fill_null(zero) if values.null_count else values).to_numpy().view()
        numbers.setflags(write=False)  # kernels are compiled for each kind of array: let there be one
        return numbers, present


def number_term(code: str, values: npt.NDArray[Any]) -> Term:
    """Describe a column of int64 or float64 to the kernels; `code` is how they read a row of it."""
    if values.dtype == np.float64:
        return Term(code, "float")
    low, high = (int(values.min()), int(values.max())) if len(values) else (0, 0)
    return integer_term(code, low, high)
