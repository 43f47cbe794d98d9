"""Two streams out of order as JSON texts, and what a join of them should have given, by DuckDB."""

from __future__ import annotations

from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

STREAMS = ("bus", "scats")
WITHIN_MS = 200
EVERY_MALFORMED = 10_000  # one row of so many cannot be read
PER_SECOND = 5_000  # events of both streams in a second of event time
AREAS = 1_000
FIRST_MS = 1_714_550_400_000


def generate(folder: Path, rows: int, *, seed: int = 1) -> None:
    """Write `sent.parquet`: rows of both streams in the order in which they are sent, most of them out of order."""
    random = np.random.default_rng(seed)
    number = np.arange(rows)
    delay = np.where(random.random(rows) < 0.3, 0, random.exponential(400, rows)).astype(np.int64)
    ts = FIRST_MS + number * 1_000 // PER_SECOND - delay
    area, stream = random.integers(0, AREAS, rows), random.integers(0, len(STREAMS), rows)
    malformed = number % EVERY_MALFORMED == EVERY_MALFORMED - 1
    columns = {"id": number, "ts": ts, "area": area, "stream": stream, "malformed": malformed}
    pq.write_table(pa.table({**columns, "value": _json(number, ts, area, malformed)}), folder / "sent.parquet")


def _json(number, ts, area, malformed) -> pa.Array:
    ids, times, areas = (pc.cast(pa.array(column), pa.string()) for column in (number, ts, area))
    ends = pa.array(np.where(malformed, "", "}"))
    return pc.binary_join_element_wise('{"id":', ids, ',"ts":', times, ',"area":', areas, ends, "")


def compare(folder: Path) -> dict[str, int]:
    """Compare `results.json` and the folder `late` with what was sent.

    `lost` are results that should be there although both their rows were in time; `missed` are those with a late row,
    which the contract allows.
    """
    with duckdb.connect() as base:
        base.execute(f"""
            CREATE TABLE sent AS FROM '{folder}/sent.parquet';
            CREATE TABLE late AS SELECT coalesce(bus.id, scats.id) AS id, reason
                FROM read_parquet('{folder}/late/*/*.parquet');
            CREATE TABLE found AS SELECT bus.id AS bus, scats.id AS scats FROM read_json('{folder}/results.json',
                columns = {{bus: 'STRUCT(id BIGINT)', scats: 'STRUCT(id BIGINT)'}}, format = 'newline_delimited');
            CREATE TABLE bus AS SELECT *, ts // {WITHIN_MS} AS slot FROM sent WHERE stream = 0 AND NOT malformed;
            CREATE TABLE scats AS SELECT *, ts // {WITHIN_MS} + step AS slot
                FROM sent, (VALUES (-1), (0), (1)) steps (step) WHERE stream = 1 AND NOT malformed;
            CREATE TABLE truth AS SELECT bus.id AS bus, scats.id AS scats FROM bus JOIN scats
                ON bus.area = scats.area AND bus.slot = scats.slot AND abs(bus.ts - scats.ts) <= {WITHIN_MS};
            CREATE TABLE gone AS SELECT * FROM truth ANTI JOIN found USING (bus, scats);
            CREATE TABLE allowed AS SELECT DISTINCT id FROM late WHERE reason = 'late';
        """)
        questions = {
            "sent": "SELECT count(*) FROM sent",
            "malformed sent": "SELECT count(*) FROM sent WHERE malformed",
            "malformed in late": "SELECT count(*) FROM late WHERE reason = 'null_time'",
            "late": "SELECT count(*) FROM late WHERE reason = 'late'",
            "late twice": "SELECT count(*) - count(DISTINCT id) FROM late WHERE reason = 'late'",
            "true results": "SELECT count(*) FROM truth",
            "results": "SELECT count(*) FROM found",
            "duplicated": "SELECT count(*) - count(DISTINCT (bus, scats)) FROM found",
            "invented": "SELECT count(*) FROM found ANTI JOIN truth USING (bus, scats)",
            "missed": "SELECT count(*) FROM gone",
            "lost": """SELECT count(*) FROM gone
                       WHERE bus NOT IN (FROM allowed) AND scats NOT IN (FROM allowed)""",
        }
        return {name: base.execute(question).fetchone()[0] for name, question in questions.items()}
