"""`examples/migrate`: one line of a program of Spark's own changes, and it counts the same."""

from __future__ import annotations

import difflib
import json
import os
import runpy
import sys
from collections import Counter
from pathlib import Path

import pytest

MIGRATE = Path(__file__).parent.parent.parent / "examples" / "migrate"
SECONDS = range(480)


def came_at(second: int) -> int:
    """Every tenth row is four seconds late."""
    return second + 4 * (second % 10 == 3)


def line_of(second: int) -> str:
    return f"line {second % 2}"


@pytest.fixture(scope="module")
def incoming(tmp_path_factory) -> Path:
    """Two files, each a micro-batch."""
    folder = tmp_path_factory.mktemp("incoming")
    arrivals = sorted(SECONDS, key=came_at)
    for number, part in enumerate((arrivals[:240], arrivals[240:])):
        rows = [{"ts": f"2024-05-01T08:{s // 60:02}:{s % 60:02}Z", "line": line_of(s)} for s in part]
        file = folder / f"{number}.json"
        file.write_text("".join(json.dumps(row) + "\n" for row in rows))
        os.utime(file, (1_700_000_000 + number,) * 2)  # Spark takes files by their times
    return folder


def test_only_one_line_of_code_changes():
    before, after = ((MIGRATE / name).read_text().splitlines()[1:] for name in ("before_spark.py", "after_spark.py"))
    changed = [line[2:] for line in difflib.ndiff(before, after) if line[0] in "+-"]
    guess, contract = 'rows = rows.withWatermark("ts", "10 seconds")', "sw.DropRatio(0.01)"
    assert [guess, f'rows = sw.with_watermark(rows, "ts", {contract})'] == changed


@pytest.mark.spark
@pytest.mark.parametrize("program", ["before_spark.py", "after_spark.py"])
def test_the_program_counts_every_window_that_it_closes(spark, incoming, tmp_path, monkeypatch, program):
    monkeypatch.setattr(sys, "argv", [program, str(incoming), str(tmp_path)])
    runpy.run_path(str(MIGRATE / program), run_name="__main__")
    truth = Counter((second // 60, line_of(second)) for second in SECONDS)
    rows = spark.read.parquet(f"{tmp_path}/counts").selectExpr("minute(window.start) AS minute", "line", "count")
    found = {(row["minute"], row["line"]): row["count"] for row in rows.collect()}
    assert {(minute, line_of(second)) for minute in range(3) for second in (0, 1)} <= set(found)
    assert {key: truth[key] for key in found} == found
