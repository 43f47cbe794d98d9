"""The comparison with DuckDB finds what is lost, doubled and invented, so that it can fail."""

from __future__ import annotations

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.kafka.data import compare

ROW = pa.struct([("id", pa.int64())])


@pytest.fixture
def compared(tmp_path):
    """Send two rows of each stream, of which all meet; compare what was found."""

    def build(found: list[tuple[int, int]], late: list[int]) -> dict[str, int]:
        sent = {"id": [0, 1, 2, 3], "ts": [100, 150, 200, 260], "area": [7] * 4, "stream": [0, 1, 0, 1]}
        pq.write_table(pa.table({**sent, "malformed": [False] * 4}), tmp_path / "sent.parquet")
        rows = [json.dumps({"bus": {"id": bus}, "scats": {"id": scats}}) for bus, scats in found]
        (tmp_path / "results.json").write_text("".join(f"{row}\n" for row in rows))
        (tmp_path / "late" / "batch=0").mkdir(parents=True)
        members = {"bus": pa.array([{"id": each} for each in late], ROW), "scats": pa.array([None] * len(late), ROW)}
        table = pa.table({**members, "reason": pa.array(["late"] * len(late), pa.string())})
        pq.write_table(table, tmp_path / "late" / "batch=0" / "0.parquet")
        return compare(tmp_path)

    return build


ALL = [(0, 1), (0, 3), (2, 1), (2, 3)]


def test_all_is_well_where_all_is_there(compared):
    found = compared(ALL, [])
    assert (4, 0, 0, 0, 0) == tuple(found[name] for name in ("results", "missed", "lost", "duplicated", "invented"))


def test_a_result_that_is_not_there_is_lost_unless_a_row_of_it_was_late(compared):
    found = compared(ALL[1:], [2])
    assert (1, 1) == (found["missed"], found["lost"])


def test_a_late_row_explains_what_is_missed(compared):
    found = compared(ALL[1:], [0])
    assert (1, 0) == (found["missed"], found["lost"])


def test_a_result_that_is_there_twice_or_should_not_be_is_found(compared):
    found = compared([*ALL, (0, 1), (5, 6)], [2, 2])
    assert (1, 1, 1) == tuple(found[name] for name in ("duplicated", "invented", "late twice"))
