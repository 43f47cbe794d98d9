"""The aggregate functions of a query: each call is a value, or a part of an expression over values."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sqlglot import exp

from slackwater.plan import values
from slackwater.sql.computed import Computed, column_at, column_name, prepared, with_paths, written
from slackwater.sql.expressions import DIALECT
from slackwater.sql.functions import AGGREGATES
from slackwater.sql.items import Chosen, Find
from slackwater.wording import did_you_mean

if TYPE_CHECKING:
    from slackwater.plan.values import Value
    from slackwater.sql.bound import Bound
    from slackwater.sql.tree import Item, Place

_OF_ONE: dict[type[exp.Expr], Callable[[str], Value]] = {
    exp.Sum: values.sum,
    exp.Avg: values.mean,
    exp.Min: values.min,
    exp.Max: values.max,
    exp.Variance: values.variance,
    exp.ApproxDistinct: values.distinct,
}
_NAMES: dict[type[exp.Expr], str] = {exp.Avg: "avg", exp.ApproxDistinct: "approx_count_distinct"}


@dataclass
class Calls:
    """The values of a query, by their names, and the columns that are computed for them first."""

    bound: Bound
    find: Find
    values: dict[str, Value] = field(default_factory=dict)
    computed: dict[str, Computed] = field(default_factory=dict)  # arguments that are more than a column
    written: dict[str, str] = field(default_factory=dict)  # how columns are written in names, where that differs

    def has_functions(self, item: Item) -> bool:
        """Whether an item has functions over many rows, known here or not."""
        return prepared(item.expression, self.bound.text).find(exp.AggFunc) is not None

    def read(self, item: Item, place_of: Find) -> Chosen:
        """Return an item over the results of the aggregate; its functions are noted."""
        place = item.expression.place
        tree = prepared(item.expression, self.bound.text)
        if isinstance(tree, exp.AggFunc):
            name = self._value(tree, place, item.alias)
            return Chosen(name, Computed(column_at([name])))
        root = exp.Paren(this=tree)
        names = []
        for node in list(root.find_all(exp.AggFunc)):
            names.append(self._value(node, place, None))
            node.replace(column_at([names[-1]]))
        found = self.bound.places.finding(place, place_of)
        with self.bound.places.at(place):
            computed = with_paths(root.this, lambda parts: parts if parts[0] in names else found(parts))
        own = computed.path[-1] if computed.path else item.expression.text
        return Chosen(item.alias or own, computed)

    def _value(self, node: exp.Expr, place: Place, alias: str | None) -> str:
        """Note a call; return the name of its value."""
        value, written = self._made(node, place)
        name = alias or written
        if name in self.values and self.values[name] != value:
            self.bound.places.fail(place, f"two columns are called {name!r}", "give one another name with AS")
        self.values[name] = value
        return name

    def _made(self, node: exp.Expr, place: Place) -> tuple[Value, str]:
        if isinstance(node, exp.Count):
            return self._count(node, place)
        if isinstance(node, exp.ApproxQuantile):
            return self._quantile(node, place)
        make = _OF_ONE.get(type(node))
        if make is None:
            word = node.sql(DIALECT).split("(")[0].lower()
            remedy = f"{did_you_mean(word, AGGREGATES)}there are: {', '.join(AGGREGATES)}"
            self.bound.places.fail(place, f"windows have no function {word}", remedy)
        column = self._column(node.this, place)
        return make(column), f"{_NAMES.get(type(node), node.key)}({self._written(column)})"

    def _count(self, node: exp.Count, place: Place) -> tuple[Value, str]:
        if isinstance(node.this, exp.Distinct):
            remedy = "approx_count_distinct(x) counts them in bounded memory"
            self.bound.places.fail(place, "count(DISTINCT) would have to keep every value", remedy)
        if node.this is None or isinstance(node.this, exp.Star | exp.Literal):
            return values.count(), "count(*)"
        column = self._column(node.this, place)
        return values.count(column), f"count({self._written(column)})"

    def _quantile(self, node: exp.ApproxQuantile, place: Place) -> tuple[Value, str]:
        share = node.args.get("quantile")
        if not isinstance(share, exp.Literal) or share.is_string:
            self.bound.places.fail(place, "the share of a percentile is a number", "such as approx_percentile(x, 0.95)")
        column = self._column(node.this, place)
        with self.bound.places.at(place):
            value = values.quantile(column, float(share.name))
        return value, f"approx_percentile({self._written(column)}, {share.name})"

    def _written(self, column: str) -> str:
        return self.written.get(column, column)

    def _column(self, argument: exp.Expr | None, place: Place) -> str:
        """Return the column that a function is about; an expression becomes one."""
        if argument is None or list(argument.find_all(exp.AggFunc)):
            self.bound.places.fail(place, "a function over a window has one argument, without functions like itself")
        with self.bound.places.at(place):
            found = with_paths(argument, self.bound.places.finding(place, self.find))
        if len(found.path) == 1:
            return found.path[0]
        with self.bound.places.at(place):
            return self.compute(written(argument, DIALECT, quoted=False), found)

    def compute(self, name: str, computed: Computed) -> str:
        """Note a column that has to be computed; return what it is called."""
        for column, noted in self.computed.items():
            if noted == computed:
                return column
        column = column_name(name, [*self.bound.schemas()[0][1].names, *self.computed])
        self.computed[column], self.written[column] = computed, name
        return column
