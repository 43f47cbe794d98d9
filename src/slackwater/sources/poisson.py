"""The stream model of KIM Sec. 3.1: Poisson generation, normal network delays, constant or changing."""

from __future__ import annotations

import numpy as np

from slackwater.errors import ParameterError
from slackwater.sources.arrange import START, Emitted, arrange
from slackwater.sources.dataset import Dataset
from slackwater.sources.delays import Floats, Random, normal_delays
from slackwater.time import Duration, DurationLike, Times

RATE = 10_000.0
MAX_MEAN = "6 ms"
MAX_DEVIATION = "5 ms"


def poisson(
    *,
    mean: DurationLike = "3 ms",
    deviation: DurationLike = "3 ms",
    rate: float = RATE,
    seed: int = 1,
    duration: DurationLike = "100 seconds",
) -> Dataset:
    """Make KIM's constant stream: exponential gaps of mean 1/rate, arrival = event time + Norm(mean, deviation).

    Defaults as in KIM Sec. 4: 10,000 events per second, 1,000,000 events, deviation 1 to 5 ms. A negative delay is
    kept: the order of arrivals, hence all that is measured, does not depend on `mean`.

    >>> table = poisson(duration="1 second").streams["s"]
    >>> table.num_rows, table.column_names
    (10000, ['event_time', 'arrival', 'arrival_time', 'value'])
    """
    random = np.random.default_rng(seed)
    event_time = _generation_times(random, rate, Duration.of(duration))
    ones = np.ones(len(event_time))
    means = ones * Duration.of(mean, parameter="mean").microseconds
    deviations = ones * Duration.of(deviation, parameter="deviation").microseconds
    story = f"constant: delays Norm({Duration.of(mean)}, {Duration.of(deviation)})"
    return _dataset("poisson", random, event_time, means, deviations, story=f"{story}, {rate:g} events/s. Seed {seed}.")


def poisson_changing(
    *,
    every: DurationLike = "1 second",
    max_mean: DurationLike = MAX_MEAN,
    max_deviation: DurationLike = MAX_DEVIATION,
    rate: float = RATE,
    seed: int = 1,
    duration: DurationLike = "100 seconds",
) -> Dataset:
    """Make KIM's changing stream: mean in [0, 6] ms and deviation in [0, 5] ms, drawn anew `every` 1, 3 or 5 seconds.

    The parameters hold for events *generated* in a period (KIM Sec. 4 does not say generated or arrived).

    >>> poisson_changing(duration="1 second", every="100 ms").rows
    10000
    """
    random = np.random.default_rng(seed)
    event_time = _generation_times(random, rate, Duration.of(duration))
    period = Duration.of(every, parameter="every")
    if not period:
        raise ParameterError("every", str(period), must="be > 0", remedy="use poisson() for a constant stream")
    number = (event_time - START) // period.microseconds
    periods = int(number.max(initial=0)) + 1
    means = random.uniform(0, Duration.of(max_mean).microseconds, size=periods)[number]
    deviations = random.uniform(0, Duration.of(max_deviation).microseconds, size=periods)[number]
    story = f"changing every {period}: mean up to {Duration.of(max_mean)}, deviation up to {Duration.of(max_deviation)}"
    return _dataset(
        "poisson-changing", random, event_time, means, deviations, story=f"{story}, {rate:g} events/s. Seed {seed}."
    )


def _generation_times(random: Random, rate: float, duration: Duration) -> Times:
    """Return `rate * duration` event times; as in KIM the number is fixed and the gaps are exponential."""
    if rate <= 0:
        raise ParameterError("rate", rate, must="be > 0 events per second", remedy="for example rate=10_000")
    count = round(rate * duration.microseconds / 1e6)
    return START + np.cumsum(random.exponential(1e6 / rate, size=count)).astype(np.int64)


def _dataset(name: str, random: Random, event_time: Times, means: Floats, deviations: Floats, *, story: str) -> Dataset:
    travel = normal_delays(random, mean=means, deviation=deviations)
    payload = {"value": random.normal(0.0, 1.0, size=len(event_time))}
    streams = arrange({"s": Emitted(event_time, event_time + travel, payload)})
    return Dataset(name, streams, f"KIM Sec. 3.1, Poisson generation and normal network delays, {story}")
