"""Prods of a DataFrame of their own, as marked rows of another; and what consumers of early results keep."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from pyspark.sql import functions as F  # noqa: N812  (the name that every Spark program uses)

from slackwater.events import PROD

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def union_of_marked(frame: DataFrame, prods: DataFrame, names: Mapping[str, str], marker: str) -> DataFrame:
    """Add prods to rows: `names` says which of their columns become which; `marker` tells them apart."""
    if marker not in frame.columns:
        frame = frame.withColumn(marker, F.lit(None).cast("string"))
    kinds = dict(frame.dtypes)
    columns = [F.col(name).cast(kinds[column]).alias(column) for name, column in names.items()]
    return frame.unionByName(prods.select(*columns, F.lit(PROD).alias(marker)), allowMissingColumns=True)


def last_rows(results: DataFrame, by: Sequence[str]) -> DataFrame:
    """Return of each window and group the row with the largest revision."""
    last = F.max_by(F.struct("*"), "revision").alias("last")
    return results.groupBy("window", *by).agg(last).select("last.*")
