"""Two streams whose delays get ten times as long for a while: how soon does a controller notice, and let go again?"""

from __future__ import annotations

import numpy as np

from slackwater.sources.arrange import START, Emitted, arrange
from slackwater.sources.dataset import Dataset
from slackwater.sources.delays import Random
from slackwater.time import Duration, DurationLike, Times

RATE = 200  # events per second and stream
KEYS = 20
MEAN_DELAY = Duration.of("20 ms")
FACTOR = 10


def step(*, lag: DurationLike | None = None, seed: int = 1, duration: DurationLike = "3 minutes") -> Dataset:
    """Make `left` and `right` (key), 200 events a second each, with long delays in the second of three equal parts.

    Delays are exponential, 20 ms on average and 200 ms in the middle. With `lag` every event comes at once instead, but
    all of `right` are that far behind, in the middle ten times as far: what streams that wait for each other notice.

    >>> {name: table.num_rows for name, table in step(duration="3 seconds").streams.items()}
    {'left': 600, 'right': 600}
    """
    length = Duration.of(duration)
    behind = None if lag is None else Duration.of(lag, parameter="lag")
    randoms = np.random.default_rng(seed).spawn(2)
    streams = {
        name: _stream(random, length, name, behind) for name, random in zip(("left", "right"), randoms, strict=True)
    }
    name, what = ("step", "delays") if behind is None else ("step-lag", f"a lag of {behind}")
    return Dataset(name, arrange(streams), f"{what}, ten times as long in the middle third, {length}. Seed {seed}.")


def _stream(random: Random, length: Duration, name: str, lag: Duration | None) -> Emitted:
    event_time = np.arange(0, length.microseconds, 1_000_000 // RATE, dtype=np.int64)
    longer = np.where(event_time * 3 // length.microseconds == 1, FACTOR, 1)
    delay = random.exponential(longer * float(MEAN_DELAY.microseconds)).astype(np.int64)
    came = event_time + (delay if lag is None else longer * (lag.microseconds if name == "right" else 0))
    return Emitted(START + event_time, START + _in_order(came, lag), {"key": random.integers(0, KEYS, len(event_time))})


def _in_order(came: Times, lag: Duration | None) -> Times:
    """Return arrivals; with a lag a stream stays in its own order: one that falls behind is silent meanwhile."""
    return came if lag is None else np.maximum.accumulate(came)
