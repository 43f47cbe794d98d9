"""The command line of the rivals: make their environments, run jobs, print the table."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from rich.console import Console

from benchmarks.rivals import written
from benchmarks.rivals.catalog import BY_NAME
from benchmarks.rivals.environments import reason_to_skip, set_up
from benchmarks.rivals.jobs import JOBS
from benchmarks.rivals.suite import Size, measure
from benchmarks.rivals.table import markdown, table

_EXAMPLE = "First: setup. Then, for instance: run --quick --jobs join2 --engines duckdb slackwater"
QUICK = Size(rows=20_000, files=2, repeat=1)
FULL = Size(rows=1_000_000, files=4, repeat=3)


def main(arguments: list[str] | None = None) -> int:
    """Set environments up, run jobs, or show a file; return 1 if an engine that should have given results did not."""
    given = _parser().parse_args(arguments)
    if given.command == "setup":
        set_up([BY_NAME[name] for name in given.engines])
        return 0
    rows = written.read(given.file) if given.command == "show" else _run(given)
    if given.markdown:
        print(markdown(rows))
    else:
        Console(width=None if sys.stdout.isatty() else 250).print(table(rows))
    return int(any(_failed(row) for row in rows))


def _run(given: argparse.Namespace) -> list[dict[str, Any]]:
    sizes = QUICK if given.quick else FULL
    size = Size(**{name: getattr(given, name) or getattr(sizes, name) for name in Size.__dataclass_fields__})
    engines = [BY_NAME[name] for name in given.engines]
    left_out = {engine.name: reason for engine in engines if (reason := reason_to_skip(engine))}
    for name, reason in left_out.items():
        print(f"{name} is left out, {reason}", file=sys.stderr)
    print(f"{len(given.jobs)} jobs by {len(engines) - len(left_out)} engines, in {size.repeat} turns", file=sys.stderr)
    versions, file, rows = written.versions(engines), written.new_file(), []
    for row in measure(given.jobs, engines, size):
        rows.append({**row, "engine_version": versions.get(row["engine"], "")})
        file.add(rows[-1])
    print(f"written to {file.path}", file=sys.stderr)
    return rows


def _failed(row: dict[str, str]) -> bool:
    return row.get("no_figures", "").startswith(("other results", "results out of", "ended with", "took longer"))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.rivals", description=_EXAMPLE)
    parser.add_argument("command", choices=["setup", "run", "show"])
    parser.add_argument("file", nargs="?", type=Path, help="for show: what a run has written")
    parser.add_argument("--quick", action="store_true", help="small sizes: does it run, not how fast")
    parser.add_argument("--markdown", action="store_true", help="tables for a page instead of the terminal")
    parser.add_argument("--jobs", nargs="+", choices=JOBS, default=list(JOBS))
    parser.add_argument("--engines", nargs="+", choices=list(BY_NAME), default=list(BY_NAME))
    parser.add_argument("--rows", type=int, help="of each stream; slow engines get a tenth")
    parser.add_argument("--files", type=int, help="of each stream, one per micro-batch")
    parser.add_argument("--repeat", type=int, help="turns at most")
    parser.add_argument("--patience", type=float, help="seconds for a job after which an engine has no other turn")
    return parser
