"""From a query and its streams to the operator that answers it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Literal

from slackwater.sql.bound import bound
from slackwater.sql.joined import bind_join
from slackwater.sql.output import SqlOutput

if TYPE_CHECKING:
    from slackwater.api import Stream
    from slackwater.contracts import Contract
    from slackwater.sql.bound import Bound
    from slackwater.sql.tree import Query

Operator = Literal["join"]
OPERATORS: Mapping[Operator, Callable[[Bound], SqlOutput]] = {"join": bind_join}


def bind(query: Query, text: str, streams: Mapping[str, Stream], contract: Contract | None = None) -> SqlOutput:
    """Build the plan of a query.

    Raises:
        SqlError: it cannot be built; the place is that of the clause which cannot.
    """
    found = bound(query, text, streams, contract)
    return OPERATORS[operator_of(query)](found)


def operator_of(query: Query) -> Operator:
    """Return which operator answers a query: the form of its FROM says so."""
    return "join"
