"""The dense stream of values of PROD Sec. 4.4, on which early results of aggregates are judged."""

from __future__ import annotations

from typing import Literal, TypeAlias, get_args

import numpy as np

from slackwater.errors import ParameterError
from slackwater.sources.arrange import Emitted, arrange
from slackwater.sources.dataset import Dataset
from slackwater.sources.delays import Random, uniform_delays
from slackwater.sources.shapes import Shape, check_shape, happening, traveling
from slackwater.time import Duration, DurationLike, Times

SECOND = 1_000_000
Distribution: TypeAlias = Literal["uniform", "normal"]


def values(
    *,
    distribution: Distribution = "uniform",
    mean: float = 500.0,
    deviation: float = 100.0,
    density: float = 0.95,
    max_delay: DurationLike = "0 seconds",
    arrivals: Shape | None = None,
    seed: int = 1,
    duration: DurationLike = "2000 seconds",
) -> Dataset:
    """Make one stream of `value`: uniform in 0..999 (PROD Sec. 4.4.1) or normal (Sec. 4.4.2, deviation 100, 400, 1000).

    Event times are whole seconds from 0. After an event the next has the same second with probability `density`, else
    the next second; that is 20 events per second, 600 per 30-second window (the document counts about 540). The events
    of a second arrive spread over it, plus up to `max_delay` (Sec. 4.3.1 delays its streams by up to 0.5 seconds).

    With `arrivals` events do not come by the second: as many of them are spread over time, and travel for around
    `max_delay`, as that shape says (`slackwater.sources.shapes`).

    >>> table = values(duration="10 seconds").streams["s"]
    >>> table.schema.field("value").type, table["event_time"][0].as_py().timestamp()
    (DataType(int64), 0.0)
    """
    if distribution not in get_args(Distribution):
        raise ParameterError("distribution", distribution, must="be known", remedy='use "uniform" or "normal"')
    if not 0 <= density < 1:
        raise ParameterError("density", density, must="be in [0, 1)", remedy="the document uses 0.95")
    length = Duration.of(duration)
    random = np.random.default_rng(seed)
    usual = Duration.of(max_delay, parameter="max_delay")
    if arrivals is None:
        event_time, within = _seconds(random, length, density)
        delay = within + uniform_delays(random, len(event_time), longest=usual)
    else:
        check_shape(arrivals)
        event_time = happening(random, arrivals, length=length, per_second=1 / (1 - density))
        delay = traveling(random, arrivals, event_time, usual=usual)
    drawn = (
        random.integers(0, 1000, size=len(event_time))
        if distribution == "uniform"
        else random.normal(mean, deviation, size=len(event_time))
    )
    stream = Emitted(event_time, event_time + delay, {"value": drawn})
    kind = "uniform in 0..999" if distribution == "uniform" else f"normal ({mean:g}, {deviation:g})"
    shape = "" if arrivals is None else f"{arrivals} arrivals, "
    story = f"{kind}, density {density:g}, {shape}arrival delays up to {usual}, {length}. Seed {seed}."
    name = "values" if distribution == "uniform" else f"values-{distribution}"
    return Dataset(name, arrange({"s": stream}), f"PROD Sec. 4.4, values {story}")


def _seconds(random: Random, length: Duration, density: float) -> tuple[Times, Times]:
    """Return each event's second, and where in that second it arrives (both µs).

    The number of events of one second is geometric: one, and another as long as the draw says "same second".
    """
    seconds = length.microseconds // SECOND
    counts = random.geometric(1 - density, size=seconds)
    first = np.cumsum(counts) - counts
    position = np.arange(counts.sum()) - np.repeat(first, counts)
    return np.repeat(np.arange(seconds), counts) * SECOND, position * SECOND // np.repeat(counts, counts)
