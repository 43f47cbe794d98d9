"""The aggregates that users ask for: `sw.count()`, `sw.max("delay")`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    import pyarrow as pa

    from slackwater.core.algebra import Algebra

Accepts = Literal["any", "number", "ordered"]
Gives = Literal["int64", "float64", "wide", "same"]  # wide: int64 for integers, float64 for others


@dataclass(frozen=True)
class Value:
    """An aggregate function over a column. `sw.count`, `sw.max` and others make them; this is for functions of yours.

    Args:
        function: lifts, combines and lowers: see `slackwater.core.algebra.Algebra`. A text names one of that module.
        column: what it is asked about; None: the event itself.
        name: how it is called in errors and explanations.
        accepts: the types that the column may have: "number", "ordered" (numbers and times) or "any".
        gives: the type of the result: "int64", "float64", "wide" (int64 for integers, else float64) or "same".

    >>> import numpy as np
    >>> class Product:
    ...     reductions = None
    ...     def lift(self, values, valid):
    ...         return (np.where(True if valid is None else valid, values, 1).astype(np.float64),)
    ...     def combine(self, left, right):
    ...         return (left[0] * right[0],)
    ...     def lower(self, state):
    ...         return state[0], None
    >>> Value(Product(), "factor", name="product")
    product(factor)
    """

    function: Algebra | str
    column: str | None
    name: str = "value"
    accepts: Accepts = "number"
    gives: Gives = "float64"

    def __repr__(self) -> str:
        return f"{self.name}({self.column or ''})"

    @property
    def algebra(self) -> Algebra:
        """The function itself; what is compiled is loaded when it is needed, not when a plan is written."""
        from slackwater.core import algebra

        if not isinstance(self.function, str):
            return self.function
        found: Algebra = getattr(algebra, self.function)()
        return found

    def takes(self, kind: pa.DataType) -> bool:
        """Whether it can be asked about a column of this type."""
        import pyarrow as pa

        number = pa.types.is_integer(kind) or pa.types.is_floating(kind)
        return self.accepts == "any" or number or (self.accepts == "ordered" and pa.types.is_temporal(kind))

    def type_of(self, kind: pa.DataType | None) -> pa.DataType:
        """Return the type of the result for a column of this type."""
        import pyarrow as pa

        if self.gives == "same" and kind is not None:
            return kind
        if self.gives == "wide" and kind is not None and pa.types.is_integer(kind):
            return pa.int64()
        return pa.int64() if self.gives == "int64" else pa.float64()


def count(column: str | None = None) -> Value:
    """How many events a window has; of a column, how many of them are not null.

    >>> count()
    count()
    """
    return Value("Count", column, name="count", accepts="any", gives="int64")


def sum(column: str) -> Value:
    """The sum of a column of numbers; null where all are. Integers wrap around beyond 64 bits."""
    return Value("Sum", column, name="sum", gives="wide")


def mean(column: str) -> Value:
    """The mean of a column of numbers."""
    return Value("Mean", column, name="mean")


def min(column: str) -> Value:
    """The least of a column of numbers or times; NaN is larger than any number."""
    return Value("Min", column, name="min", accepts="ordered", gives="same")


def max(column: str) -> Value:
    """The largest of a column of numbers or times; NaN is larger than any number."""
    return Value("Max", column, name="max", accepts="ordered", gives="same")


def variance(column: str) -> Value:
    """The sample variance of a column of numbers; null for fewer than two."""
    return Value("Variance", column, name="variance")


def described(values: Any) -> str:
    """Return named aggregates in words.

    >>> described([("worst", max("delay")), ("n", count())])
    'worst = max(delay), n = count()'
    """
    return ", ".join(f"{name} = {value!r}" for name, value in values)
