"""`sw.rescale`: a stopped query goes on with more buckets."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from slackwater.errors import ParameterError

if TYPE_CHECKING:
    from slackwater.spark.rescale import Rescaled


def rescale(spark: Any, checkpoint: str | os.PathLike[str], *, to: str | os.PathLike[str], buckets: int) -> Rescaled:
    """Write the checkpoint of a stopped query anew with more buckets; the query goes on from it where it stopped.

    Every bucket is split by the hash that spreads rows: its children inherit its clocks, its slack and what it has
    learned, and share the rows, windows and keys that it holds. Nothing is lost, nothing comes twice, and the order of
    results stays. The old checkpoint is left as it is; only one of the two may be gone on from.

    Args:
        spark: a session that can read the checkpoint: its driver is in this process.
        checkpoint: that of the query, which is stopped, on a file system that is mounted here.
        to: the folder to write, which must not be there yet.
        buckets: a multiple of the number there was. Fewer cannot be: fewer executors run several buckets each.

    `sw.rescale(spark, "out/checkpoint", to="out/checkpoint-8", buckets=8)`
    """
    if not type(spark).__module__.startswith("pyspark.sql"):
        raise ParameterError("spark", type(spark).__name__, must="be a SparkSession", remedy="sw.session() makes one")
    from slackwater.spark.rescale import rescale as run

    return run(spark, checkpoint, to=to, buckets=buckets)
