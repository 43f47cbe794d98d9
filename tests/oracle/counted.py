"""KIM Algorithm 1 one event at a time, written from the text of the document: what the columnar run must equal."""

from __future__ import annotations

import math
import statistics
from dataclasses import dataclass, field


@dataclass
class OracleCounted:
    """`size(sigma, theta)` gives n; times are plain numbers. Before the first estimate everything is kept."""

    size: object
    estimate_every: int
    sample_every: int
    samples: int
    n: float = math.inf
    c: int = 0
    t_l: int | None = None
    estimator: list[tuple[int, int]] = field(default_factory=list)
    buffer: list[tuple[int, int]] = field(default_factory=list)  # (time, row), sorted
    sent: list[tuple[int, int]] = field(default_factory=list)  # (row, sent while c was)
    dropped: list[int] = field(default_factory=list)
    sizes: list[float] = field(default_factory=list)

    def on_event(self, t: int, u: int) -> None:
        if self.c % self.sample_every == 0:
            self.estimator = [*self.estimator, (t, u)][-self.samples :]
        if self.c % self.estimate_every == 0 and len(self.estimator) >= self.samples:
            self.n = self.size(*self._parameters())
            while len(self.buffer) > self.n:
                self._send_earliest()
            self._refresh()
        if self.t_l is not None and t < self.t_l:
            self.dropped.append(self.c)
        elif self.t_l is not None and t == self.t_l:
            self.sent.append((self.c, self.c))
        else:
            self.buffer = sorted([*self.buffer, (t, self.c)])
            if len(self.buffer) > self.n:
                self._send_earliest()
            self._refresh()
        self.sizes.append(self.n)
        self.c += 1

    def _send_earliest(self) -> None:
        self.sent.append((self.buffer.pop(0)[1], self.c))

    def _refresh(self) -> None:
        """The earliest timestamp in the buffer, once the buffer is bounded."""
        self.t_l = self.buffer[0][0] if self.buffer and math.isfinite(self.n) else None

    def _parameters(self) -> tuple[float, float]:
        sigma = statistics.stdev(u - t for t, u in self.estimator)
        times = [u for _, u in self.estimator]
        return sigma, (times[-1] - times[0]) / (len(times) - 1) / self.sample_every
