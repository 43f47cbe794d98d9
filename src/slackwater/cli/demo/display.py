"""What the user sees while the queries run: a table that moves, or plain lines where there is no terminal."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import nullcontext

from rich import box
from rich.console import Console
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table

from slackwater.cli.demo.following import Following
from slackwater.report.html import milliseconds
from slackwater.report.tables import Summary

LOOK_EVERY = 0.25  # seconds
LINE_EVERY = 5.0  # seconds, where there is no terminal
MOST_SILENCE = 15.0  # seconds: without news a line says what is waited for
BAR = 10  # characters; all columns fit into a terminal of 80


def watch(
    queries: Sequence[Following],
    console: Console,
    *,
    clock: Callable[[], float] = time.monotonic,
    sleep: Callable[[float], None] = time.sleep,
) -> None:
    """Look at the queries until all are done, and show how far they are."""
    live = Live(console=console, auto_refresh=False) if console.is_terminal else None
    lines = PlainLines(console, clock)
    with live or nullcontext():
        while not all(query.done for query in queries):
            sleep(LOOK_EVERY)
            for query in queries:
                query.step()
            if live is not None:
                live.update(moving_table(queries), refresh=True)
            else:
                lines.show(queries)


class PlainLines:
    """A line for each query every few seconds, if there is news; if there is none for long, a line that says so."""

    def __init__(self, console: Console, clock: Callable[[], float]) -> None:
        self._console = console
        self._clock = clock
        self._started = clock()
        self._next = self._started + LINE_EVERY
        self._last = self._started
        self._shown: set[str] = set()

    def show(self, queries: Sequence[Following]) -> None:
        """Print what is new, if it is time to."""
        now = self._clock()
        if now < self._next:
            return
        self._next = now + LINE_EVERY
        news = [line for line in map(plain_line, queries) if line not in self._shown]
        if not news and now - self._last >= MOST_SILENCE:
            waited_for = ", ".join(query.policy for query in queries if not query.done)
            news = [f"waiting for the next micro-batch of {waited_for}"]
        else:
            self._shown.update(news)
        for line in news:
            self._last = now
            self._console.print(f"{now - self._started:4.0f} s  {line}", soft_wrap=True)


def moving_table(queries: Sequence[Following]) -> Table:
    """Return how far each query is."""
    total = max((query.total for query in queries), default=0)
    table = _table(f"One live stream of {total:,} rows, {len(queries)} policies")
    table.add_column("policy", no_wrap=True)
    table.add_column("", width=BAR)
    for head in ("rows", "rows/s", "slack", "late", "buffered"):
        table.add_column(head, justify="right", no_wrap=True)
    for query in queries:
        now = query.progress
        table.add_row(
            query.policy,
            _bar(now.arrived, query.total),
            f"{now.arrived:,}",
            f"{now.rows_per_second:,.0f}",
            milliseconds(now.slack),
            f"{now.late:,}",
            f"{now.buffered:,}",
        )
    return table


def plain_line(query: Following) -> str:
    """Return how far a query is, as one line without markup."""
    now = query.progress
    if not now.seen:
        return f"{query.policy}: starting"
    return (
        f"{query.policy}: {now.arrived:,} of {query.total:,} rows, {now.rows_per_second:,.0f} rows/s, "
        f"slack {milliseconds(now.slack)}, late {now.late:,}, buffered {now.buffered:,}"
        f"{'; drained, done' if query.done else '; now it is drained' if query.is_draining else ''}"
    )


def closing_table(summaries: Sequence[Summary]) -> Table:
    """Return what each policy led to."""
    table = _table("What each policy led to")
    table.add_column("policy", no_wrap=True)
    for head in ("rows", "released", "late %", "average slack", "max slack"):
        table.add_column(head, justify="right")
    for each in summaries:
        table.add_row(
            each.policy,
            f"{each.arrived:,}",
            f"{each.released:,}",
            f"{each.late_share:.3%}",
            milliseconds(each.average_slack),
            milliseconds(each.largest_slack),
        )
    return table


def _table(title: str) -> Table:
    return Table(title=title, title_justify="left", title_style="bold", box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))


def _bar(done: int, total: int) -> ProgressBar:
    return ProgressBar(
        total=max(total, 1),
        completed=done,
        width=BAR,
        complete_style="cyan",
        finished_style="green",
        pulse_style="cyan",
    )
