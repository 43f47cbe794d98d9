"""The process that Spark forks its Python workers from, with everything loaded that our operators need.

A worker of Spark's own daemon imports NumPy, Arrow, pandas, Numba and slackwater by itself, two seconds of processor
time for each. Spark ends workers that were idle for a minute, so that with longer triggers every micro-batch would pay
that again. Forked from here they share the modules, and their memory, and a compiler that has had its start: without it
the first kernel of each worker took a quarter of a second more, also where its machine code was found on the disk.

Libraries that have threads of their own when the fork comes (Arrow's allocator, OpenBLAS) see to it themselves.
"""

from __future__ import annotations

from contextlib import suppress

from pyspark.daemon import manager


def load() -> None:
    """Import what workers of our operators import. Where that fails they do it themselves, and say what is missing."""
    with suppress(ImportError):
        import numba
        import pandas  # noqa: F401
        import pyarrow.parquet  # noqa: F401
        import pyspark.sql.streaming.stateful_processor_api_client
        import pyspark.worker  # noqa: F401

        import slackwater.spark.added_up
        import slackwater.spark.chain_processor
        import slackwater.spark.packets
        import slackwater.spark.processor  # noqa: F401

        numba.njit("int64(int64)")(_itself)  # at once, since it is told for what; nobody calls it


def _itself(number: int) -> int:
    return number


if __name__ == "__main__":
    load()
    manager()
