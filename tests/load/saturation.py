"""The most rows a second that a query keeps up: its input is all there, and its batches are bounded."""

from __future__ import annotations

import statistics
from dataclasses import dataclass
from pathlib import Path

from tests.load.queries import QUERIES
from tests.load.rows import rows_of, write_chunk
from tests.load.running import lines_of, rates_of, running, say_stop, wait_for_batches
from tests.load.verify import Verdict, verify

ROWS, FILES = 10_000, 5  # of a file, and files of a batch
_WARM = 8  # batches that do not count: compilers, caches and workers start
_LIMIT = 1_200.0  # seconds


@dataclass(frozen=True)
class Saturation:
    """What a query kept up; batches differ, and the rate is over all of them."""

    query: str
    cores: int
    rows_per_second: float
    least: float
    most: float
    batch_rows: int
    batch_seconds: float
    verdict: Verdict


def saturate(name: str, folder: Path, *, batches: int = 30, cores: int = 1) -> Saturation:
    """Let a query work off what is there, and verify what it wrote."""
    for number in range((batches + _WARM) * FILES):
        write_chunk(folder, number, rows_of(number * ROWS, ROWS), QUERIES[name].streams)
    with running("driver", folder, name, FILES, cores) as driver:
        wait_for_batches(driver, folder, batches + _WARM - 1, _LIMIT)
        say_stop(folder, "drain")
        driver.wait(_LIMIT)
    done = [batch for batch in lines_of(folder / "progress.jsonl") if batch["rows"] >= ROWS * FILES]
    rates = rates_of(done, _WARM)
    counted = done[_WARM:]
    seconds = counted[-1]["at"] - done[_WARM - 1]["at"]
    rate = sum(batch["rows"] for batch in counted) / seconds
    took = statistics.median(batch["took_ms"]["triggerExecution"] for batch in counted) / 1_000
    return Saturation(name, cores, rate, min(rates), max(rates), ROWS * FILES, took, verify(name, folder))
