"""A query that runs for long at a share of what it can do: whether anything grows that should not."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from slackwater.quality.latency_log import read_log
from tests.load.driver import add_line
from tests.load.queries import QUERIES
from tests.load.running import lines_of, running, say_stop
from tests.load.samples import sample
from tests.load.saturation import Bound
from tests.load.slope import Slope, slope
from tests.load.verify import Verdict, verify

EVERY = 1.0  # seconds between two files
_SAMPLE = 5.0  # seconds
_WARM = 0.2  # the share of the time that does not count for slopes: workers start, logs fill up to what they keep
_LIMIT = 1_200.0  # seconds
# What keeps something of every file or batch: Spark's log of files, our figures, and the outputs themselves.
_MAY_GROW = {"sources_mb", "sources_files", "slackwater_mb", "slackwater_files", "output_batches"}


@dataclass(frozen=True)
class Soak:
    """How a query held out."""

    query: str
    rows_per_second: float
    minutes: float
    batches: int
    slopes: dict[str, Slope]
    verdict: Verdict

    @property
    def is_good(self) -> bool:
        return self.verdict.is_good and not self.growing

    @property
    def growing(self) -> tuple[str, ...]:
        """What surely grows although it must not."""
        return tuple(name for name, each in self.slopes.items() if each.surely_grows and name not in _MAY_GROW)


def soak(name: str, folder: Path, *, rate: float, minutes: float, tell: Callable[[str], None]) -> Soak:
    """Feed a query at a steady rate, look at it every few seconds, drain it, and verify what it wrote."""
    streams = QUERIES[name].streams
    files = max(1, round(Bound().batch / (rate * EVERY)))
    with running("feeder", folder, streams, rate, EVERY) as feeder, running("driver", folder, name, files, 1) as driver:
        began = time.monotonic()
        while time.monotonic() - began < 60 * minutes:
            time.sleep(_SAMPLE)
            feeder.check()
            driver.check()
            found = sample(driver.pid, folder)
            add_line(folder / "samples.jsonl", found)
            tell(f"{(time.monotonic() - began) / 60:.1f} min: {found}")
        (folder / "fed").touch()
        feeder.wait(60)
        say_stop(folder, "drain")
        driver.wait(_LIMIT)
    tell("verifying")
    return Soak(name, rate, minutes, len(_batches(folder)), slopes_of(folder), verify(name, folder))


def slopes_of(folder: Path, warm: float = _WARM) -> dict[str, Slope]:
    """Return how fast each figure of a run grows."""
    samples = lines_of(folder / "samples.jsonl")
    if not samples:
        return {}
    begin, end = samples[0]["at"], samples[-1]["at"]
    counted = begin + warm * (end - begin)
    series = {key: [(line["at"], line[key]) for line in samples] for key in samples[0] if key != "at"}
    series["heap_mb"] = [(line["at"], line["heap"] / 2**20) for line in lines_of(folder / "heap.jsonl")]
    batches = _batches(folder)
    series["batch_seconds"] = [(batch["at"], batch["took_ms"]["triggerExecution"] / 1_000) for batch in batches]
    series["batch_rows"] = [(batch["at"], batch["rows"]) for batch in batches]
    log = read_log(folder / "checkpoint").to_pylist()
    for key in ("latency_p50", "latency_p99"):
        series[f"{key}_seconds"] = [(row["written"].timestamp(), row[key] / 1e6) for row in log if row[key] is not None]
    found = {}
    for key, points in series.items():
        at, values = np.array([point for point in points if counted <= point[0] <= end] or [(0.0, np.nan)]).T
        found[key] = slope(at - begin, values)
    return found


def _batches(folder: Path) -> list[dict[str, float]]:
    return lines_of(folder / "progress.jsonl")
