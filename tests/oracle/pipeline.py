"""The reorder operator one step at a time: guard, K-slack, boundaries, and a slack for each interval from a script."""

from __future__ import annotations

from dataclasses import dataclass, field

from tests.oracle.reorder import OracleKSlack


@dataclass
class OraclePipeline:
    """Asks for the next slack of the script whenever the clock enters another interval."""

    slacks: tuple[int, ...]
    interval: int
    release: str = "arrival"
    turn: int = 0
    arrived: int = 0
    turned_away: list[int] = field(default_factory=list)  # rows
    decisions: list[tuple[int, ...]] = field(default_factory=list)
    kslack: OracleKSlack = field(init=False)
    largest_delay: int = 0

    def __post_init__(self) -> None:
        self.kslack = OracleKSlack(release=self.release)

    @property
    def slack(self) -> int:
        return self.slacks[min(self.turn, len(self.slacks) - 1)]

    def on_step(self, step: list[tuple[int | None, int, int]]) -> None:
        """Take in the (time, arrival, row) of events that arrive together; None has no usable time."""
        self.arrived += len(step)
        self.turned_away += [row for time, _, row in step if time is None]
        usable = [event for event in step if event[0] is not None]
        if not usable:
            return
        before = self.kslack.clock
        self.largest_delay = max([self.largest_delay, *self.kslack.delays(usable)])
        self.kslack.on_step(usable, self.slack)
        crossed = 0 if before is None else self.kslack.clock // self.interval - before // self.interval
        if crossed:
            self._decide(crossed)
            self.turn += 1

    def on_end(self) -> None:
        self.kslack.on_end()
        if self.kslack.clock is not None:
            self._decide(1)

    def _decide(self, intervals: int) -> None:
        late = len(self.kslack.late) + len(self.turned_away)
        counts = (self.arrived, len(self.kslack.released), late)
        self.decisions.append((self.kslack.clock, intervals, self.slack, self.largest_delay, *counts))
        self.largest_delay = 0
