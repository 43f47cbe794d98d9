"""The schemas of what leaves besides results: decisions, one row for each adaptation, and late rows.

A bucket writes its own row for each boundary that its clock crosses. Where the driver decides for all buckets (a join
with `scope="global"`), there is one more row for each of its decisions: `bucket` is null, `at` is the boundary, `slack`
is what was decided there (buckets follow the last one of a batch from the next batch on), with target, estimate and the
recall measured over all buckets; the counts are null, since buckets have them. The rows of such buckets have no target,
and an estimate only where the bucket decided by itself, because the driver had not spoken for a period.
"""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from slackwater.events import LATE_COLUMNS

_FIELDS: list[pa.Field[Any]] = [
    pa.field("operator", pa.string()),
    pa.field("stream", pa.string()),  # or "all"
    pa.field("bucket", pa.int32()),  # null for a decision of the driver for all buckets
    pa.field("at", pa.timestamp("us", tz="UTC")),  # event time: the clock when the decision was made
    pa.field("slack", pa.int64()),  # us, in force when the boundary was crossed; where bucket is null, decided there
    pa.field("target", pa.float64()),  # null for policies without one
    pa.field("estimated", pa.float64()),
    pa.field("measured", pa.float64()),  # null where unknowable
    pa.field("max_delay", pa.int64()),  # us, of the events since the decision before
    pa.field("arrived", pa.int64()),  # from the start, as the next four: arrived = released + late + buffered
    pa.field("buffered", pa.int64()),
    pa.field("released", pa.int64()),
    pa.field("late", pa.int64()),
    pa.field("results", pa.int64()),
    pa.field(
        "slack_ready", pa.int64()
    ),  # left before they were ready, since the decision before; null without a deadline
    pa.field("ruled", pa.string()),  # of two contracts, which one said how long was waited since the decision before
    pa.field("took_us", pa.int64()),  # how long its batch took: the only value that a replay may change
]

DECISIONS = pa.schema(_FIELDS)


def decisions_table(columns: dict[str, Any], rows: int) -> pa.Table:
    """Build a table of decisions; what is not given is null, a single value holds for all rows.

    >>> decisions_table({"operator": "reorder", "slack": [1, 2]}, 2).select(["operator", "slack"]).to_pylist()
    [{'operator': 'reorder', 'slack': 1}, {'operator': 'reorder', 'slack': 2}]
    """
    arrays = []
    for field in DECISIONS:
        value = columns.get(field.name)
        if value is None or isinstance(value, str | int | float):
            arrays.append(pa.repeat(pa.scalar(value, field.type), rows))
        else:
            arrays.append(pa.array(value).cast(field.type))
    return pa.Table.from_arrays(arrays, schema=DECISIONS)


# us behind what was already passed on, null where there was no usable time; the reason; the name of the stream
_LATE_TYPES = (pa.int64(), pa.string(), pa.string())


def late_schema(schema: pa.Schema) -> pa.Schema:
    """Return the schema of the `late` output: all input columns, then late_by, reason, stream."""
    added = [pa.field(name, kind) for name, kind in zip(LATE_COLUMNS, _LATE_TYPES, strict=True)]
    return pa.schema([*schema, *added])
