"""A profile one event at a time: what the compiled kernels must agree with."""

from __future__ import annotations

from collections import Counter
from itertools import groupby


def delays_of(times: list[int], arrivals: list[int]) -> list[int]:
    """Return the delay of each event against the largest time of all steps before its own."""
    clock, found = None, []
    for _, step in groupby(zip(arrivals, times, strict=True), key=lambda each: each[0]):
        together = [time for _, time in step]
        found += [0 if clock is None else max(0, clock - time) for time in together]
        clock = max(together) if clock is None else max(clock, *together)
    return found


def own_delays_of(times: list[int], arrivals: list[int], keys: list[str]) -> dict[str, list[int]]:
    """Return the delays of each key's events against the key's own clock."""
    rows = {key: [at for at, each in enumerate(keys) if each == key] for key in Counter(keys)}
    return {
        key: delays_of([times[at] for at in places], [arrivals[at] for at in places]) for key, places in rows.items()
    }


def skews_of(times: list[int], arrivals: list[int], keys: list[str]) -> dict[str, list[int]]:
    """Return how far the clock of each key is behind that of all, as of each of its events."""
    found: dict[str, list[int]] = {key: [] for key in Counter(keys)}
    clock: int | None = None
    own: dict[str, int] = {}
    for _, step in groupby(zip(arrivals, times, keys, strict=True), key=lambda each: each[0]):
        together = [(time, key) for _, time, key in step]
        for time, key in together:
            of_all = time if clock is None else max(clock, time)
            found[key].append(of_all - max(own.get(key, time), time))
        for time, key in together:
            own[key] = max(own.get(key, time), time)
            clock = time if clock is None else max(clock, time)
    return found


def gaps_of(times: list[int], arrivals: list[int], most: int) -> list[tuple[int, int]]:
    """Return the largest jumps of the clock between steps, as (from, to)."""
    clock, found = None, []
    for _, step in groupby(zip(arrivals, times, strict=True), key=lambda each: each[0]):
        highest = max(time for _, time in step)
        if clock is not None and highest > clock:
            found.append((clock, highest))
        clock = highest if clock is None else max(clock, highest)
    return sorted(found, key=lambda gap: (gap[0] - gap[1], gap[0]))[:most]
