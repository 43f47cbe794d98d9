"""A checkpoint is of one query at a time.

Spark would stop the one that runs, without a word, when another is started with its checkpoint in the same session. Of
queries of other processes nothing is known here: one of the two fails with its next batch (see `spark/ended.py`).
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from slackwater.errors import StateError
from slackwater.paths import local_folder
from slackwater.spark.checkpoint_files import ID_FILE, read_id

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def check_unused(spark: SparkSession, checkpoint: str | os.PathLike[str]) -> None:
    """Refuse to start with the checkpoint of a query that runs; one that is elsewhere is not looked into."""
    folder = local_folder(checkpoint)
    if folder is not None and (folder / ID_FILE).exists():
        check_stopped(spark, read_id(folder), remedy="stop it first, or give a checkpoint of its own")


def check_stopped(spark: SparkSession, known_by: str, *, remedy: str) -> None:
    """Refuse a query that runs in this session, by the id that its checkpoint has.

    Raises:
        StateError: it runs.
    """
    if any(str(query.id) == known_by and query.isActive for query in spark.streams.active):
        raise StateError("a query that runs", expected="one that is stopped", remedy=remedy)
