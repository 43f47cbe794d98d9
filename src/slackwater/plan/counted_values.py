"""Which values of an aggregate a bound on the error, and estimates before its windows are final, are about."""

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
    numbers = _numbers(node, schema)
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


def estimated_values(node: AggregateNode, schema: pa.Schema) -> tuple[str, ...]:
    """Return the values whose early results are compared with final ones: all that are numbers.

    Raises ParameterError where an accuracy is asked for and nothing has one.
    """
    if node.early is None:
        return ()
    if node.early.accuracy is not None and node.below is not None:
        raise ParameterError(
            "accuracy",
            node.early.accuracy,
            must="be left out where the results of an aggregate are aggregated",
            remedy="say aggressiveness=0.25; a plan of several aggregates shows what has come",
        )
    numbers = _numbers(node, schema) if node.compares_early else ()
    if node.early.accuracy is not None and not numbers:
        raise ParameterError(
            "accuracy",
            node.early.accuracy,
            must="be about a value that is a number",
            remedy="times have no accuracy; say aggressiveness=0.25, or count rows as well",
        )
    return numbers


def _numbers(node: AggregateNode, schema: pa.Schema) -> tuple[str, ...]:
    return tuple(name for name, value in node.values if _is_number(value, schema))


def _is_number(value: Value, schema: pa.Schema) -> bool:
    given = value.type_of(None if value.column is None else schema.field(value.column).type)
    return pa.types.is_integer(given) or pa.types.is_floating(given)
