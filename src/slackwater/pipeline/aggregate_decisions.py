"""What an aggregate decided, as rows: adaptations, answers to prods, and how good early results were."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from slackwater.decisions import decisions_table
from slackwater.pipeline.columns import decided_table
from slackwater.pipeline.read_marks import answers_table

if TYPE_CHECKING:
    from slackwater.pipeline.aggregate import AggregateOutcome
    from slackwater.pipeline.compared import Compared
    from slackwater.plan.nodes import AggregateNode
    from slackwater.time import Duration

EARLY = "early"


def aggregate_decisions(node: AggregateNode, outcome: AggregateOutcome, *, bucket: int, took: Duration) -> pa.Table:
    """Return one row per adaptation, then one per prod that came with the stream, then those about early results."""
    return pa.concat_tables(
        [
            decided_table(node, outcome.decisions, bucket=bucket, took=took),
            answers_table(outcome.answers, bucket=bucket),
            early_table(node, outcome.compared, bucket=bucket),
        ]
    )


def early_table(node: AggregateNode, compared: Sequence[Compared], *, bucket: int) -> pa.Table:
    """Return a row for each window that was shown early and each of its values, as it becomes final.

    `stream` is the value, `slack` how far the clock was past the window's end when it was last shown (negative: before
    it; -slack / slide is the aggressiveness), `target` the accuracy that was asked for, `measured` the running one.
    """
    values = len(node.estimated)
    columns = {
        "operator": EARLY,
        "stream": pa.array(list(node.estimated) * len(compared), pa.string()),
        "bucket": bucket,
        "at": np.repeat([each.clock for each in compared], values).astype(np.int64),
        "slack": np.repeat([each.past for each in compared], values).astype(np.int64),
        "target": None if node.early is None else node.early.accuracy,
        "measured": pa.array(np.concatenate([np.empty(0), *(each.accuracy for each in compared)]), from_pandas=True),
    }
    return decisions_table(columns, values * len(compared))
