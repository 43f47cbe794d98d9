"""An operator over several streams and an aggregate of what it gives: results become rows, and its time a punctuation.

Results come in event-time order, and none will be before the operator's time. So the aggregate needs no slack: it
closes windows up to that time. Early results do not depend on how often it hears of it: they are due when a result
comes, and no earlier window is open then anyway.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import pyarrow as pa

from slackwater.errors import AccountingError
from slackwater.pipeline.marks import LAST_ARRIVAL, Mark
from slackwater.pipeline.merged_rows import merged_rows, merged_schema
from slackwater.pipeline.rows import result_rows, result_schema
from slackwater.plan.nodes import MergeNode

if TYPE_CHECKING:
    from slackwater.pipeline.join_outcome import JoinOutcome
    from slackwater.plan.feed import Feed
    from slackwater.plan.nodes import StreamsNode


def results_schema(node: StreamsNode, schemas: Sequence[pa.Schema]) -> pa.Schema:
    """Return the columns of the results of a join or a merge."""
    return merged_schema(node, schemas) if isinstance(node, MergeNode) else result_schema(node, schemas)


def fed_rows(node: StreamsNode, feed: Feed, tables: Sequence[pa.Table], outcomes: Sequence[JoinOutcome]) -> pa.Table:
    """Return results as rows for an aggregate; only the columns that it needs are gathered."""
    needed = feed.pruned(node, tables)
    if isinstance(node, MergeNode):
        parts = [merged_rows(node, needed, outcome) for outcome in outcomes]
    else:
        parts = [result_rows(node, needed, outcome.results) for outcome in outcomes]
    nothing = results_schema(node, [table.schema for table in needed]).empty_table()
    return feed.rows(pa.concat_tables([nothing, *parts]))


def complete_until(time: int | None) -> list[Mark]:
    """Return what an aggregate hears of the operator's time, after all results that it got."""
    return [] if time is None else [Mark("punctuation", LAST_ARRIVAL, time)]


def check_all_used(results: int, late: int) -> None:
    """Check that no result was late for the aggregate: there is no output that would say so."""
    if late:
        raise AccountingError(arrived=results, released=results - late, late=0, buffered=0)
