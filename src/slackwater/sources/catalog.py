"""Every dataset by name: the generators of the documents' streams, and the real sets of the shared data folder."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from slackwater.errors import DatasetError, ParameterError
from slackwater.sources.dataset import Dataset
from slackwater.sources.freeway import freeway
from slackwater.sources.poisson import poisson, poisson_changing
from slackwater.sources.real import REAL, first_part
from slackwater.sources.soccer import soccer
from slackwater.sources.step import step
from slackwater.sources.syn import syn3, syn4
from slackwater.sources.traffic import traffic
from slackwater.sources.values import values
from slackwater.sources.wireless import wireless
from slackwater.time import Duration, DurationLike
from slackwater.wording import did_you_mean

GENERATED: Mapping[str, Callable[..., Dataset]] = {
    "syn3": syn3,
    "syn4": syn4,
    "soccer": soccer,
    "soccer-23min": partial(soccer, game="23min"),
    "soccer-16min": partial(soccer, game="16min"),
    "poisson": poisson,
    "poisson-changing": poisson_changing,
    "traffic": traffic,
    "traffic-growing": partial(traffic, policy="growing"),
    "wireless": wireless,
    "values": values,
    "values-normal": partial(values, distribution="normal"),
    "freeway": freeway,
    "step": step,
    "step-lag": partial(step, lag="1 second"),
}
NAMES: tuple[str, ...] = (*GENERATED, *REAL)


def load(name: str, *, seed: int = 1, duration: DurationLike | None = None, part: str | None = None) -> Dataset:
    """Return a dataset by its name, one of `NAMES`.

    `seed` drives the generators (real sets ignore it), `duration` shortens or lengthens a generated set and keeps the
    first of a real one, `part` picks a part of a real set (umts: "D-1", the default, to "D-5"; nezha: a day; zeek: a
    log or "merged"; flights: "departures" or "arrivals").

    >>> load("syn3", duration="1 second").rows
    300
    """
    if name in REAL:
        real = REAL[name](part)
        return real if duration is None else first_part(real, Duration.of(duration))
    if name not in GENERATED:
        remedy = f"{did_you_mean(name, NAMES)}the names are: {', '.join(NAMES)}"
        raise DatasetError(name, problem="is not known", remedy=remedy)
    if part is not None:
        raise ParameterError("part", part, must=f"be left out for {name}", remedy="only real sets have parts")
    length = {} if duration is None else {"duration": duration}
    return GENERATED[name](seed=seed, **length)
