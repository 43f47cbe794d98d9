"""Window aggregates one event at a time, with every window's events in a list: what columns must equal."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class OracleAggregate:
    """PROD Sec. 2.2: an event goes to windows wid_from to wid_to; a step is a list of (time, group, row)."""

    size: int
    slide: int
    clock: int | None = None
    horizon: int | None = None
    windows: dict[int, dict[int, list[int]]] = field(default_factory=dict)  # window -> group -> rows
    closed: list[tuple[int, int, tuple[int, ...]]] = field(default_factory=list)
    late: list[int] = field(default_factory=list)

    def on_step(self, step: list[tuple[int, int, int]], slack: int) -> None:
        for time, group, row in step:
            numbers = range(time // self.slide, (time + self.size) // self.slide)
            open_ = [w for w in numbers if self.horizon is None or (w + 1) * self.slide > self.horizon]
            if not open_:
                self.late.append(row)
            for w in open_:
                self.windows.setdefault(w, {}).setdefault(group, []).append(row)
            self.clock = time if self.clock is None else max(time, self.clock)
        self._close(self.clock - slack)

    def on_end(self) -> None:
        self._close(2**62)

    def _close(self, horizon: int) -> None:
        self.horizon = horizon if self.horizon is None else max(horizon, self.horizon)
        for w in sorted(w for w in self.windows if (w + 1) * self.slide <= self.horizon):
            for group, rows in sorted(self.windows.pop(w).items()):
                self.closed.append((w, group, tuple(sorted(rows))))
