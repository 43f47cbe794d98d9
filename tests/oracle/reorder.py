"""K-slack one event at a time, written from the text of the documents: what the columnar operator must equal."""

from __future__ import annotations

import heapq
from dataclasses import dataclass, field


@dataclass
class OracleKSlack:
    """JI16 Sec. III-A, SUN15 Sec. 3.1.1. Events are (time, arrival, row); a step is a list of events."""

    release: str = "arrival"
    clock: int | None = None
    passed_on: int | None = None
    heap: list[tuple[int, int, int]] = field(default_factory=list)
    released: list[tuple[int, int]] = field(default_factory=list)  # (time, row)
    late: list[tuple[int, int, int]] = field(default_factory=list)  # (time, row, behind)

    def delays(self, step: list[tuple[int, int, int]]) -> list[int]:
        return [0 if self.clock is None else max(0, self.clock - time) for time, _, _ in step]

    def on_step(self, step: list[tuple[int, int, int]], slack: int) -> None:
        before = self.clock
        for event in step:
            heapq.heappush(self.heap, event)
            self.clock = event[0] if self.clock is None else max(self.clock, event[0])
        if self.release == "clock" and self.clock == before:
            return
        self._pass_on(self.clock - slack)

    def on_end(self) -> None:
        self._pass_on(2**63)

    def _pass_on(self, horizon: int) -> None:
        behind = self.passed_on
        while self.heap and self.heap[0][0] <= horizon:
            time, _, row = heapq.heappop(self.heap)
            if behind is not None and time < behind:
                self.late.append((time, row, behind))
            else:
                self.released.append((time, row))
                self.passed_on = time if self.passed_on is None else max(time, self.passed_on)
