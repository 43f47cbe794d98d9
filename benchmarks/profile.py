"""A profile of a Parquet file, against DuckDB's count, minimum, maximum and running maximum over the same file.

The rival runs the cheaper of DuckDB's plans for a running maximum (rows as they are in the file, no sort) and reduces
it to one row; the profile also makes histograms, slices and gaps. Both find the same largest delay, checked first.
Memory is the highest resident size of a new process, imports included; only Linux says so. It is compared
with that of a file of many row groups already: a file of one or two needs less.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow.parquet as pq

import slackwater as sw
from benchmarks.data import out_of_order
from benchmarks.harness import Case, nothing

_PLAIN = "max(event_time) OVER (ROWS UNBOUNDED PRECEDING)"
_SORTED = "max(event_time) OVER (ORDER BY seq ROWS UNBOUNDED PRECEDING)"
_BY_KEY = "max(event_time) OVER (PARTITION BY key ORDER BY seq ROWS UNBOUNDED PRECEDING)"
_PEAK = """
import re, sys, slackwater as sw
sw.profile([sys.argv[1]] * int(sys.argv[2]), **dict(zip(sys.argv[3::2], sys.argv[4::2])))
print(int(re.search(r"VmHWM:\\s*(\\d+)", open("/proc/self/status").read())[1]) / 1024)
"""


def cases(*, quick: bool) -> Iterator[Case]:
    """Rows as they are, by key, and in the order of a column; then memory, with three times the rows."""
    rows = 1_000_000 if quick else 10_000_000
    with tempfile.TemporaryDirectory(prefix="slackwater-bench-") as folder:
        table = out_of_order(rows)
        ordered, shuffled = (Path(folder) / f"{name}.parquet" for name in ("ordered", "shuffled"))
        pq.write_table(table, ordered)
        pq.write_table(table.take(np.random.default_rng(1).permutation(rows)), shuffled)
        del table
        yield _timed("profile of a file", ordered, _PLAIN, 2.0, rows)
        yield _timed("profile by 1,000 keys", ordered, f"greatest({_PLAIN}, {_BY_KEY})", 2.0, rows, by="key")
        yield _timed("profile, arrival in order", ordered, _SORTED, 2.0, rows, arrival="seq")
        yield _timed("profile, arrival shuffled", shuffled, _SORTED, 2.0, rows, arrival="seq")
        for name, options in (("", {}), (" by key", {"by": "key"})):
            yield Case(
                f"MB of a profile{name}, 3x rows",
                _peak(ordered, 3, **options),
                _peak(ordered, 1, **options),
                1.1,
                "once the rows",
                {"rows": rows},
            )


def _timed(name: str, file: Path, clock: str, limit: float, rows: int, **options: Any) -> Case:
    sql = (
        "SELECT count(event_time), min(event_time), max(event_time), max(epoch_us(clock) - epoch_us(event_time)) "
        f"FROM (SELECT event_time, {clock} AS clock FROM '{file}')"
    )

    def ours() -> int:
        return sw.profile(file, event_time="event_time", **options).delays.largest

    def rival() -> int:
        with duckdb.connect() as connection:
            return int(connection.sql(sql).fetchall()[0][3])

    assert ours() == rival()
    return Case(name, lambda: nothing(ours()), lambda: nothing(rival()), limit, "DuckDB", {"rows": rows, "sql": sql})


def _peak(file: Path, times: int, **options: str) -> Callable[[], float]:
    """Return what finds the memory, in MB, of a profile of the file read so many times over."""
    given = [str(file), str(times), "event_time", "event_time", *(word for pair in options.items() for word in pair)]

    def megabytes() -> float:
        done = subprocess.run([sys.executable, "-c", _PEAK, *given], check=True, capture_output=True, text=True)
        return float(done.stdout)

    return megabytes
