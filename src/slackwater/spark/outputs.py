"""Where the three outputs of a query go: written once per batch, whatever happens in between.

A batch that is replayed after a crash overwrites its own folder, so that the union of all folders has every row
exactly once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, TypeAlias

from slackwater.spark.call import DECISIONS, LATE, RESULTS

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

# A folder for Parquet files, or a function of (rows, batch number) that must give the same when called again.
Destination: TypeAlias = "str | Callable[[DataFrame, int], object]"
Unpack: TypeAlias = "Callable[[DataFrame, int], DataFrame]"

KIND_OF: Mapping[str, int] = {"results": RESULTS, "late": LATE, "decisions": DECISIONS}


def batch_writer(unpack: Unpack, destinations: Mapping[str, Destination]) -> Callable[[DataFrame, int], None]:
    """Return the function for `foreachBatch`: it runs the operator once and writes every output."""

    def write(packets: DataFrame, batch: int) -> None:
        packets = packets.persist()
        try:
            present = set(packets.select("kind").toArrow()["kind"].to_pylist())  # a few numbers, however many rows
            for name, destination in destinations.items():
                if KIND_OF[name] in present:
                    write_rows = parquet_folder(destination) if isinstance(destination, str) else destination
                    write_rows(unpack(packets, KIND_OF[name]), batch)
        finally:
            packets.unpersist()

    return write


def parquet_folder(path: str) -> Callable[[DataFrame, int], object]:
    """Return a destination that writes one subfolder `batch=N` per batch, and replaces it in a replay."""

    def write(rows: DataFrame, batch: int) -> None:
        rows.write.mode("overwrite").parquet(f"{path.rstrip('/')}/batch={batch}")

    return write
