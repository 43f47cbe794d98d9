"""Expressions with their columns found: what each engine is asked to evaluate."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlglot import exp
from sqlglot.errors import ErrorLevel, SqlglotError

from slackwater.errors import ConditionError, SqlError
from slackwater.sql.expressions import DIALECT, tree_of

if TYPE_CHECKING:
    from slackwater.sql.tree import Expression

LOCAL_DIALECT = "duckdb"
_REFUSED = (exp.Query, exp.Exists, exp.Window, exp.Placeholder, exp.Parameter, exp.Star, exp.Lambda)
Find = Callable[[list[str]], Sequence[str]]  # from the parts of a name to where its column is


@dataclass(frozen=True)
class Computed:
    """An expression whose columns are paths into a frame."""

    tree: exp.Expr

    @property
    def path(self) -> tuple[str, ...]:
        """The column, where it is nothing but one."""
        inner = self.tree.unnest()
        return tuple(part.name for part in inner.parts) if isinstance(inner, exp.Column) else ()

    def sql(self, dialect: str) -> str:
        """Write it for an engine; names are in quotes, so that none is mistaken for a word of SQL."""
        return written(self.tree, dialect)


def written(tree: exp.Expr, dialect: str, *, quoted: bool = True) -> str:
    """Write a tree for an engine, or for people.

    Raises:
        ConditionError: sqlglot knows no words for it there, or stumbles over it.
    """
    try:
        return str(tree.sql(dialect, identify=quoted, comments=False, unsupported_level=ErrorLevel.RAISE))
    except (SqlglotError, RecursionError, ValueError, AttributeError, TypeError, IndexError, KeyError) as error:
        said = str(error).split("\n")[0] if isinstance(error, SqlglotError) else "it cannot be read"
        raise ConditionError(type(tree).__name__, problem=said, remedy="write it in another way") from error


def prepared(expression: Expression, text: str) -> exp.Expr:
    """Return an expression as a tree, in the words that both engines understand alike.

    Raises:
        SqlError: it is more than a matter of one row.
    """
    tree = exp.Paren(this=tree_of(expression, text).copy())
    for node in tree.find_all(*_REFUSED):
        if not (isinstance(node, exp.Star) and isinstance(node.parent, exp.Count)):
            start, stop = expression.place
            raise SqlError(
                text, start=start, stop=stop, problem=f"{node.sql(DIALECT)} is more than a matter of one row"
            )
    for node in list(tree.find_all(exp.Anonymous)):
        if node.name.lower() in ("mean", "average") and len(node.expressions) == 1:
            node.replace(exp.Avg(this=node.expressions[0]))
    for node in list(tree.find_all(exp.Max, exp.Min, exp.Div, exp.TryCast)):
        _plain(node, try_cast="try_cast" in expression.text.lower())
    found: exp.Expr = tree.this
    return found


def _plain(node: exp.Expr, *, try_cast: bool) -> None:
    """Write MAX of several columns as GREATEST; leave divisions and casts as they are written."""
    if isinstance(node, exp.Max | exp.Min) and node.expressions:
        kind = exp.Greatest if isinstance(node, exp.Max) else exp.Least
        node.replace(kind(this=node.this, expressions=node.expressions, ignore_nulls=True))
    elif isinstance(node, exp.Div):
        node.set("safe", False)
        node.set("typed", False)
    elif type(node) is exp.TryCast and not try_cast:
        node.replace(exp.Cast(this=node.this, to=node.args["to"]))


def with_paths(tree: exp.Expr, find: Find) -> Computed:
    """Return an expression whose columns are found; `dist` is written out."""
    root = exp.Paren(this=tree.copy())
    for column in list(root.find_all(exp.Column)):
        column.replace(column_at(find([part.name for part in column.parts])))
    for node in reversed(list(root.find_all(exp.Anonymous))):
        if node.name.lower() == "dist" and len(node.expressions) == 4:
            node.replace(_distance(*node.expressions))
    return Computed(root.this)


def column_name(text: str, taken: Collection[str]) -> str:
    """Return a name for a computed column that no other has; Spark takes dots and backticks in names for its own.

    >>> column_name("bus.`delay` * 2", ["ts"]), column_name("s.x", ["S_x"])
    ('bus_delay * 2', 's_x_')
    """
    name, lower = text.replace("`", "").replace(".", "_"), {each.lower() for each in taken}
    while name.lower() in lower:
        name += "_"
    return name


def column_at(path: Sequence[str]) -> exp.Expr:
    """Return a column, or a field of one.

    >>> column_at(["bus", "line"]).sql("duckdb")
    '"bus"."line"'
    """
    names = [exp.to_identifier(part, quoted=True) for part in path]
    places: dict[str, Any] = dict(zip(("this", "table", "db", "catalog"), reversed(names[:4]), strict=False))
    found: exp.Expr = exp.Column(**places)
    for field in names[4:]:
        found = exp.Dot(this=found, expression=field)
    return found


def _distance(x1: exp.Expr, y1: exp.Expr, x2: exp.Expr, y2: exp.Expr) -> exp.Expr:
    squares = [_square(exp.Sub(this=exp.Paren(this=a), expression=exp.Paren(this=b))) for a, b in ((x1, x2), (y1, y2))]
    return exp.Sqrt(this=exp.Add(this=squares[0], expression=squares[1]))


def _square(difference: exp.Expr) -> exp.Expr:
    once = exp.cast(exp.Paren(this=difference), exp.DataType.Type.DOUBLE)
    return exp.Mul(this=once, expression=once.copy())
