"""Bursts of records from wireless access points, after PROD Fig. 1.5 / 4.4 and Sec. 4.3.2."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from slackwater.sources.arrange import START, Column, Emitted, arrange
from slackwater.sources.dataset import Dataset
from slackwater.sources.delays import Floats, Random
from slackwater.time import Duration, DurationLike, Times

SECOND = Duration.of("1 second")
ACCESS_POINTS = 60
RUN_LENGTH = 8  # mean length of a run of growing counters
MESSAGES = ("associated", "authenticated", "disassociated", "deauthenticated", "reassociated", "roamed")

# (until second, mean records per second): spikes at 30 (A, then calm), 53-54 (B, then busy) and 62 (C, sustained to 75)
PATTERN = (
    (30, 100), (31, 600), (53, 50), (54, 720), (55, 480), (62, 258), (63, 760), (76, 280), (81, 218), (90, 100),
)  # fmt: skip


def wireless(*, seed: int = 1, duration: DurationLike = "90 seconds") -> Dataset:
    """Make one stream (access_point, counter, message) that comes in bursts: about 14,000 records in 90 s.

    Most seconds have up to 300 records, 30, 53, 54 and 62 have 400 to 800, and the load stays high from 62 to 75 (PROD
    Fig. 4.4). Longer durations repeat the pattern: 180 s is "Burst 2" of Table 4.3, 360 s "Burst 4". The records arrive
    in order and when they happen; that a burst delays *results* is the doing of whoever processes it.

    >>> table = wireless(duration="40 seconds").streams["records"]
    >>> table.column_names[3:]
    ['access_point', 'counter', 'message']
    """
    random = np.random.default_rng(seed)
    length = Duration.of(duration)
    moments = _moments(random, length)
    stream = Emitted(START + moments, START + moments, _records(random, len(moments)))
    return Dataset(
        "wireless",
        arrange({"records": stream}),
        f"PROD Sec. 4.3.2 and Fig. 4.4, records of wireless access points in bursts, {length}. Seed {seed}.",
    )


def mean_counts(seconds: int) -> Floats:
    """Return the mean number of records in each second; the pattern repeats every 90 s.

    >>> mean_counts(32)[29:].tolist()
    [100.0, 600.0, 50.0]
    """
    ends, means = zip(*PATTERN, strict=True)
    step = np.searchsorted(ends, np.arange(seconds) % ends[-1], side="right")
    counts: Floats = np.array(means, dtype=np.float64)[step]
    return counts


def _moments(random: Random, length: Duration) -> Times:
    seconds = -(-length.microseconds // SECOND.microseconds)
    counts = random.poisson(mean_counts(seconds))
    whole = np.repeat(np.arange(seconds), counts) * SECOND.microseconds
    moments = np.sort(whole + random.integers(0, SECOND.microseconds, size=len(whole)))
    return moments[moments < length.microseconds]


def _records(random: Random, count: int) -> dict[str, Column]:
    points = random.zipf(1.5, size=count) % ACCESS_POINTS
    messages = pa.array(MESSAGES).take(random.integers(0, len(MESSAGES), size=count))
    return {"access_point": points.astype(np.int32), "counter": _counters(random, count), "message": messages}


def _counters(random: Random, count: int) -> Times:
    """Counters grow by one within short runs; each run starts anywhere in 0..999."""
    starts = random.random(count) < 1 / RUN_LENGTH
    starts[:1] = True
    run = np.cumsum(starts) - 1
    position = np.arange(count) - np.flatnonzero(starts)[run] if count else np.empty(0, dtype=np.int64)
    counters: Times = random.integers(0, 1000, size=count)[run] + position
    return counters
