"""Buses and road sensors (SCATS) of a city, as SSG17 Sec. 6 sets them up, with its two ways to delay the buses."""

from __future__ import annotations

from typing import Literal, TypeAlias, get_args

import numpy as np

from slackwater.errors import ParameterError
from slackwater.sources.arrange import START, Emitted, arrange
from slackwater.sources.dataset import Dataset
from slackwater.sources.delays import Floats, Random, smooth, zipf_delays
from slackwater.time import Duration, DurationLike, Times

BUSES, SENSORS = 911, 3_504
AREAS = 100
EXPERIMENT_RATES = (500.0, 500.0)  # what the document's experiments raise them to

MILLISECOND = Duration.of("1 ms")
BAD_PHASE, GOOD_PHASE = Duration.of("20 seconds"), Duration.of("50 seconds")

Policy: TypeAlias = Literal["periodic", "growing", "none"]


def traffic(
    *,
    policy: Policy = "periodic",
    rates: tuple[float, float] = EXPERIMENT_RATES,
    seed: int = 1,
    duration: DurationLike = "350 seconds",
) -> Dataset:
    """Make `bus` (bus, line, area, delay in s) and `scats` (sensor, area, flow in vehicles/h) of SSG17 Sec. 6.

    Each stream alone is in order, as its sensors report in order (SSG17 Sec. 2.1); it is the two merged that are not,
    since the buses are held up at their source, one after the other:

    - "periodic": for 20 s of reports each waits 0..10 ms (Zipf, exponent 1.0), for the next 50 s 0..2 ms (0.35). At 500
      reports per second the first is more than the source can take and the second less, so that the bus stream falls
      about 6 s behind within 26 s, and catches up: the 7 s and 25 s of Fig. 1.
    - "growing": every report adds 1 ms for itself and all that follow, half a second per second (Fig. 11).

    >>> city = traffic(duration="2 seconds")
    >>> {name: table.num_rows for name, table in city.streams.items()}
    {'bus': 1000, 'scats': 1000}
    """
    if policy not in get_args(Policy):
        raise ParameterError("policy", policy, must="be known", remedy=f"use one of {', '.join(get_args(Policy))}")
    length = Duration.of(duration)
    bus_random, scats_random, city = np.random.default_rng(seed).spawn(3)
    jams = city.uniform(0, 2 * np.pi, size=AREAS)
    streams = {
        "bus": _buses(bus_random, _moments(rates[0], length), jams, policy=policy),
        "scats": _scats(scats_random, _moments(rates[1], length), jams),
    }
    story = f"{rates[0]:g} and {rates[1]:g} reports/s, bus delay policy {policy}, {length}. Seed {seed}."
    name = "traffic" if policy == "periodic" else f"traffic-{policy}"
    return Dataset(name, arrange(streams), f"SSG17 Sec. 6, buses and SCATS sensors of a city: {story}")


def _moments(rate: float, length: Duration) -> Times:
    """Return evenly spaced µs from the start; the two sources tick half a gap apart from their boundaries."""
    if rate <= 0:
        raise ParameterError("rates", rate, must="be > 0 reports per second", remedy="for example rates=(500, 500)")
    count = round(rate * length.microseconds / 1e6)
    return ((np.arange(count) + 0.5) * 1e6 / rate).astype(np.int64)


def _buses(random: Random, moments: Times, jams: Floats, *, policy: Policy) -> Emitted:
    seconds = moments / 1e6
    bus = random.permutation(BUSES)[np.arange(len(moments)) % BUSES]
    area = (bus * 7 + moments // 120_000_000) % AREAS  # a bus reaches the next area every two minutes
    late = np.maximum(0, 120 * _congestion(seconds, area, jams) + random.normal(0, 30, size=len(moments)))
    payload = {
        "bus": bus.astype(np.int32),
        "line": (bus % 80).astype(np.int32),
        "area": area.astype(np.int32),
        "delay": np.rint(late).astype(np.int32),
    }
    event_time = START + moments
    return Emitted(event_time, START + _inserted(random, moments, policy), payload)


def _scats(random: Random, moments: Times, jams: Floats) -> Emitted:
    seconds = moments / 1e6
    sensor = random.permutation(SENSORS)[np.arange(len(moments)) % SENSORS]
    area = sensor % AREAS
    city = 1 + 0.1 * smooth(random, seconds, periods=(60, 300))
    flow = (200 + 250 * _congestion(seconds, area, jams)) * city + random.normal(0, 40, size=len(moments))
    payload = {
        "sensor": sensor.astype(np.int32),
        "area": area.astype(np.int32),
        "flow": np.rint(np.maximum(0, flow)).astype(np.int32),
    }
    return Emitted(START + moments, START + moments, payload)


def _congestion(seconds: Floats, area: Times, jams: Floats) -> Floats:
    """Return 0 (free) to 1 (jam): every area has its jam at its own time, once in 15 minutes."""
    level: Floats = (1 + np.sin(seconds * (2 * np.pi / 900) + jams[area])) / 2
    return level**2


def _inserted(random: Random, moments: Times, policy: Policy) -> Times:
    if policy == "none":
        return moments
    if policy == "growing":
        return moments + MILLISECOND.microseconds * np.arange(1, len(moments) + 1)
    return _one_after_another(moments, _periodic_waits(random, moments))


def _periodic_waits(random: Random, moments: Times) -> Times:
    cycle = (BAD_PHASE.microseconds, BAD_PHASE.microseconds + GOOD_PHASE.microseconds)
    bad = zipf_delays(random, len(moments), skew=1.0, longest=Duration.of("10 ms"), unit=MILLISECOND)
    good = zipf_delays(random, len(moments), skew=0.35, longest=Duration.of("2 ms"), unit=MILLISECOND)
    return np.where(moments % cycle[1] < cycle[0], bad, good)


def _one_after_another(moments: Times, waits: Times) -> Times:
    """Return when each report is through: it starts to wait when it is there and the one before it is through.

    That is max(moment_k, through_{k-1}) + wait_k, solved for the whole column at once.
    """
    total = np.cumsum(waits)
    return total + np.maximum.accumulate(moments - (total - waits)) if len(moments) else moments
