"""D_syn of JI16 Sec. VI: three or four synchronized streams with Zipf delays and drifting keys."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from slackwater.sources.arrange import Emitted, arrange
from slackwater.sources.dataset import Dataset
from slackwater.sources.delays import Random, zipf_delays, zipf_ranks
from slackwater.time import Duration, DurationLike, Times

FIRST_TICK = Duration.of("1000 seconds")  # ts_ini of the document; large enough that no event time is negative
TICK = Duration.of("10 ms")  # 100 events per second and stream
LONGEST_DELAY = Duration.of("20 seconds")
DELAY_UNIT = Duration.of("100 ms")
KEYS = 100
MAX_KEY_SKEW = 5.0
TICKS_PER_MINUTE = 6_000


def syn3(*, seed: int = 1, duration: DurationLike = "30 minutes") -> Dataset:
    """Make D_syn x3 of JI16 Sec. VI: three streams of (a1), delay skews 2.0, 3.0, 3.0.

    Each stream has 100 events per second. A delay of 0, 0.1, ... 20 s is drawn by Zipf's law; a1 in 1..100 also, with a
    skew that starts at 1 and changes to another of [0, 5] every 1 to 10 minutes.

    >>> dataset = syn3(duration="1 second")
    >>> dataset.streams["s2"].column_names, dataset.rows
    (['event_time', 'arrival', 'arrival_time', 'a1'], 300)
    """
    schema = {"s1": ("a1",), "s2": ("a1",), "s3": ("a1",)}
    return _syn("syn3", schema, delay_skews=(2.0, 3.0, 3.0), seed=seed, duration=duration)


def syn4(*, seed: int = 1, duration: DurationLike = "30 minutes") -> Dataset:
    """Make D_syn x4 of JI16 Sec. VI: s1 (a1, a2, a3), s2 (a1), s3 (a2), s4 (a3), delay skews 3, 3, 3, 4.

    The document prints z_1 twice; the second one is read as z_4.

    >>> syn4(duration="1 second").streams["s1"].column_names[3:]
    ['a1', 'a2', 'a3']
    """
    schema = {"s1": ("a1", "a2", "a3"), "s2": ("a1",), "s3": ("a2",), "s4": ("a3",)}
    return _syn("syn4", schema, delay_skews=(3.0, 3.0, 3.0, 4.0), seed=seed, duration=duration)


def _syn(
    name: str,
    schema: Mapping[str, tuple[str, ...]],
    *,
    delay_skews: Sequence[float],
    seed: int,
    duration: DurationLike,
) -> Dataset:
    ticks = Duration.of(duration).microseconds // TICK.microseconds
    randoms = np.random.default_rng(seed).spawn(len(schema))
    streams = {
        stream: _stream(random, ticks, keys=keys, delay_skew=skew)
        for (stream, keys), random, skew in zip(schema.items(), randoms, delay_skews, strict=True)
    }
    skews = ", ".join(map(str, delay_skews))
    return Dataset(
        name,
        arrange(streams),
        f"JI16 Sec. VI, synthetic data with {len(schema)} streams: 100 events/s each, Zipf delays in [0, 20] s in "
        f"units of 100 ms with skews {skews}, Zipf keys in 1..100 whose skew changes after 1 to 10 min. Seed {seed}.",
    )


def _stream(random: Random, ticks: int, *, keys: tuple[str, ...], delay_skew: float) -> Emitted:
    clock = FIRST_TICK.microseconds + TICK.microseconds * np.arange(1, ticks + 1, dtype=np.int64)
    given = zipf_delays(random, ticks, skew=delay_skew, longest=LONGEST_DELAY, unit=DELAY_UNIT)
    payload = {key: _drifting_keys(random, ticks) for key in keys}
    return Emitted(event_time=clock - given, arrival_time=clock, payload=payload)


def _drifting_keys(random: Random, ticks: int) -> Times:
    """Draw keys piece by piece: a piece lasts 1 to 10 minutes and has one skew."""
    pieces: list[Times] = []
    skew, left = 1.0, ticks
    while left > 0:
        length = min(left, int(random.uniform(1, 10) * TICKS_PER_MINUTE))
        pieces.append(zipf_ranks(random, length, skew=skew, ranks=KEYS))
        skew, left = random.uniform(0, MAX_KEY_SKEW), left - length
    return np.concatenate(pieces) if pieces else np.empty(0, dtype=np.int64)
