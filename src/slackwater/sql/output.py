"""What `sw.sql` gives back: the outputs of the operator, its results changed as the query asks."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

from slackwater.displayed import Displayed, text_block
from slackwater.sql.printer import print_statement

if TYPE_CHECKING:
    from slackwater.sql.items import Chosen, Find
    from slackwater.sql.tree import Query

Step: TypeAlias = Callable[[Any], Any]


@dataclass(frozen=True)
class SqlOutput(Displayed):
    """The outputs of a query; `plan` is what `sw.join`, `sw.aggregate`, ... gave for it."""

    query: Query
    plan: Any
    steps: tuple[Step, ...] = ()  # from the plan's results to those of the query
    selected: tuple[Chosen, ...] | None = None  # the columns of the query; None: those of the plan
    find: Find | None = None  # where the plan's results have a column

    def __repr__(self) -> str:
        return f"<SqlOutput of {self.plan!r}>"

    def _shown(self) -> Iterable[str]:
        yield text_block(self.explain())

    @cached_property
    def results(self) -> Any:
        """What was selected, in event-time order."""
        return self.changed(self.plan.results)

    @property
    def late(self) -> Any:
        """Every row that could not be used in time, with the reason and by how much it was late."""
        return self.plan.late

    @property
    def decisions(self) -> Any:
        """One row per adaptation."""
        return self.plan.decisions

    def start(self, *, results: Any, checkpoint: Any, **more: Any) -> Any:
        """Start one query on Spark that writes the three outputs: see `start` of `sw.join`."""
        if not self.steps or not hasattr(self.plan, "frames"):
            return self.plan.start(results=results, checkpoint=checkpoint, **more)
        from slackwater.spark.selected import start_changed

        return start_changed(self.plan, results, self.changed, checkpoint=checkpoint, **more)

    def explain(self) -> str:
        """Return the query as it was understood, and what runs."""
        lines = print_statement(self.query).splitlines()
        shown = [f"sql         {lines[0]}", *(f"            {line}" for line in lines[1:])]
        return "\n".join([*shown, self.plan.explain()])

    def changed(self, rows: Any) -> Any:
        """Return the results of the query for those of the plan."""
        for step in self.steps:
            rows = step(rows)
        return rows
