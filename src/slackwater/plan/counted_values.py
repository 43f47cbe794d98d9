"""Which values of an aggregate a bound on the error is about."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa

from slackwater.contracts import RelativeError
from slackwater.errors import ParameterError

if TYPE_CHECKING:
    from slackwater.plan.nodes import AggregateNode
    from slackwater.plan.values import Value


def counted_values(node: AggregateNode, schema: pa.Schema | None = None) -> tuple[bool, ...]:
    """Whether each value counts: those that the contract names, or all that are numbers.

    A time has no error as a share of itself. Without a schema, what takes times as well counts only if it is named.
    """
    named = node.contract.of if isinstance(node.contract, RelativeError) else ()
    if named:
        return tuple(name in named for name, _ in node.values)
    return tuple(_is_number(value, schema) for _, value in node.values)


def check_counted(node: AggregateNode, schema: pa.Schema) -> None:
    """Check that a bound on the error is about values that there are, and that are numbers."""
    if not isinstance(node.contract, RelativeError):
        return
    numbers = [name for name, value in node.values if _is_number(value, schema)]
    for name in node.contract.of:
        if name not in numbers:
            remedy = f"those that are: {', '.join(numbers) or 'none'}"
            raise ParameterError("of", name, must="be a value of the aggregate that is a number", remedy=remedy)
    if not numbers:
        raise ParameterError(
            "values",
            ", ".join(name for name, _ in node.values),
            must="have a number for RelativeError",
            remedy="times have no relative error; use sw.DropRatio, or count rows as well",
        )


def _is_number(value: Value, schema: pa.Schema | None) -> bool:
    kind: Any = None if value.column is None or schema is None else schema.field(value.column).type
    given = value.type_of(kind)
    return pa.types.is_integer(given) or pa.types.is_floating(given)
