"""The command line of the rivals: make their environments, run jobs, print the table."""

from __future__ import annotations

import argparse
import sys

from rich.console import Console

from benchmarks.rivals import suite
from benchmarks.rivals.catalog import BY_NAME
from benchmarks.rivals.environments import set_up
from benchmarks.rivals.jobs import JOBS
from benchmarks.rivals.table import table

_EXAMPLE = "First: setup. Then, for instance: run --quick --jobs join2 --engines duckdb slackwater"
QUICK = {"rows": 20_000, "files": 2, "repeat": 1}
FULL = {"rows": 1_000_000, "files": 4, "repeat": 5}


def main(arguments: list[str] | None = None) -> int:
    """Set environments up, or run jobs; return 1 if an engine that should have given results did not."""
    given = _parser().parse_args(arguments)
    engines = [BY_NAME[name] for name in given.engines]
    if given.command == "setup":
        set_up(engines)
        return 0
    sizes = QUICK if given.quick else FULL
    chosen = {name: getattr(given, name) or value for name, value in sizes.items()}
    rows = suite.measure(given.jobs, engines, **chosen)
    console = Console(width=None if sys.stdout.isatty() else 200)
    console.print(table(rows))
    console.print(f"written to {suite.write(rows)}")
    return int(any(_failed(row) for row in rows))


def _failed(row: dict[str, str]) -> bool:
    return row.get("no_figures", "").startswith(("other results", "results out of", "ended with", "took longer"))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.rivals", description=_EXAMPLE)
    parser.add_argument("command", choices=["setup", "run"])
    parser.add_argument("--quick", action="store_true", help="small sizes: does it run, not how fast")
    parser.add_argument("--jobs", nargs="+", choices=JOBS, default=list(JOBS))
    parser.add_argument("--engines", nargs="+", choices=list(BY_NAME), default=list(BY_NAME))
    parser.add_argument("--rows", type=int, help="of each stream")
    parser.add_argument("--files", type=int, help="of each stream, one per micro-batch")
    parser.add_argument("--repeat", type=int)
    return parser
