"""Control records: whatever stands in the folder, it is understood or ignored; nothing ends the query."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pyarrow as pa

import slackwater as sw
from slackwater.pipeline.prod import control_marks
from slackwater.pipeline.read_marks import KnownGroups
from slackwater.spark.control_stream import KINDS, ignored_words, read_records
from slackwater.spark.join_call import JoinSaved
from slackwater.time import MAX_TIME, MIN_TIME

KEYS = pa.table({"line": pa.array(["a", None]), "number": pa.array([1, 2], pa.int32())})


@cache
def node() -> Any:
    rows = pa.table({"ts": [1], "line": ["a"], "number": pa.array([1], pa.int32())})
    stream = sw.stream(rows, event_time="ts", unit="s")
    plan = sw.aggregate(
        stream,
        by=["line", "number"],
        size="2 seconds",
        values={"n": sw.count()},
        contract=sw.NoSlack(),
        early=sw.Early(),
    )
    return plan.node, rows.schema


def control(data: bytes) -> None:
    """Read the lines of a file and do what each asks for, as far as no rows are needed."""
    plan, schema = node()
    records = read_records(data.split(b"\n"))
    prods = [record.prod for record in records if record.prod is not None]
    marks = list(control_marks(plan, schema, prods, KnownGroups(np.zeros(0, np.int64), KEYS)))
    assert all(mark.until is None or MIN_TIME <= mark.until <= MAX_TIME for mark in marks)
    words = [*ignored_words(records, KINDS), *(mark.words for mark in marks)]
    assert words == pa.array(words, pa.string()).to_pylist()  # what of a record goes to decisions
    saved = JoinSaved().hearing([record.told for record in records if record.told is not None])
    if saved.told is not None:
        assert list(saved.told) == JoinSaved.load((saved.dump("plan"),), "plan").told
