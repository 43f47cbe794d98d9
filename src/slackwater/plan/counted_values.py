"""Which values of an aggregate a bound on the error is about."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa

from slackwater.contracts import RelativeError
from slackwater.errors import ParameterError

if TYPE_CHECKING:
    from slackwater.plan.nodes import AggregateNode
    from slackwater.plan.values import Value


def counted_values(node: AggregateNode, schema: pa.Schema) -> tuple[str, ...]:
    """Return the values that the contract names, or all that are numbers; a time is no share of a time.

    Raises ParameterError where there is none, or one that is named is no number.
    """
    if not isinstance(node.contract, RelativeError):
        return ()
    numbers = tuple(name for name, value in node.values if _is_number(value, schema))
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
    return node.contract.of or numbers


def _is_number(value: Value, schema: pa.Schema) -> bool:
    given = value.type_of(None if value.column is None else schema.field(value.column).type)
    return pa.types.is_integer(given) or pa.types.is_floating(given)
