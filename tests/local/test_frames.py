"""Any bounded frame as an Arrow table."""

from __future__ import annotations

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import slackwater as sw
from slackwater.errors import ParameterError
from slackwater.local.frames import to_arrow

COLUMNS = {"ts": [1, 2], "line": ["a", "b"]}
FRAMES = [
    pa.table(COLUMNS),
    pa.record_batch(COLUMNS),
    COLUMNS,
    pd.DataFrame(COLUMNS),
    pd.DataFrame(COLUMNS, index=[7, 8]),
    pl.DataFrame(COLUMNS),
]


@pytest.mark.parametrize("frame", FRAMES, ids=lambda frame: f"{type(frame).__module__}.{type(frame).__name__}")
def test_every_frame_has_the_same_rows(frame):
    assert COLUMNS == to_arrow(frame).to_pydict()


def test_a_table_is_not_copied():
    table = pa.table(COLUMNS)
    assert table is to_arrow(table)


@pytest.mark.parametrize("frame", [[1, 2], "ts", None, 7], ids=repr)
def test_what_is_no_frame_is_refused(frame):
    with pytest.raises(ParameterError, match="frame must be a Spark DataFrame, a pyarrow Table"):
        to_arrow(frame)


def test_a_polars_frame_with_text_is_put_in_order():
    frame = pl.DataFrame({"ts": [1, 3, 2], "s": ["a", "b", "c"], "tags": [["x"], [], ["y", "z"]]})
    ordered = sw.reorder(sw.stream(frame, event_time="ts", unit="s"), contract=sw.FixedSlack("2 seconds"))
    assert ["a", "c", "b"] == ordered.results["s"].to_pylist()


@pytest.mark.parametrize("name", ["at", None])
@pytest.mark.parametrize(
    "ask", [sw.stream, sw.profile, lambda *args, **options: sw.advise(*args, **options, contract=sw.DropRatio(0.01))]
)
def test_times_in_the_index_of_a_pandas_frame_are_refused_with_what_to_do(ask, name):
    frame = pd.DataFrame({"x": [1, 2]}, index=pd.DatetimeIndex(["2024-05-01", "2024-05-02"], name=name))
    with pytest.raises(ParameterError, match=r"event_time must be a column of the frame.*reset_index\(\)"):
        ask(frame, event_time="at")


def test_times_in_a_column_may_have_any_index_beside_them():
    frame = pd.DataFrame(COLUMNS, index=pd.DatetimeIndex(["2024-05-01", "2024-05-02"], name="at"))
    assert COLUMNS == to_arrow(frame, event_time="ts").to_pydict()
