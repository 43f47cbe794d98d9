"""Random streams: all shapes of delays, and all that goes wrong with clocks and senders."""

from __future__ import annotations

from random import Random

import numpy as np

from tests.simulation.case import FUTURE, Row

DELAYS = ("none", "uniform", "exponential", "heavy", "bimodal", "drift")


def random_rows(random: Random, *, streams: int, most: int, pace: int, marks: bool = False) -> tuple[Row, ...]:
    """Return rows in arrival order; `pace` is how many ms the time of senders moves from row to row."""
    count = random.choice([0, 1, 2, *[random.randint(3, most)] * 17])
    numbers = np.random.default_rng(random.getrandbits(32))
    sent = _sending_times(random, numbers, count, pace)
    times = sent - _delays(random.choice(DELAYS), numbers, count, pace)
    origin = random.choice([0, 0, -(count * pace) // 2, 1_700_000_000_000])
    silent = random.randrange(streams) if streams > 1 and random.random() < 0.1 else None
    behind = [random.choice([0, 0, 0, 4 * pace]) for _ in range(streams)]
    steps = _steps(random, count)
    keys, skew = random.choice([1, 3, 8]), random.choice([0.0, 2.0])
    rows = []
    for i in range(count):
        stream = random.choice([s for s in range(streams) if s != silent])
        key = min(int(random.random() ** (1 + skew) * keys), keys - 1)
        rows.append(
            Row(
                stream,
                steps[i],
                _unusable(random, int(times[i]) + origin - behind[stream]),
                None if random.random() < 0.05 else "abcdefgh"[key],
                None if random.random() < 0.08 else random.randint(0, 9),
            )
        )
        if rows and random.random() < 0.04:
            rows[-1] = rows[random.randrange(len(rows))]._replace(step=steps[i])  # a duplicate
        if marks and random.random() < 0.08:
            rows[-1] = _mark(random, rows[-1], pace)
    return tuple(rows)


def _sending_times(random: Random, numbers: np.random.Generator, count: int, pace: int) -> np.ndarray:
    """Return when rows were sent: steadily, in bursts, with stalls, or many at once."""
    gaps = np.full(count, pace, np.int64)
    how = random.choice(["steady", "steady", "bursts", "stalls", "equal", "random"])
    if how == "bursts":
        gaps[numbers.random(count) < 0.7] = 0
        gaps *= 3
    elif how == "stalls":
        gaps[numbers.random(count) < 0.03] *= random.choice([30, 1_000])
    elif how == "equal":
        gaps[numbers.random(count) < 0.9] = 0
    elif how == "random":
        gaps = numbers.integers(0, 2 * pace + 1, count)
    return np.cumsum(gaps)


def _delays(shape: str, numbers: np.random.Generator, count: int, pace: int) -> np.ndarray:
    chosen = {
        "none": lambda: np.zeros(count),
        "uniform": lambda: numbers.integers(0, 10 * pace, count),
        "exponential": lambda: numbers.exponential(4 * pace, count),
        "heavy": lambda: np.minimum(numbers.pareto(1.2, count) * pace, 300 * pace),
        "bimodal": lambda: np.where(numbers.random(count) < 0.9, 0, 20 * pace),
        "drift": lambda: numbers.exponential(1 + np.arange(count) / max(count, 1) * 12 * pace, count),
    }
    return np.asarray(chosen[shape](), np.float64).astype(np.int64)


def _steps(random: Random, count: int) -> list[int]:
    """Return when rows come: one by one, or some together."""
    if random.random() < 0.7:
        return list(range(count))
    share, steps, step = random.choice([0.2, 0.6, 0.95]), [], 0
    for _ in range(count):
        steps.append(step)
        step += random.random() >= share
    return steps


def _unusable(random: Random, time: int) -> int | None:
    """Let a few rows have no time, or one from the future."""
    chance = random.random()
    if chance < 0.015:
        return None
    return FUTURE + random.randrange(5) if chance < 0.03 else time


def _mark(random: Random, row: Row, pace: int) -> Row:
    """Make a prod or a punctuation of an event."""
    if not row.usable:
        return row
    if random.random() < 0.5:
        until = random.choice([None, row.ts + 5 * pace])
        return row._replace(ts=until, key=random.choice([None, row.key]), x=None, what="prod")
    group, until = random.choice([None, row.key]), row.ts - 8 * pace
    since = until - random.randint(1, 40) * pace if group is None and random.random() < 0.5 else None
    return row._replace(ts=until, key=group, x=None, what="punctuation", since=since)
