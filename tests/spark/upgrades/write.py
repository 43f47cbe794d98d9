"""Writes a checkpoint of each query with the present version of the state; see the docstring of the package."""

from __future__ import annotations

import tempfile
from pathlib import Path

from pyspark.sql import SparkSession

import slackwater as sw
from slackwater.pipeline.reorder import STATE_VERSION
from tests.chaos.driver import begin
from tests.chaos.inputs import rows_of, streams_of, write_input
from tests.chaos.queries import QUERIES
from tests.spark.upgrades.buckets import write_buckets
from tests.spark.upgrades.packed import HOME, pack

FILES, ROWS = 3, 300


def write(spark: SparkSession, home: Path = HOME) -> None:
    """Run every query over all but the last file of its input, and pack what is there; buckets need no Spark."""
    write_buckets(home / f"state-{STATE_VERSION}")
    for name, query in QUERIES.items():
        with tempfile.TemporaryDirectory(prefix="slackwater-") as where:
            folder = Path(where) / "query"
            write_input(folder, streams_of(rows_of(FILES * ROWS, seed=5), query.streams, seed=5), FILES)
            for last in folder.glob(f"in/*/{FILES - 1:04}.parquet"):
                last.rename(last.with_name(f"_{last.name}"))  # a name that Spark does not read
            begin(spark, folder, name)
            pack(folder, home / f"state-{STATE_VERSION}" / f"{name}.tar.xz")


if __name__ == "__main__":
    write(sw.session(master="local[2]", spark__sql__shuffle__partitions="2"))
