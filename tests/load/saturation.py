"""The most rows a second that a query keeps up: its input is all there, and its batches are bounded."""

from __future__ import annotations

import statistics
from dataclasses import dataclass
from pathlib import Path

from tests.load.queries import QUERIES
from tests.load.rows import rows_of, write_chunk
from tests.load.running import lines_of, rates_of, running, say_stop, wait_for_batches
from tests.load.verify import Verdict, verify

_WARM = 8  # batches that do not count: compilers, caches and workers start
_LIMIT = 1_200.0  # seconds


@dataclass(frozen=True)
class Bound:
    """How large batches may be: so many rows in a chunk of all streams, and so many chunks."""

    rows: int = 10_000
    chunks: int = 5

    @property
    def batch(self) -> int:
        return self.rows * self.chunks


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
    most_in_a_batch: int
    memory_mb: float  # the most of all processes
    verdict: Verdict

    @property
    def is_good(self) -> bool:
        return self.verdict.is_good and self.most_in_a_batch <= self.batch_rows


def saturate(name: str, folder: Path, *, batches: int = 30, cores: int = 1, bound: Bound | None = None) -> Saturation:
    """Let a query work off what is there, and verify what it wrote."""
    bound = bound or Bound()
    for number in range((batches + _WARM) * bound.chunks):
        write_chunk(folder, number, rows_of(number * bound.rows, bound.rows), QUERIES[name].streams)
    with running("driver", folder, name, bound.chunks, cores) as driver:
        memory = wait_for_batches(driver, folder, batches + _WARM - 1, _LIMIT)
        say_stop(folder, "drain")
        driver.wait(_LIMIT)
    batches_done = lines_of(folder / "progress.jsonl")
    done = [batch for batch in batches_done if batch["rows"] >= bound.batch]
    rates, counted = rates_of(done, _WARM), done[_WARM:]
    rate = sum(batch["rows"] for batch in counted) / (counted[-1]["at"] - done[_WARM - 1]["at"])
    took = statistics.median(batch["took_ms"]["triggerExecution"] for batch in counted) / 1_000
    largest = max(batch["rows"] for batch in batches_done)
    figures = (rate, min(rates), max(rates), bound.batch, took, largest, memory)
    return Saturation(name, cores, *figures, verify(name, folder))
