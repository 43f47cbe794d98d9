"""Measurements of a join, made by hand or at random."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from slackwater.measurement import Counts, Joined, Measurement, StreamArrivals

MS = 1_000
SECOND = 1_000_000


def joined(rows: Sequence[tuple[int, bool, float, float]] = ()) -> Joined:
    """Rows of delay in ms, in order, cross, results."""
    delay, in_order, cross, results = zip(*rows, strict=True) if rows else ((), (), (), ())
    return Joined(
        np.array(delay, np.int64) * MS, np.array(in_order, bool), np.array(cross, float), np.array(results, float)
    )


def measured(
    *delays: Sequence[int],
    ahead: Sequence[int] | None = None,
    intervals: int = 1,
    joined: Joined | None = None,
    slack: int = 0,
) -> Measurement:
    """What arrived, given the delays of each stream and how far it was ahead throughout, all in ms."""
    ahead = ahead or [0] * len(delays)
    streams = tuple(
        StreamArrivals(np.array(stream, np.int64) * MS, np.full(len(stream), lead * MS, np.int64))
        for stream, lead in zip(delays, ahead, strict=True)
    )
    together = np.concatenate([stream.delays for stream in streams])
    return Measurement(
        at=0,
        intervals=intervals,
        slack=slack * MS,
        max_delay=int(together.max(initial=0)),
        delays=together,
        counts=Counts(),
        streams=streams,
        joined=joined,
    )


def random_measurements(count: int, *, streams: int = 2, seed: int = 1) -> Iterator[Measurement]:
    """Intervals, parts of intervals and silences of a join whose disorder changes half way."""
    rng = np.random.default_rng(seed)
    for turn in range(count):
        scale = 30 if turn < count // 2 else 300
        delays = [rng.exponential(scale, rng.integers(0, 60)).astype(int) for _ in range(streams)]
        ahead = rng.integers(0, 40, streams).tolist()
        rows = [
            (int(delay), bool(delay < 50), float(rng.integers(1, 90) * (delay < 50)), float(delay < 20))
            for delay in np.concatenate(delays)
        ]
        yield measured(*delays, ahead=ahead, intervals=int(rng.integers(0, 3)), joined=joined(rows), slack=50)


def cut_in_two(measurement: Measurement, share: float) -> tuple[Measurement, Measurement]:
    """The same interval as two measurements: a part of it, and the rest."""

    def part(first: bool) -> Measurement:
        def half(column):
            at = int(len(column) * share)
            return column[:at] if first else column[at:]

        found = measurement.joined
        return Measurement(
            at=measurement.at,
            intervals=0 if first else measurement.intervals,
            slack=measurement.slack,
            max_delay=0,
            delays=half(measurement.delays),
            counts=measurement.counts,
            streams=tuple(StreamArrivals(half(s.delays), half(s.ahead)) for s in measurement.streams),
            joined=Joined(half(found.delay), half(found.in_order), half(found.cross), half(found.results)),
        )

    return part(True), part(False)
