"""Freeway detectors that report every 20 seconds and are delivered late, after PROD Sec. 4.3.1."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from slackwater.errors import ParameterError
from slackwater.sources.arrange import START, Column, Emitted, arrange
from slackwater.sources.dataset import Dataset
from slackwater.sources.delays import Random
from slackwater.sources.shapes import Shape, check_shape, traveling
from slackwater.time import Duration, DurationLike, Times

REPORT_EVERY = Duration.of("20 seconds")
OUTAGE = 60_000_000  # us, before a burst
HOUR = 3_600_000_000
DAY = 86_400.0


def freeway(
    *,
    detectors: int = 1,
    max_delay: DurationLike = "20 seconds",
    arrivals: Shape = "uniform",
    bursts: int = 0,
    seed: int = 1,
    duration: DurationLike = "24 hours",
) -> Dataset:
    """Make one stream (detector, volume, speed, occupancy, status) with a report every 20 s per detector.

    `event_time` is the document's starttime; a report arrives up to `max_delay` (20 s) after it, so that the gap
    between two arrivals is 0 to 40 s and six reports come in two minutes on average. One detector stays in order, as in
    PROD (a delay never exceeds the gap); with more of them, their schedules spread over the 20 s, it does not.

    `arrivals` says how the delays are shaped, of which `max_delay` is then the usual one (`sources.shapes`). A burst
    follows a minute in which nothing was delivered: all reports of that minute come at its end. There are `bursts` of
    them an hour, at moments that the seed decides.

    >>> table = freeway(duration="2 minutes").streams["detectors"]
    >>> table.num_rows, table.column_names[3:]
    (6, ['detector', 'volume', 'speed', 'occupancy', 'status'])
    """
    if detectors < 1:
        raise ParameterError("detectors", detectors, must="be >= 1", remedy="PROD Sec. 4.3.1 has one")
    if bursts < 0:
        raise ParameterError("bursts", bursts, must="be >= 0", remedy="it is a number of them an hour, such as 2")
    check_shape(arrivals)
    length, random = Duration.of(duration), np.random.default_rng(seed)
    usual = Duration.of(max_delay, parameter="max_delay")
    reports = length.microseconds // REPORT_EVERY.microseconds
    offset = np.arange(detectors) * REPORT_EVERY.microseconds // detectors
    moments = (np.arange(reports)[:, None] * REPORT_EVERY.microseconds + offset).ravel()
    detector = np.tile(np.arange(detectors, dtype=np.int32), reports)
    delay = traveling(random, arrivals, moments, usual=usual)
    payload = {"detector": detector, **_readings(random, moments)}
    delivered = _held_back(random, moments + delay, length, bursts)
    stream = Emitted(START + moments, START + delivered, payload)
    held = f", {bursts} bursts an hour" if bursts else ""
    story = f"{detectors} detector(s), delivered up to {usual} late ({arrivals}){held}, {length}. Seed {seed}."
    return Dataset(
        "freeway", arrange({"detectors": stream}), f"PROD Sec. 4.3.1, freeway reports every 20 seconds: {story}"
    )


def _held_back(random: Random, delivered: Times, length: Duration, bursts: int) -> Times:
    """Let nothing be delivered during some outages: what would have been comes at the end of each."""
    count = int(random.poisson(bursts * length.microseconds / HOUR)) if bursts else 0
    for start in np.sort(random.integers(0, length.microseconds, size=count)):
        delivered = np.where((delivered >= start) & (delivered < start + OUTAGE), start + OUTAGE, delivered)
    return delivered


def _readings(random: Random, moments: Times) -> dict[str, Column]:
    """Two rush hours a day: the volume rises, the speed falls, and occupancy follows from both."""
    hour = (moments / 1e6 % DAY) / 3600
    rush = np.exp(-(((hour - 8) / 1.5) ** 2)) + np.exp(-(((hour - 17.5) / 2) ** 2))
    volume = random.poisson(3 + 9 * rush)
    speed = np.clip(random.normal(100 - 45 * rush, 6), 5, 140)
    occupancy = np.clip(100 * volume * 6.5 / (speed / 3.6) / 20, 0, 100)  # 6.5 m of road per vehicle
    status = pa.array(["ok", "doubtful"]).take((random.random(len(moments)) < 0.01).astype(np.int64))
    return {
        "volume": volume.astype(np.int32),
        "speed": np.round(speed, 1),
        "occupancy": np.round(occupancy, 1),
        "status": status,
    }
