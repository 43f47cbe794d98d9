"""DuckDB on rows already sorted: a limit, because it has no disorder to handle and sees everything at once.

Times are cut into bins of twice the window, so that a join is by key and bin, and few pairs are looked at that are far
apart: a row of the first stream is in one bin, one of the others in the two within reach.
"""

from __future__ import annotations

from pathlib import Path

import duckdb

from benchmarks.rivals.jobs import CORES, SIZE_MS, SLIDE_MS, WITHIN_MS, by_group, main

_WITHIN = WITHIN_MS * 1_000
_SLIDE = SLIDE_MS * 1_000


def begin() -> duckdb.DuckDBPyConnection:
    """Open a database in memory."""
    return duckdb.connect(config={"threads": CORES})


def merge(connection: duckdb.DuckDBPyConnection, data: Path, out: Path) -> None:
    """Sort the union."""
    _write(connection, data, out, "select ts, key, value from a union all select ts, key, value from b order by ts")


def join2(connection: duckdb.DuckDBPyConnection, data: Path, out: Path) -> None:
    """Join by key and distance in time, in the order of the results."""
    sql = f"""
        select greatest(a.ts, b.ts) as event_time, a.key, a.ts as a_ts, a.value as a_value,
               b.ts as b_ts, b.value as b_value
        from {_binned("a")} join {_reaching("b")} on {_met("b")} and {_close("a", "b")} order by event_time"""
    _write(connection, data, out, sql)


def join3(connection: duckdb.DuckDBPyConnection, data: Path, out: Path) -> None:
    """Join three: each is close to both others."""
    sql = f"""
        select greatest(a.ts, b.ts, c.ts) as event_time, a.key, a.ts as a_ts, a.value as a_value,
               b.ts as b_ts, b.value as b_value, c.ts as c_ts, c.value as c_value
        from {_binned("a")} join {_reaching("b")} on {_met("b")} and {_close("a", "b")}
               join {_reaching("c")} on {_met("c")} and {_close("a", "c")} and {_close("b", "c")} order by event_time"""
    _write(connection, data, out, sql)


def aggregate(connection: duckdb.DuckDBPyConnection, data: Path, out: Path, group: str) -> None:
    """Aggregate slides first, then windows from slides."""
    sql = f"""
        with panes as (select ts - ts % {_SLIDE} as pane, {group}, count(*) as n, sum(value) as total,
                              max(value) as most from d group by all)
        select pane - {_SLIDE} * back as start, {group}, sum(n)::bigint as n, sum(total)::bigint as total,
               max(most) as most
        from panes, range({SIZE_MS // SLIDE_MS}) as earlier(back) group by all order by start"""
    _write(connection, data, out, sql)


JOBS = {"merge": merge, "join2": join2, "join3": join3, **by_group(aggregate)}


def _binned(name: str) -> str:
    return f"(select *, ts // {2 * _WITHIN} as bin from {name}) as {name}"


def _reaching(name: str) -> str:
    bins = (f"select *, (ts + {reach}) // {2 * _WITHIN} as bin from {name}" for reach in (-_WITHIN, _WITHIN))
    return f"({' union all '.join(bins)}) as {name}"


def _met(name: str) -> str:
    return f"a.key = {name}.key and a.bin = {name}.bin"


def _close(one: str, other: str) -> str:
    return f"{one}.ts between {other}.ts - {_WITHIN} and {other}.ts + {_WITHIN}"


def _write(connection: duckdb.DuckDBPyConnection, data: Path, out: Path, sql: str) -> None:
    """Write the results of a query; event times are integers, which need no extension for time zones."""
    for file in sorted((data / "sorted").glob("*.parquet")):
        connection.execute(
            f"create or replace view {file.stem} as select * replace (epoch_us(ts) as ts) from read_parquet('{file}')"
        )
    connection.execute(f"copy ({sql}) to '{out / 'results.parquet'}' (format parquet)")


if __name__ == "__main__":
    main(begin, JOBS)
