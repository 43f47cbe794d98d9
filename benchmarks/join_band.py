"""Joins by distance: nearby cells against every pair within the windows, what is chosen, and DuckDB.

The data are the positions of two teams (`sources.soccer`); the windows grow, so that a place on the pitch offers more
and more partners. DuckDB gets the rows sorted. Results are checked to be equal first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Literal

import duckdb

import slackwater as sw
from benchmarks.harness import Case, discarding, nothing
from slackwater.core.work import Work
from slackwater.local.join import LocalJoin, run_join
from slackwater.sources.soccer import soccer

Kernel = Literal["band", "nested"]


def cases(*, quick: bool) -> Iterator[Case]:
    """Windows of 1, 5 and 30 seconds, 5 meters; then a radius in which everybody is, where cells cannot pay."""
    for seconds in (1, 5) if quick else (1, 5, 30):
        yield from _compared(seconds, meters=5, duration="30 seconds" if quick else "120 seconds")
    yield from _compared(1, meters=60, duration="10 seconds")


def _compared(seconds: int, *, meters: int, duration: str) -> Iterator[Case]:
    streams = soccer(duration=duration).streams
    near = f"dist(team_a.xcoord, team_a.ycoord, team_b.xcoord, team_b.ycoord) < {meters}"
    joined = sw.join(
        *(sw.stream(table, name=name, event_time="event_time", arrival="arrival") for name, table in streams.items()),
        where=near, within=f"{seconds} seconds", contract=sw.FixedSlack("60 seconds"),
    )  # fmt: skip
    assert isinstance(joined, LocalJoin)
    duck = _duck(joined, meters, seconds)
    expected = duck()
    assert expected == _count(joined, "band") == _count(joined, "nested") == _count(joined, None)
    rows = [table.num_rows for table in joined.tables]
    config = {"rows": rows, "window_s": seconds, "radius_m": meters, "results": expected}
    name = f"by distance, {meters} m, {seconds} s"
    rivals: list[tuple[str, Callable[[], object]]] = [
        ("nested", lambda: _count(joined, "nested")),
        ("band", lambda: _count(joined, "band")),
        ("DuckDB, sorted input", duck),
    ]
    for rival_name, rival in rivals:
        limit = 1.0 if rival is duck else 1.25  # the chosen kernel is one of the two: the rest is noise
        yield Case(name, lambda: nothing(_count(joined, None)), discarding(rival), limit, rival_name, config)


def _count(joined: LocalJoin, only: Kernel | None) -> int:
    """List all results with one kernel, or with the one that is chosen."""
    run = run_join(joined.node, joined.tables, processing_time=joined.processing_time, work=Work(only))
    return sum(len(outcome.results) for outcome in run if outcome.results is not None)


def _duck(joined: LocalJoin, meters: int, seconds: int) -> Callable[[], int]:
    tables = [table.sort_by("event_time") for table in joined.tables]
    far = "(a.xcoord - b.xcoord) * (a.xcoord - b.xcoord) + (a.ycoord - b.ycoord) * (a.ycoord - b.ycoord)"
    window = (
        f"a.event_time between b.event_time - interval {seconds} seconds and b.event_time + interval {seconds} seconds"
    )
    latest = "greatest(a.event_time, b.event_time) as event_time"
    sql = f"select {latest}, a.arrival, b.arrival from a join b on sqrt({far}) < {meters} and {window}"

    def run() -> int:
        with duckdb.connect() as connection:
            for name, table in zip("ab", tables, strict=True):
                connection.register(name, table)
            return int(connection.sql(f"{sql} order by event_time").to_arrow_table().num_rows)

    return run
