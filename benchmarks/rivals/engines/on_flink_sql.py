"""PyFlink, SQL: all work is done in the JVM, as in SQL jobs that are written in any other way.

Its packages bring no Parquet: it reads and writes CSV. Interval joins give what they find at once; a sort by event time
waits for the watermark, as our merge does.
"""

from __future__ import annotations

from pathlib import Path

from pyflink.table import EnvironmentSettings, TableEnvironment

from benchmarks.rivals.engines.flink_source import SETTINGS, csv, source
from benchmarks.rivals.jobs import GROUPS, SIZE_MS, SLIDE_MS, STREAMS, WITHIN_MS, main

_WITHIN = f"INTERVAL '{WITHIN_MS // 1_000}' SECOND"
_WINDOWS = f"DESCRIPTOR(rt), INTERVAL '{SLIDE_MS // 1_000}' SECOND, INTERVAL '{SIZE_MS // 1_000}' SECOND"
_EPOCH = "TIMESTAMP '1970-01-01 00:00:00'"

_JOIN2 = f"""
    SELECT GREATEST(a.ts, b.ts), a.key, a.ts, a.`value`, b.ts, b.`value` FROM a, b
    WHERE a.key = b.key AND a.rt BETWEEN b.rt - {_WITHIN} AND b.rt + {_WITHIN}"""
_JOIN3 = f"""
    SELECT GREATEST(a.ts, b.ts, c.ts), a.key, a.ts, a.`value`, b.ts, b.`value`, c.ts, c.`value`
    FROM a JOIN b ON a.key = b.key AND a.rt BETWEEN b.rt - {_WITHIN} AND b.rt + {_WITHIN}
           JOIN c ON a.key = c.key AND a.rt BETWEEN c.rt - {_WITHIN} AND c.rt + {_WITHIN}
                     AND ABS(b.ts - c.ts) <= {WITHIN_MS}"""
_AGGREGATE = f"""
    SELECT CAST(TIMESTAMPDIFF(SECOND, {_EPOCH}, window_start) AS BIGINT) * 1000, %(group)s,
           COUNT(*), SUM(`value`), MAX(`value`)
    FROM TABLE(HOP(TABLE d, {_WINDOWS})) GROUP BY window_start, window_end, %(group)s"""
_MERGE = """
    SELECT ts, key, `value` FROM (SELECT ts, key, `value`, rt FROM a UNION ALL SELECT ts, key, `value`, rt FROM b)
    ORDER BY rt"""
_QUERIES = {
    "merge": (_MERGE, 3),
    "join2": (_JOIN2, 6),
    "join3": (_JOIN3, 8),
    **{job: (_AGGREGATE % {"group": group}, 5) for job, group in GROUPS.items()},
}


def begin() -> TableEnvironment:
    """Start the JVM; the cluster within it starts with the job."""
    tables = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
    for name, value in SETTINGS.items():
        tables.get_config().set(name, value)
    return tables


def _run(tables: TableEnvironment, job: str, data: Path, out: Path) -> None:
    query, width = _QUERIES[job]
    for name in STREAMS[job]:
        tables.execute_sql(source(name, data))
    columns = ", ".join(f"c{place} BIGINT" for place in range(width))
    tables.execute_sql(f"CREATE TABLE results ({columns}) WITH ({csv(out)})")
    tables.execute_sql(f"INSERT INTO results {query.replace('key', '`key`')}").wait()


JOBS = {job: lambda tables, data, out, job=job: _run(tables, job, data, out) for job in _QUERIES}

if __name__ == "__main__":
    main(begin, JOBS)
