"""The aggregates that users ask for: `sw.count()`, `sw.max("delay")`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from slackwater.errors import ParameterError

if TYPE_CHECKING:
    import pyarrow as pa

    from slackwater.core.algebra import Algebra

Accepts = Literal["any", "number", "ordered", "hashed"]
Gives = Literal["int64", "float64", "wide", "same"]  # wide: int64 for integers, float64 for others


@dataclass(frozen=True)
class Value:
    """An aggregate function over a column. `sw.count`, `sw.max` and others make them; this is for functions of yours.

    Args:
        function: lifts, combines and lowers: see `slackwater.core.algebra.Algebra`. A text names one of that module.
        column: what it is asked about; None: the event itself.
        name: how it is called in errors and explanations.
        accepts: the types that the column may have: "number", "ordered" (numbers and times), "any" (only which rows are
            not null is told) or "hashed" (numbers, times, texts, bytes, booleans: a 64-bit hash is told).
        gives: the type of the result: "int64", "float64", "wide" (int64 for integers, else float64) or "same".
        parameters: what a function that is named by a text is made with.

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
    parameters: tuple[float, ...] = ()

    def __repr__(self) -> str:
        more = "".join(f", {each:g}" for each in self.parameters)
        return f"{self.name}({self.column or ''}{more})"

    @property
    def algebra(self) -> Algebra:
        """The function itself; what is compiled is loaded when it is needed, not when a plan is written."""
        from slackwater.core import algebra, sketches

        if not isinstance(self.function, str):
            return self.function
        kind = getattr(algebra, self.function, None) or getattr(sketches, self.function)
        found: Algebra = kind(*self.parameters)
        return found

    def takes(self, kind: pa.DataType) -> bool:
        """Whether it can be asked about a column of this type."""
        import pyarrow as pa

        from slackwater.plan.keys import family

        number = pa.types.is_integer(kind) or pa.types.is_floating(kind)
        moment = pa.types.is_temporal(kind) and not pa.types.is_interval(kind)
        if self.accepts == "hashed":
            return family(kind) is not None
        return self.accepts == "any" or number or (self.accepts == "ordered" and moment)

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


def quantile(column: str, q: float | None = None, *, accuracy: float = 0.01) -> Value:
    """The number of rank ceil(q * count) of a column, as `percentile_disc`, within a relative error.

    The error is guaranteed, whatever the numbers are and however many; null where all are. NaN is larger than any.
    A group holds, for each open pane, a count for every bucket in use: at 1 % about 115 for each power of ten that its
    numbers spread over, and never more than it has rows.

    Args:
        column: numbers.
        q: from 0 (the least) to 1 (the largest); there is no default.
        accuracy: the largest relative error: at 0.01, a quantile of 200 is reported as 198 to 202.

    >>> quantile("delay", 0.95)
    quantile(delay, 0.95, 0.01)
    """
    share = _between("q", q, 0, 1, remedy=f'sw.quantile("{column}", 0.5) is the median')
    accuracy = _between("accuracy", accuracy, 0.0001, 0.5, remedy="such as 0.01")
    return Value("Quantile", column, name="quantile", parameters=(share, accuracy))


def distinct(column: str, *, error: float = 0.02) -> Value:
    """How many different values a column has, nulls aside: of numbers, times, texts, bytes or booleans.

    An estimate (HyperLogLog) with a relative standard error of at most `error`: 95 of 100 are within two of these. A
    handful is counted exactly, but for a chance of 1 in 400 for five values at 2 %. A group holds at most
    (1.04 / error)^2 registers for each open pane, rounded up to a power of two (4,096 at 2 %), and never more than it
    has values.

    Args:
        column: what to count.
        error: the standard error, from 0.005 to 0.25.

    >>> distinct("user")
    distinct(user, 0.02)
    """
    error = _between("error", error, 0.005, 0.25, remedy="such as 0.02")
    return Value("Distinct", column, name="distinct", accepts="hashed", gives="int64", parameters=(error,))


def _between(parameter: str, value: Any, least: float, most: float, *, remedy: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not least <= value <= most:
        raise ParameterError(parameter, value, must=f"be between {least} and {most}", remedy=remedy)
    return float(value)


def described(values: Any) -> str:
    """Return named aggregates in words.

    >>> described([("worst", max("delay")), ("n", count())])
    'worst = max(delay), n = count()'
    """
    return ", ".join(f"{name} = {value!r}" for name, value in values)
