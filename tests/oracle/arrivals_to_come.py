"""How many events of open windows are to come, slot by slot: what `models/arrivals_to_come.py` does with matrices."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from slackwater.estimate.completeness import Completeness

HALF_LIVES = (0.5, 1.0, 2.0, 4.0, 8.0, 16.0, math.inf)
TRENDS, USUAL = 5, 4
TRIALS_HALF_LIFE, SHARPNESS, NEARLY_ALL = 32.0, 10.0, 0.98


class ToCome:
    """The past as seen from a clock; a slot is named by how many it lies before that of the clock."""

    def __init__(self, past: Completeness, clock: int) -> None:
        slots = past.counts.slots
        self._past, self._slots, self._k, self._memory = past, slots, slots.per_slide, slots.remembered
        self._at = slots.position(clock)
        self._own = math.floor(self._at)
        self._counts = [float(past.counts.between(self._own - j, self._own - j + 1)[0]) for j in range(self._memory)]
        self._visible = [self._visible_then(j, self._at - self._own) for j in range(self._memory)]
        since = past.counts.since
        self._known = 0 if since is None else min(max(self._own + 1 - since, 0), self._memory)
        self._settled = next((j for j, share in enumerate(self._visible) if share >= NEARLY_ALL), self._memory)

    def rows(self, ends: Sequence[int], *, size: int, slack: int) -> list[float]:
        """Return how many events are to come in each window until it closes."""
        if self._known <= 1:
            return [0.0 for _ in ends]
        oldest = self._own - self._memory + 1
        begin = max(math.floor(self._slots.position(min(ends) - size)), oldest)
        number = range(begin, math.ceil(self._slots.position(max(ends))))
        if not number:
            return [0.0 for _ in ends]
        wanted = {end: [self._wanted(slot, end, size, slack) for slot in number] for end in ends}
        total = [sum(column) for column in zip(*wanted.values(), strict=True)]
        shares = self.shares()
        expected = [shares[slot % self._k] for slot in number]
        rate = self._rate(shares, [slot - self._own for slot in number], total, expected)
        return [rate * math.fsum(w * e for w, e in zip(wanted[end], expected, strict=True)) for end in ends]

    def shares(self) -> list[float]:
        """Return how the events of a slide are spread over its slots (a two-way table without its interactions)."""
        k, last = self._k, self._settled
        while (self._own - last) % k != k - 1:  # the last slot of a slide whose events have nearly all come
            last += 1
        slides = (self._known - last) // k
        if k < 4 or slides < 4:
            return [1.0] * k
        table = [[self._counts[last + i * k + k - 1 - slot] for slot in range(k)] for i in range(slides)]
        row = [sum(each) / k for each in table]
        mean = sum(row) / slides
        if mean == 0:
            return [1.0] * k
        slope = (row[0] - row[-1]) / (slides - 1) / k
        column = [sum(table[i][s] for i in range(slides)) / slides - slope * (s - (k - 1) / 2) for s in range(k)]
        left = sum((table[i][s] - column[s] - row[i] + mean) ** 2 for i in range(slides) for s in range(k))
        by_chance = left / (slides - 1) / (k - 1) / slides
        between = sum((each - mean) ** 2 for each in column)
        shrunk = max(0.0, 1 - (k - 3) * by_chance / between) if between else 0.0
        return [1 + shrunk * (each / mean - 1) for each in column]

    def _visible_then(self, behind: int, part: float) -> float:
        return float(self._past.visible(np.array([behind]), part=part)[0])

    def _wanted(self, slot: int, end: int, size: int, slack: int) -> float:
        """Return which share of a slot's events is in a window and comes between now and when that closes."""
        first, last, closing = (self._slots.position(time) for time in (end - size, end, end + slack))
        inside = min(max(min(slot + 1, last) - max(slot, first), 0.0), 1.0)
        now = self._visible[self._own - slot] if slot <= self._own else 0.0
        then = self._visible_then(math.floor(closing) - slot, closing - math.floor(closing))
        return inside * max(then - now, 0.0)

    def _rate(self, shares: list[float], offsets: list[int], wanted: list[float], expected: list[float]) -> float:
        ahead = math.fsum(o * w for o, w in zip(offsets, wanted, strict=True)) / max(math.fsum(wanted), 1e-9) / self._k
        rates = self._rates(shares, 0, ahead)
        trials = [
            ago for ago in range(1, (self._memory - self._memory // 2) // self._k + 1) if self._is_known(ago, offsets)
        ]
        if not trials:
            return rates[USUAL]
        errors = [0.0] * len(rates)
        for ago in trials:
            came = math.fsum(self._counts[ago * self._k - o] * w for o, w in zip(offsets, wanted, strict=True))
            due = math.fsum(e * w for e, w in zip(expected, wanted, strict=True))
            for way, rate in enumerate(self._rates(shares, ago, ahead)):
                errors[way] += 0.5 ** (ago / TRIALS_HALF_LIFE) * (rate * due - came) ** 2
        trust = [(error / max(min(errors), 1e-9) + 1e-9) ** -SHARPNESS for error in errors]
        return math.fsum(r * t for r, t in zip(rates, trust, strict=True)) / math.fsum(trust)

    def _is_known(self, ago: int, offsets: list[int]) -> bool:
        """Whether all of what was to come so many slides ago has, and a slide before it is remembered."""
        behind = ago * self._k
        complete = behind - offsets[-1] >= self._settled and behind - offsets[0] < self._memory
        return complete and behind + max(self._k, -offsets[0]) <= self._known

    def _rates(self, shares: list[float], ago: int, ahead: float) -> list[float]:
        """Return the rate over each half-life, as it was seen so many slides ago, and where pairs of them point to."""
        averages = []
        for half_life in HALF_LIVES:
            seen = ready = 0.0
            for j in range(min(self._memory // 2, self._known - ago * self._k)):
                weight = 0.5 ** (j / self._k / half_life)
                seen += weight * self._counts[ago * self._k + j] * (self._visible[j] if ago else 1.0)
                ready += weight * shares[(self._own - j) % self._k] * self._visible[j]
            averages.append(seen / max(ready, 1e-9))
        pairs = zip(averages[:TRENDS], averages[1:], HALF_LIVES[:TRENDS], HALF_LIVES[1:], strict=False)
        trends = [
            max(one + (one - two) / ((h2 - h1) / math.log(2)) * (h1 / math.log(2) + ahead), 0.0)
            for one, two, h1, h2 in pairs
        ]
        return averages + trends
