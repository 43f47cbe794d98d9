"""How long a join takes to go on from a checkpoint with a gigabyte of state, against Spark's own join of the same rows.

Both fill their state first: a window of an hour, in which every row stays, with payload that does not compress. Then
each restart is a process of its own, so that no store is open yet, and gets one more small file. What is compared is
the time from starting the query to its first commit (`benchmarks/recovery_run.py`); the JVM is up before that.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.harness import Case

REPOSITORY = Path(__file__).parent.parent
LIMIT = 3.0
START_US = 1_700_000_000_000_000
PAYLOAD = 1_000  # bytes of a row
FILES = 8
KEYS = 10_000_000  # so many that few rows meet: what is held is what counts
LONGEST = 1_200  # seconds that filling the state may take


def cases(*, quick: bool) -> Iterator[Case]:
    """One case: a gigabyte, or a hundredth of it."""
    rows = 5_000 if quick else 500_000
    folder = Path(tempfile.mkdtemp(prefix="slackwater-recovery-"))
    try:
        filled = {engine: _filled(engine, folder / engine, rows) for engine in ("ours", "spark")}
        yield Case(
            "restart of a join, to its first commit",
            partial(_restarted, "ours", folder / "ours"),
            partial(_restarted, "spark", folder / "spark"),
            LIMIT,
            "Spark's stream-stream join, RocksDB",
            {"rows": [rows, rows], "payload_bytes": PAYLOAD, **filled},
            is_warm=True,  # each restart is a process of its own
        )
    finally:
        shutil.rmtree(folder)


def write_file(folder: Path, number: int, rows: int) -> None:
    """Write one more file of each stream; all event times lie within a few minutes, and none is late."""
    for index, name in enumerate("ab"):
        (folder / name).mkdir(parents=True, exist_ok=True)
        random = np.random.default_rng(2 * number + index)
        times = START_US + number * 1_000_000 + np.sort(random.integers(0, 1_000_000, rows))
        payload = pa.Array.from_buffers(pa.binary(PAYLOAD), rows, [None, pa.py_buffer(random.bytes(rows * PAYLOAD))])
        table = pa.table(
            {
                "ts": pa.array(times).cast(pa.timestamp("us", tz="UTC")),
                "key": pa.array(random.integers(0, KEYS, rows)),
                "payload": payload.cast(pa.binary()),
            }
        )
        pq.write_table(table, folder / name / f"{number:05}.parquet", compression="none")


def _filled(engine: str, folder: Path, rows: int) -> dict[str, float]:
    """Fill the state from the first files; return what it is then."""
    for number in range(FILES):
        write_file(folder, number, rows // FILES)
    return _run(engine, folder)


def _restarted(engine: str, folder: Path) -> float:
    """Add a small file and start again; return the seconds to the first commit."""
    write_file(folder, len(list((folder / "a").iterdir())), 1_000)
    return _run(engine, folder)["first_commit_seconds"]


def _run(engine: str, folder: Path) -> dict[str, float]:
    paths = [str(REPOSITORY), str(REPOSITORY / "src"), os.environ.get("PYTHONPATH", "")]
    command = [sys.executable, "-m", "benchmarks.recovery_run", engine, str(folder)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, check=True, timeout=LONGEST)
    figures: dict[str, float] = json.loads(done.stdout.decode().strip().splitlines()[-1])
    return figures
