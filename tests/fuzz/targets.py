"""All targets by name, what each starts from, and the words that its inputs are made of."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from tests.fuzz import files, records, state, texts
from tests.sql.corpus import DOCUMENTS, OURS

_YAML = """#yaml
streams: {bus: {dataset: traffic}}
sinks: {o: {path: x}}
queries:
  - {into: o, select: '*', from: bus}
"""
_SCRIPT = """CREATE STREAM bus (ts BIGINT, s STRUCT<x: INT>) WITH (path = 'x', unit = 's', n.x = 5);
CREATE SINK o WITH (path = 'o', rows = 5); SET engine = 'local'; INSERT INTO o SELECT * FROM bus WITH SLACK 1 s"""
_CONTRACTS = (
    "recall 0.95 over 5 minutes every 2 seconds cap 30 seconds by model-search",
    "drop 1% over 1 minute & deadline 5 seconds latency 10 ms",
    "error 3% confidence 0.9 of n, worst by bounded-error",
    "fixed 1 minute 30.5 seconds every 2 d",
    "max cap 250 ms",
    "none",
    "deadline 6 s by sl-tuner",
    "3 weeks 2 h 5 us",
)
_RECORDS = (
    b'{"kind": "drain"}',
    b'{"kind": "prod", "until": 60000000, "where": {"line": "a", "number": 1}}',
    b'{"kind": "prod", "where": {"line": null, "number": "2"}}\n{"kind": "dance"}\n',
    b'{"kind": "slack", "slack": 1500, "at": 60000000}',
    b'{"kind": "contract", "contract": "drop 1% over 1 minute"}',
    b'{"kind": "prod", "where": {"line": "\\ud83d\\ude00", "number": 1e3}}',
)


@dataclass(frozen=True)
class Target:
    """What is called with bytes; anything that it raises is a finding."""

    run: Callable[[bytes], None]
    seeds: Callable[[], list[bytes]]
    words: tuple[str, ...]


TARGETS: Mapping[str, Target] = {
    "sql": Target(
        texts.sql,
        lambda: [text.encode() for text in (*DOCUMENTS, *OURS, _YAML, _SCRIPT)],
        (
            *("SELECT ", " FROM ", "bus", "scats", "[5 s]", "[RANGE ", "SLIDE ", " WHERE ", " GROUP BY ", "DRATIO "),
            *("WINDOW [9 s, SLIDE 3 s]", "FROM (SELECT ", ") [9 s, SLIDE 9 s]", "GROUP BY bus.line"),
            *(
                " WITH ",
                "RECALL ",
                "NO SLACK",
                "OVER ",
                "DEADLINE ",
                "EARLY ",
                "LATE ",
                "INSERT INTO ",
                "CREATE STREAM ",
            ),
            *(
                "CREATE SINK ",
                "SET ",
                "count(*)",
                "area",
                "delay",
                "flow",
                "line",
                " AND ",
                " OR ",
                "CASE ",
                "CAST(",
                "`",
                "'",
            ),
        ),
    ),
    "contract": Target(
        texts.contract,
        lambda: [text.encode() for text in _CONTRACTS],
        (
            *("recall ", "drop ", "error ", "fixed ", "deadline ", "max", "none", " over ", " every ", " cap ", " by "),
            *(" of ", " confidence ", " latency ", " & ", "1%", " minute", " s", " ms", " us", "needed", "pd", "tcp"),
        ),
    ),
    "control": Target(
        records.control,
        lambda: list(_RECORDS),
        (
            '"kind"',
            '"prod"',
            '"slack"',
            '"at"',
            '"until"',
            '"where"',
            '"line"',
            '"number"',
            "\\ud800",
            "null",
            "1e999",
            "NaN",
        ),
    ),
    "state": Target(state.state, state.seeds, ('"chunks"', '"pipeline"', '"checksum"', '"version"', "ARROW1", "null")),
    "files": Target(
        files.files, files.seeds, ("ts,", "text", "PAR1", "2026-01-01", "null", '{"ts":', "\\n", "\\xff\\xff")
    ),
}
