"""A checkpoint with outputs as a query leaves them, without a query."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from slackwater.decisions import decisions_table, late_schema
from slackwater.quality.batch_log import ABOUT, ENDED, IN_CHECKPOINT
from slackwater.quality.latency_log import IN_CHECKPOINT as LATENCY
from slackwater.quality.latency_log import add_line

SECOND = 1_000_000
HOSTILE = "<img src=x onerror=alert(1)>\x1b[2J\u202e'; DROP TABLE bus; --"
LATE_SCHEMA = late_schema(pa.schema([("ts", pa.int64()), ("line", pa.string())]))


class Left:
    """What a query left in a folder."""

    def __init__(self, folder: Path, *, control: bool = True, early: bool = True, name: str = "buses") -> None:
        self.folder, self.checkpoint, self.control = folder, folder / "checkpoint", folder / "control"
        (self.checkpoint / "offsets").mkdir(parents=True)
        outputs = {each: str(folder / each) for each in ("results", "late", "decisions")}
        about = {
            "operator": "aggregate",
            "streams": ["bus"],
            "contract": "drop 0.01 over 1 minute",
            "of": "DropRatio(0.01, over='1 minute')",
            "plan": {"operator": "aggregate", "by": [], "early": early},
            "buckets": 1,
            "name": name,
            "outputs": outputs,
            "control": str(self.control) if control else None,
        }
        (self.checkpoint / ABOUT).parent.mkdir(exist_ok=True)
        (self.checkpoint / ABOUT).write_text(json.dumps(about))

    def decisions(self, batch: int, slacks: list[int], **columns) -> None:
        at = [(60 * batch + place) * SECOND for place in range(len(slacks))]
        given = {"operator": "aggregate", "stream": "bus", "bucket": 0, "at": at, "slack": slacks, "target": 0.01}
        self._write("decisions", batch, decisions_table({**given, **columns}, len(slacks)))

    def said(self, batch: int, words: str) -> None:
        self._write("decisions", batch, decisions_table({"operator": "control", "stream": words}, 1))

    def ended(self, *, written: int) -> None:
        (self.checkpoint / ENDED).write_text(json.dumps({"batch": 3, "written": written, "by": "drain"}))

    def late(self, batch: int, lines: list[str], reason: str = "late") -> None:
        rows = [
            {"ts": place, "line": line, "late_by": 1_500_000, "reason": reason, "stream": "bus"}
            for place, line in enumerate(lines)
        ]
        self._write("late", batch, pa.Table.from_pylist(rows, LATE_SCHEMA))

    def figures(self, batch: int, *, written: int, delays: dict[str, int], late: int = 0) -> None:
        arrived = sum(delays.values())
        counts = {"arrived": arrived, "released": arrived - late, "late": late, "state_bytes": 100, "buffered": 7}
        line = {"batch": batch, "written": written, "slack": SECOND, "delays": delays, **counts}
        add_line(self.checkpoint / IN_CHECKPOINT, line)
        took = {f"latency_{name}": 2 * SECOND for name in ("p50", "p95", "p99", "max")}
        add_line(self.checkpoint / LATENCY, {"batch": batch, "operator": "aggregate", "written": written, **took})

    def sent(self) -> list[dict]:
        return [json.loads(path.read_text()) for path in self.control.glob("[!_]*.json")]

    def _write(self, output: str, batch: int, table: pa.Table) -> None:
        folder = self.folder / output / f"batch={batch}"
        folder.mkdir(parents=True, exist_ok=True)
        pq.write_table(table, folder / f"part-{len(list(folder.iterdir()))}.parquet")
