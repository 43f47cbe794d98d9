"""What buckets report to the driver, as packets: small tables, one row for each bin of slack."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pyarrow as pa

from slackwater.estimate.pool import Statistics
from slackwater.spark.packets import from_bytes

_FIELDS: list[pa.Field[Any]] = [
    pa.field("interval", pa.int64()),
    pa.field("part", pa.int64()),
    pa.field("slack", pa.int64()),
    pa.field("weight", pa.float64()),
    pa.field("made", pa.float64()),
    pa.field("clock", pa.int64()),  # of the bucket, the same in all rows
]
STATISTICS_SCHEMA = pa.schema(_FIELDS)


def report_table(statistics: Statistics, clock: int) -> pa.Table:
    """Return what a bucket saw up to its clock as a table."""
    clocks = pa.repeat(pa.scalar(clock, pa.int64()), len(statistics))
    return pa.Table.from_arrays([*map(pa.array, statistics.columns()), clocks], schema=STATISTICS_SCHEMA)


def read_reports(bodies: Iterable[bytes]) -> list[tuple[Statistics, int]]:
    """Return what buckets reported; every report has at least one row."""
    tables = [from_bytes(body).cast(STATISTICS_SCHEMA) for body in bodies]
    return [
        (Statistics(*(table[name].to_numpy() for name in STATISTICS_SCHEMA.names[:-1])), table["clock"][0].as_py())
        for table in tables
    ]
