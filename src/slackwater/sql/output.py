"""What `sw.sql` gives back: the outputs of the operator, with the columns that were selected."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from slackwater.api import is_spark
from slackwater.sql.computed import LOCAL_DIALECT
from slackwater.sql.expressions import DIALECT
from slackwater.sql.printer import print_statement

if TYPE_CHECKING:
    from slackwater.sql.items import Chosen
    from slackwater.sql.tree import Query


@dataclass(frozen=True)
class SqlOutput:
    """The outputs of a query; `plan` is what `sw.join`, `sw.aggregate`, ... gave for it."""

    query: Query
    plan: Any
    columns: tuple[Chosen, ...] | None  # None: all that the plan gives

    def __repr__(self) -> str:
        return f"<SqlOutput of {self.plan!r}>"

    @cached_property
    def results(self) -> Any:
        """The selected columns, in event-time order."""
        return self.selected(self.plan.results)

    @property
    def late(self) -> Any:
        """Every row that could not be used in time, with the reason and by how much it was late."""
        return self.plan.late

    @property
    def decisions(self) -> Any:
        """One row per adaptation."""
        return self.plan.decisions

    def start(self, *, results: Any, **more: Any) -> Any:
        """Start one query on Spark that writes the three outputs: see `start` of `sw.join`."""
        if self.columns is None or not hasattr(self.plan, "frames"):
            return self.plan.start(results=results, **more)
        from slackwater.spark.selected import destination_of

        return self.plan.start(results=destination_of(results, self.selected), **more)

    def explain(self) -> str:
        """Return the query as it was understood, and what runs."""
        lines = print_statement(self.query).splitlines()
        return "\n".join(
            [f"sql         {lines[0]}", *(f"            {line}" for line in lines[1:]), self.plan.explain()]
        )

    def selected(self, rows: Any) -> Any:
        """Return the columns that were asked for."""
        return rows if self.columns is None else select(rows, self.columns)


def select(rows: Any, columns: tuple[Chosen, ...]) -> Any:
    """Return columns of a table or a DataFrame."""
    if is_spark(rows):
        from slackwater.spark import selected as on_spark

        return on_spark.select(rows, [(each.name, each.computed.sql(DIALECT)) for each in columns])
    from slackwater.local.selected import Selected
    from slackwater.local.selected import select as of_table

    asked = [Selected(each.name, each.computed.sql(LOCAL_DIALECT), each.computed.path) for each in columns]
    return of_table(rows, asked)
