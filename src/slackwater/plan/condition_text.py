"""From the text of a condition to its parts: parse, refuse what is not a matter of one combination, split at AND."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import duckdb
import pyarrow as pa
import sqlglot
from sqlglot import exp
from sqlglot.errors import ParseError, SqlglotError

from slackwater.errors import ParameterError
from slackwater.plan.conjuncts import ColumnOf, Conjunct
from slackwater.plan.duck import complaint, readable_type, type_of, varying_functions

if TYPE_CHECKING:
    from slackwater.plan.columns import StreamColumns

_DIALECT = "duckdb"
_REFUSED = (exp.Query, exp.Exists, exp.Placeholder, exp.Parameter, exp.Star)
_ONE_COMBINATION = "hold for one combination of rows: no subqueries, aggregates, window functions or parameters"


@dataclass(frozen=True, slots=True)
class ConditionText:
    """A condition as it was written, the parameter that it was given as, and the columns that it may use."""

    parameter: str
    text: str
    columns: StreamColumns

    def conjuncts(self) -> list[tuple[Conjunct, bool]]:
        """Return the parts that must each be true, and whether a part just equates columns of two streams."""
        tree = self._parse()
        self._refuse(tree)
        return [self._conjunct(part) for part in _split(tree)]

    def check_type(self, conjunct: Conjunct) -> None:
        """Check that DuckDB understands a part, and that it is true or false."""
        types = [readable_type(self.columns.type_of(column)) for column in conjunct.columns]
        schema = pa.schema([(f"c{index}", kind) for index, kind in enumerate(types)])
        try:
            kind = type_of(conjunct.expression, schema)
        except duckdb.Error as error:
            one_row = "cannot contain" in str(error) or "UNNEST" in str(error)
            must = _ONE_COMBINATION if one_row else "be a condition in SQL"
            raise self._wrong(must, f"in {conjunct.sql}: {complaint(error)}{self._cast(conjunct, error)}") from error
        if kind not in ("BOOLEAN", '"NULL"'):
            must = f"be true or false: {conjunct.sql} is {kind}"
            raise self._wrong(must, f"compare it with something, such as {conjunct.sql} > 0")

    def _cast(self, conjunct: Conjunct, error: duckdb.Error) -> str:
        """Say how to compute with nanoseconds that have a time zone: DuckDB only compares these."""
        if "TIMESTAMPTZ_NS" not in str(error):
            return ""
        kinds = ((column, self.columns.type_of(column)) for column in conjunct.columns)
        fine = [each for each, kind in kinds if pa.types.is_timestamp(kind) and kind.unit == "ns"]
        casts = ", ".join(f"CAST({self.columns.written(each)} AS TIMESTAMPTZ)" for each in fine)
        return f" Microseconds have arithmetic: write {casts}"

    def _parse(self) -> exp.Expr:
        try:
            return sqlglot.parse_one(self.text, dialect=_DIALECT, into=exp.Condition)
        except SqlglotError as error:
            raise self._wrong("be a condition in SQL", _place(error)) from error

    def _refuse(self, tree: exp.Expr) -> None:
        for node in tree.find_all(*_REFUSED):
            raise self._wrong(_ONE_COMBINATION, f"leave out {node.sql(_DIALECT)}")
        for function in tree.find_all(exp.Func):
            name = function.sql(_DIALECT).split("(")[0]
            if name.lower() in varying_functions():
                raise self._wrong("give the same answer every time", f"leave out {name}")

    def _conjunct(self, part: exp.Expr) -> tuple[Conjunct, bool]:
        columns: list[ColumnOf] = []
        shown, evaluated = exp.Paren(this=part.copy()), exp.Paren(this=part.copy())
        has_fields = False
        for name, node in zip(list(shown.find_all(exp.Column)), list(evaluated.find_all(exp.Column)), strict=True):
            column, fields = self.columns.find(self.parameter, self.text, [each.name for each in node.parts])
            columns += [] if column in columns else [column]
            has_fields |= bool(fields)
            written = (self.columns.names[column.stream], column.column, *fields)
            name.replace(exp.Dot.build([exp.to_identifier(each) for each in written]))
            node.replace(_placeholder(columns.index(column), fields))
        _rewrite_functions(self, evaluated)
        streams = tuple(sorted({column.stream for column in columns}))
        conjunct = Conjunct(streams, tuple(columns), _printed(shown), _printed(evaluated))
        return conjunct, _equates_columns(part) and len(streams) == 2 and not has_fields

    def _wrong(self, must: str, remedy: str) -> ParameterError:
        return ParameterError(self.parameter, self.text, must=must, remedy=remedy)


def _split(part: exp.Expr) -> list[exp.Expr]:
    """Split at AND, also inside parentheses."""
    inner = part.unnest()
    if not isinstance(inner, exp.And):
        return [inner]
    return [each for side in (inner.left, inner.right) for each in _split(side)]


def _place(error: SqlglotError) -> str:
    if isinstance(error, ParseError) and error.errors:
        first = error.errors[0]
        said = str(first.get("description", error)).rstrip(".")
        said = "something is missing" if said.startswith("Required keyword") else said
        return f"{said} at column {first.get('col')}"
    return str(error).split("\n")[0].rstrip(".")


def _placeholder(index: int, fields: list[str]) -> exp.Expr:
    tree: exp.Expr = exp.column(f"c{index}")
    for field in fields:
        tree = exp.Dot(this=tree, expression=exp.to_identifier(field, quoted=True))
    return tree


def _printed(wrapped: exp.Paren) -> str:
    return str(wrapped.this.sql(_DIALECT, comments=False))


def _equates_columns(part: exp.Expr) -> bool:
    return isinstance(part, exp.EQ) and all(isinstance(side.unnest(), exp.Column) for side in (part.left, part.right))


def _rewrite_functions(text: ConditionText, tree: exp.Expr) -> None:
    """Write `dist` and squares as products: exact to the last bit in every engine, which `power` is not."""
    for node in reversed(list(tree.find_all(exp.Anonymous, exp.Pow))):
        if isinstance(node, exp.Pow) and node.expression.unnest() == exp.Literal.number(2):
            node.replace(exp.Paren(this=_square(_double(node.this))))
        elif isinstance(node, exp.Anonymous) and node.name.lower() == "dist":
            node.replace(_distance(text, node.expressions))


def _distance(text: ConditionText, arguments: list[exp.Expr]) -> exp.Expr:
    if len(arguments) != 4:
        must = f"give dist four arguments, not {len(arguments)}"
        raise ParameterError(text.parameter, text.text, must=must, remedy="write dist(a.x, a.y, b.x, b.y)")
    x1, y1, x2, y2 = (_double(argument) for argument in arguments)
    along = (exp.Paren(this=exp.Sub(this=a, expression=b)) for a, b in ((x1, x2), (y1, y2)))
    across, up = (_square(difference) for difference in along)
    return exp.Sqrt(this=exp.Add(this=across, expression=up))


def _double(tree: exp.Expr) -> exp.Expr:
    return exp.cast(tree.copy(), exp.DataType.Type.DOUBLE)


def _square(tree: exp.Expr) -> exp.Expr:
    return exp.Mul(this=tree, expression=tree.copy())
