"""Two streams whose delays get ten times as long for a while: how soon does a controller notice, and let go again?"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from slackwater.api import stream
from slackwater.experiments.frame.description import Engine
from slackwater.experiments.on_spark import count_on_spark
from slackwater.experiments.queries import JoinQuery
from slackwater.experiments.replay import Replay
from slackwater.experiments.subject import Subject
from slackwater.sources.arrange import START, Emitted, arrange
from slackwater.sources.delays import Random
from slackwater.time import Duration

RATE = 200  # events per second and stream
KEYS = 20
MEAN_DELAY = 20_000.0  # us
FACTOR = 10.0
QUERY = JoinQuery(
    streams=("left", "right"), on="key", within="1 second", period="10 seconds", adaptation_interval="500 ms"
)


@lru_cache(maxsize=3)
def step_replay(seed: int, duration: str, engine: Engine = "local") -> Replay:
    """Return the join of two streams whose delays are long in the second of three equal parts."""
    length = Duration.of(duration).microseconds
    randoms = np.random.default_rng(seed).spawn(len(QUERY.streams))
    emitted = {name: _stream(random, length) for name, random in zip(QUERY.streams, randoms, strict=True)}
    streams = tuple(
        stream(table, name=name, event_time="event_time", arrival="arrival", max_ahead=None)
        for name, table in arrange(emitted).items()
    )
    subject = Subject("step", "Delays ten times as long in the middle third.", QUERY, streams)
    return Replay(subject, run=count_on_spark if engine == "spark" else None)


def _stream(random: Random, length: int) -> Emitted:
    event_time = np.arange(0, length, 1_000_000 // RATE, dtype=np.int64)
    part = event_time * 3 // length
    mean = np.where(part == 1, FACTOR * MEAN_DELAY, MEAN_DELAY)
    delay = random.exponential(mean).astype(np.int64)
    return Emitted(START + event_time, START + event_time + delay, {"key": random.integers(0, KEYS, len(event_time))})
