"""The guard of a drop ratio one step at a time, with all that it counts in lists: what columns must equal."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class OracleGuard:
    """Around a controller that always waits `slack`; a step is a list of delays."""

    slack: int
    drop_ratio: float
    reserve: float
    interval: int
    period: int
    closed: list[tuple[int, int, int]] = field(default_factory=list)  # at, arrived, late
    peaks: list[int] = field(default_factory=list)  # the largest delay of each closed interval
    delays: list[int] = field(default_factory=list)  # of the interval under way
    alarmed: bool = False

    def on_step(self, step: list[int]) -> int:
        """Return the slack after a step."""
        self.delays += step
        due, lost = sum(arrived for _, arrived, _ in self.closed), sum(late for *_, late in self.closed)
        left = self.drop_ratio * (due + len(self.delays)) - lost
        pace = self.drop_ratio * due * self.interval / (self.period - self.interval)
        behind = sum(delay > self.slack for delay in self.delays)
        self.alarmed = self.alarmed or behind > min(max(self.reserve * left, pace), left - 3)
        return max(self.slack, *self.peaks, *self.delays, 0) if self.alarmed else self.slack

    def on_boundary(self, at: int, late: int) -> None:
        """End an interval; remember all but one of a period for counts, and ten periods for peaks."""
        known = [*self.closed, (at, len(self.delays), late)]
        self.closed = [each for each in known if each[0] > at - (self.period - self.interval)]
        self.peaks = [*self.peaks, max(self.delays, default=0)][-10 * self.period // self.interval :]
        self.delays, self.alarmed = [], False
