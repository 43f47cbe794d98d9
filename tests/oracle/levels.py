"""Two aggregates, one over the results of the other, one event at a time and every answer from scratch."""

from __future__ import annotations

from dataclasses import dataclass, field

from tests.oracle.aggregate import OracleAggregate


@dataclass
class TwoLevels:
    """Counts rows and the largest of them by window below, sums and maxima of these above.

    `shown` has (kind, window, group, rows counted, largest, results below, revision) in the order in which they leave.
    """

    below: OracleAggregate
    size: int
    slide: int
    leads: tuple[int, ...]
    group_of: dict[int, int]  # the group above, for each group below
    shown: list[tuple[str, int, int, int, int, int, int]] = field(default_factory=list)
    closed: set[int] = field(default_factory=set)
    counts: dict[tuple[int, int], int] = field(default_factory=dict)

    def on_step(self, step: list[tuple[int, int, int]], slack: int) -> None:
        before = -(2**62) if self.below.clock is None else self.below.clock
        self.below.on_step(step, slack)
        self._close(self.below.horizon // self.below.slide * self.below.slide)
        results = self._results(open_too=True)
        for w, group in sorted(results):
            end = (w + 1) * self.slide
            if w not in self.closed and any(before < end - lead <= self.below.clock for lead in self.leads):
                self._show("early", w, group, results[w, group])

    def on_end(self) -> None:
        self.below.on_end()
        self._close(2**62)

    def _close(self, until: int) -> None:
        results = self._results(open_too=False)
        due = sorted({w for w, _ in results if (w + 1) * self.slide <= until} - self.closed)
        for w in due:
            for group in sorted(group for v, group in results if v == w):
                self._show("final", w, group, results[w, group])
        self.closed.update(due)

    def _results(self, *, open_too: bool) -> dict[tuple[int, int], list[tuple[int, ...]]]:
        found = list(self.below.closed)
        if open_too:
            found += [(w, g, tuple(rows)) for w, groups in self.below.windows.items() for g, rows in groups.items()]
        out: dict[tuple[int, int], list[tuple[int, ...]]] = {}
        for w, group, rows in found:
            time = (w + 1) * self.below.slide - 1
            for above in range(time // self.slide, (time + self.size) // self.slide):
                out.setdefault((above, self.group_of[group]), []).append(rows)
        return out

    def _show(self, kind: str, w: int, group: int, parts: list[tuple[int, ...]]) -> None:
        number = self.counts.get((w, group), 0)
        self.counts[w, group] = number + 1
        largest = max(map(max, parts))
        self.shown.append((kind, w, group, sum(map(len, parts)), largest, len(parts), number))
