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
        if self.clock is not None:
            self._close(self.clock - slack)

    def on_end(self) -> None:
        self._close(2**62)

    def _close(self, horizon: int) -> None:
        self.horizon = horizon if self.horizon is None else max(horizon, self.horizon)
        for w in sorted(w for w in self.windows if (w + 1) * self.slide <= self.horizon):
            for group, rows in sorted(self.windows.pop(w).items()):
                self._final(w, group, rows)

    def _final(self, w: int, group: int, rows: list[int]) -> None:
        self.closed.append((w, group, tuple(sorted(rows))))


@dataclass
class ProddedAggregate(OracleAggregate):
    """With prods and punctuations (PROD ch. 3, 6.2); after each step of events comes what acts then.

    `shown` has (kind, window, group, rows, revision) in the order in which they leave.
    """

    leads: tuple[int, ...] = ()
    every: int | None = None
    shown: list[tuple[str, int, int, tuple[int, ...], int]] = field(default_factory=list)
    liars: list[int] = field(default_factory=list)
    answers: list[int] = field(default_factory=list)
    promises: list[tuple[int, int, int | None]] = field(default_factory=list)  # since, until, group
    ranges: list[tuple[int, int]] = field(default_factory=list)  # apart from each other
    until: int = -(2**62)  # of punctuations for all
    counts: dict[tuple[int, int], int] = field(default_factory=dict)
    before: int | None = None  # the clock before the last step

    def on_step(self, step: list[tuple[int, int, int]], slack: int) -> None:
        self.before, grammatical = self.clock, []
        for time, group, row in step:
            if any(since <= time < until and of in (None, group) for since, until, of in self.promises):
                self.liars.append(row)
            else:
                grammatical.append((time, group, row))
        if not grammatical:
            return
        super().on_step(grammatical, slack)

    def on_punctuation(self, until: int, group: int | None, since: int | None) -> None:
        if group is None and since is None:
            self._close(until)
        first, last = self._united(until, group, since)
        for w in sorted(self.windows):
            if (w + 1) * self.slide - self.size >= first and (w + 1) * self.slide <= last:
                for each in sorted(self.windows[w]):
                    if group in (None, each):
                        self._final(w, each, self.windows[w].pop(each))
        self.promises.append((-(2**62) if since is None else since, until, group))

    def _united(self, until: int, group: int | None, since: int | None) -> tuple[int, int]:
        """Return from when to when windows end: a range with those that it meets, and that were not overtaken."""
        if group is not None:
            return -(2**62), until
        if since is not None:
            meeting = [each for each in self.ranges if since <= each[1] and each[0] <= until]
            self.ranges = [each for each in self.ranges if each not in meeting]
            self.ranges.append(
                (min(since, *(s for s, _ in meeting), since), max(until, *(u for _, u in meeting), until))
            )
        else:
            self.until = max(self.until, until)
        united = self.ranges[-1] if since is not None else (-(2**62), until)
        self.ranges = [each for each in self.ranges if each[1] > self.until]
        return united if since is None or united in self.ranges else (since, until)

    def on_prods(self, prods: list[tuple[int | None, int | None]]) -> None:
        """Show what the clock or any of the prods (until, group) that came together asks for, once."""

        def asks(prod: tuple[int | None, int | None], w: int, group: int) -> bool:
            return (prod[0] is None or (w + 1) * self.slide <= prod[0]) and prod[1] in (None, group)

        found = [(w, group) for w, groups in self.windows.items() for group in groups]
        self.answers += [sum(asks(prod, *each) for each in found) for prod in prods]
        for w, group in sorted(found):
            if self._due(w) or any(asks(prod, w, group) for prod in prods):
                self._show("early", w, group, self.windows[w][group])

    def _due(self, w: int) -> bool:
        if self.clock is None:
            return False
        start = -(2**62) if self.before is None else self.before
        if self.every is not None and start // self.every != self.clock // self.every:
            return True
        return any(start < (w + 1) * self.slide - lead <= self.clock for lead in self.leads)

    def _final(self, w: int, group: int, rows: list[int]) -> None:
        self._show("final", w, group, rows)

    def _show(self, kind: str, w: int, group: int, rows: list[int]) -> None:
        number = self.counts.get((w, group), 0)
        self.counts[w, group] = number + 1
        self.shown.append((kind, w, group, tuple(sorted(rows)), number))
