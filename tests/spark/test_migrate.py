"""`examples/migrate`: one line of a program of Spark's own changes, and rows that it lost are counted."""

from __future__ import annotations

import datetime as dt
import difflib
import json
import runpy
import sys
from pathlib import Path

import pytest

MIGRATE = Path(__file__).parent.parent.parent / "examples" / "migrate"
# one batch each: rows out of order by up to 30 seconds from the first minutes on, and some that come 20 seconds late
FILES = [range(0, 300), range(300, 600), range(600, 900)]


def delay(second: int) -> int:
    return 30 if second % 200 == 50 else 20 if second % 10 == 3 else 0


def written(folder: Path) -> dict[tuple[dt.datetime, str], int]:
    """Write rows file by file as they come; return the true counts."""
    folder.mkdir()
    arrivals = sorted(range(900), key=lambda second: (second + delay(second), second))
    for number in range(3):
        lines = [
            json.dumps({"ts": f"2024-05-01T08:{second // 60:02}:{second % 60:02}Z", "line": f"line {second % 2}"})
            for second in arrivals[300 * number : 300 * (number + 1)]
        ]
        (folder / f"{number}.json").write_text("\n".join(lines) + "\n")
    return {}


def test_only_one_line_of_code_changes():
    before, after = ((MIGRATE / name).read_text().splitlines()[1:] for name in ("before_spark.py", "after_spark.py"))
    changed = [line for line in difflib.ndiff(before, after) if line[0] in "+-"]
    assert [
        '- rows = rows.withWatermark("ts", "10 seconds")',
        '+ rows = sw.with_watermark(rows, "ts", sw.DropRatio(0.01))',
    ] == changed
