"""How arrivals are shaped: when events happen, and how long they travel. Four shapes, after PROD Sec. 3.4 and 4.4.

PROD holds that early results are as good as arrivals are even; these are the ways in which they are not. A shape says
both things, since a window is incomplete for both reasons: what has not happened yet, and what is still on its way.
"""

from __future__ import annotations

from typing import Literal, TypeAlias, get_args

import numpy as np

from slackwater.errors import ParameterError
from slackwater.sources.delays import (
    Floats,
    Random,
    exponential_delays,
    heavy_tail_delays,
    normal_delays,
    smooth,
    uniform_delays,
)
from slackwater.time import Duration, Times

Shape: TypeAlias = Literal["uniform", "normal", "drifting", "skewed"]
SHAPES: tuple[Shape, ...] = get_args(Shape)
CYCLE = 10_000_000  # us: the skewed rate rises over it, then falls back
DRIFT_PERIODS = (300.0, 900.0)  # s


def check_shape(shape: str, parameter: str = "arrivals") -> None:
    """Refuse a shape that there is not."""
    if shape not in SHAPES:
        raise ParameterError(parameter, shape, must="be known", remedy=f"use one of {', '.join(SHAPES)}")


def happening(random: Random, shape: Shape, *, length: Duration, per_second: float) -> Times:
    """Return when events happen, sorted, in us from 0: a Poisson process with a rate of that shape.

    The rate is constant for uniform and normal arrivals, moves smoothly by up to half for drifting ones, and rises from
    a fifth to nine fifths every 10 s for skewed ones.

    >>> times = happening(np.random.default_rng(1), "skewed", length=Duration.of("100 seconds"), per_second=100)
    >>> bool((times % CYCLE >= CYCLE // 2).mean() > 0.65)
    True
    """
    seconds = length.microseconds / 1e6
    count = int(random.poisson(per_second * seconds * 1.8 if shape in ("drifting", "skewed") else per_second * seconds))
    times = np.sort(random.integers(0, length.microseconds, size=count))
    if shape == "drifting":
        rate = 1 + 0.5 * smooth(random, times / 1e6, periods=DRIFT_PERIODS)
    elif shape == "skewed":
        rate = 0.2 + 1.6 * (times % CYCLE) / CYCLE
    else:
        return times
    return times[random.random(count) * 1.8 < rate]


def traveling(random: Random, shape: Shape, times: Times, *, usual: Duration) -> Times:
    """Return how long each event travels, in us: around `usual`, never below 0.

    Uniform from 0 to it; normal with it as the mean and a quarter of it as the deviation; drifting: exponential, with a
    mean that moves between a fifth and nine fifths of it; skewed: Pareto from a tenth of it to 20 times as long.
    """
    count = len(times)
    if shape == "uniform":
        return uniform_delays(random, count, longest=usual)
    if shape == "normal":
        mean = np.full(count, float(usual.microseconds))
        return np.maximum(normal_delays(random, mean=mean, deviation=mean / 4), 0)
    if not usual:
        return np.zeros(count, np.int64)
    if shape == "drifting":
        mean = usual.microseconds * _between_fifths(smooth(random, times / 1e6, periods=DRIFT_PERIODS))
        return exponential_delays(random, mean=mean, longest=Duration(10 * usual.microseconds))
    shortest, longest = Duration(max(usual.microseconds // 10, 1)), Duration(20 * usual.microseconds)
    return heavy_tail_delays(random, count, shortest=shortest, longest=longest)


def _between_fifths(path: Floats) -> Floats:
    """Return a movement in [-1, 1] as a factor in [1/5, 9/5]."""
    return 1 + 0.8 * path
