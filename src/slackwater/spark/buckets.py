"""Which bucket a row belongs to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import functions as F  # noqa: N812  (the name that every Spark program uses)

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from slackwater.plan.nodes import ReorderNode

BUCKET = "__slackwater_bucket"


def with_bucket(node: ReorderNode, frame: DataFrame) -> tuple[DataFrame, str | None]:
    """Add the number of its bucket to every row, by the hash of its keys; None where there is only one bucket."""
    if node.buckets == 1:
        return frame, None
    number = F.pmod(F.xxhash64(*node.by), F.lit(node.buckets)).cast("int")
    return frame.withColumn(BUCKET, number), BUCKET
