"""The columns that a SELECT asks for: each with its name, found in what the operator gives."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from slackwater.sql.computed import Computed, column_at, prepared, with_paths
from slackwater.sql.expressions import is_star as is_star_of
from slackwater.sql.functions import check_local
from slackwater.sql.tokens import name_of, tokenize

if TYPE_CHECKING:
    from slackwater.sql.bound import Bound
    from slackwater.sql.tree import Expression, Item

Find = Callable[[list[str]], Sequence[str]]


@dataclass(frozen=True)
class Chosen:
    """A column of the results."""

    name: str
    computed: Computed


def plain(name: str, *path: str) -> Chosen:
    """Return a column that is there already."""
    return Chosen(name, Computed(column_at(path or [name])))


def is_star(item: Item) -> bool:
    """Whether an item is `*` or `bus.*`."""
    return is_star_of(tokenize(item.expression.text)[:-1])


def star_of(item: Item) -> str | None:
    """Return the stream of `bus.*`, or None for `*`."""
    tokens = tokenize(item.expression.text)
    return name_of(tokens[0]) if len(tokens) > 2 else None


def chosen(bound: Bound, item: Item, find: Find) -> Chosen:
    """Return what an item asks for, as far as names go."""
    tree = prepared(item.expression, bound.text)
    if not bound.on_spark:
        check_local(item.expression, bound.text, where="is not used in process")
    with bound.places.at(item.expression.place):
        computed = with_paths(tree, bound.places.finding(item.expression.place, find))
    return Chosen(item.alias or _name(item, computed), computed)


def _name(item: Item, computed: Computed) -> str:
    """Return the name of a column without an alias: its own, or the text of the expression."""
    return computed.path[-1] if computed.path else item.expression.text


def check_names(bound: Bound, found: Sequence[tuple[Item | None, Chosen]]) -> None:
    """Refuse two columns of one name."""
    names: set[str] = set()
    for item, each in found:
        place = bound.query.place if item is None else item.expression.place
        if each.name.lower() in names:
            bound.places.fail(place, f"two columns are called {each.name!r}", "give one another name with AS")
        names.add(each.name.lower())


def refuse_aggregates(bound: Bound, expression: Expression, remedy: str) -> None:
    """Refuse functions over many rows where there is one."""
    from sqlglot import exp

    if prepared(expression, bound.text).find(exp.AggFunc) is not None:
        bound.places.fail(expression.place, "a function over many rows needs a window", remedy)
