"""Prods on demand: what someone asks of a running aggregate, from outside the stream."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pyarrow as pa

from slackwater.errors import ParameterError
from slackwater.events import PROD
from slackwater.pipeline.marks import LAST_ARRIVAL, Mark
from slackwater.pipeline.read_marks import in_words
from slackwater.time import MAX_TIME, MIN_TIME

if TYPE_CHECKING:
    from collections.abc import Sequence

    from slackwater.pipeline.read_marks import KnownGroups
    from slackwater.plan.nodes import AggregateNode


@dataclass(frozen=True, slots=True)
class Prod:
    """Show the windows that end up to `until` (us; None: all that are open) of the groups with these values.

    Values may be given as text, whatever the type of their column; None is null.
    """

    until: int | None = None
    where: Mapping[str, Any] = field(default_factory=dict)

    def as_record(self) -> dict[str, Any]:
        """Return what `read` gives back, as values that JSON can hold."""
        return {"until": self.until, "where": dict(self.where)}

    @classmethod
    def read(cls, found: Mapping[str, Any]) -> Prod:
        """Read what `as_record` wrote; ValueError for anything else.

        >>> Prod.read({"until": 5, "where": {"line": "a"}})
        Prod(until=5, where={'line': 'a'})
        """
        until, where = found.get("until"), found.get("where") or {}
        if not (until is None or (type(until) is int and MIN_TIME <= until <= MAX_TIME)) or not isinstance(where, dict):
            raise ValueError
        return cls(until, where)


def check_prod(by: Sequence[str], prod: Prod) -> None:
    """Refuse a prod on columns that the aggregate is not grouped by."""
    for column in prod.where:
        if column not in by:
            remedy = f"groups have: {', '.join(by)}" if by else "this aggregate has no groups: leave it out"
            raise ParameterError("where", column, must="be a column that the aggregate is grouped by", remedy=remedy)


def check_punctuation(by: Sequence[str], promise: Prod) -> None:
    """Refuse a punctuation of some groups that are not named one by one: whom it speaks of would depend on who came."""
    check_prod(by, promise)
    missing = [column for column in by if column not in promise.where]
    if promise.where and missing:
        must = f"name all columns of a group in a punctuation, also {', '.join(missing)}"
        raise ParameterError("where", dict(promise.where), must=must, remedy="punctuate group by group, or for all")


def control_marks(
    node: AggregateNode,
    schema: pa.Schema,
    prods: Iterable[Prod],
    groups: KnownGroups,
    *,
    kind: Literal["prod", "punctuation"] = PROD,
    since: int | None = None,
) -> Iterator[Mark]:
    """Return prods, or punctuations, as marks that act after all that arrived with them.

    A column that is not there, or a value that its type cannot hold, is nobody's: it must not end a running query.
    """
    for prod in prods:
        values = {name: value_of(schema, name, value) for name, value in prod.where.items()}
        readable = {name: value for name, value in values.items() if value is not None}
        if len(readable) < len(values) or not set(values) <= set(node.by):
            nobody, words = np.empty(0, np.int64), ", ".join(f"{name}={value}" for name, value in prod.where.items())
            yield Mark(kind, LAST_ARRIVAL, prod.until, since, nobody, f"nobody: {words}")
        else:
            codes = groups.where(readable) if readable else None
            yield Mark(kind, LAST_ARRIVAL, prod.until, since, codes, in_words(prod.until, readable))


def value_of(schema: pa.Schema, column: str, value: Any) -> pa.Scalar[Any] | None:
    """Return a value in the type of its column; None where that cannot be."""
    try:
        found: pa.Scalar[Any] = pa.scalar(value).cast(schema.field(column).type)
    except (KeyError, TypeError, OverflowError, pa.ArrowException):
        return None
    return found
