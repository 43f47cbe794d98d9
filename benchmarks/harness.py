"""Runs benchmarks: ours and the rival in turn, several times; reports ratios, never times alone.

A benchmark gives cases; a case has two functions that do the same work, and the ratio that it must not exceed.
Everything is seeded and built before the clock starts. Results go to benchmarks/results/ as JSON lines.
"""

from __future__ import annotations

import os
import platform
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import Progress
from rich.table import Table

import slackwater
from benchmarks.growing_file import GrowingFile
from slackwater.contracts import Contract

PARTS = (
    "reorder-local",
    "reorder-growth",
    "reorder-spark",
    "reorder-state",
    "state-bytes",
    "batch-latency",
    "native-latency",
    "adaptation-spark",
    "reorder-contract",
    "join-local",
    "join-band",
    "join-growth",
    "join-adaptation",
    "join-spark",
    "aggregate-local",
    "gate-batch",
    "gate-growth",
    "gate-threads",
    "aggregate-spark",
    "aggregate-added-up",
    "recovery",
    "scale-out",
    "profile",
)
AIMS = (  # that the first tables of docs/PERFORMANCE.md are about, besides rivals, growth and budget
    "join-spark",
    "aggregate-spark",
    "reorder-spark",
    "batch-latency",
    "native-latency",
    "adaptation-spark",
    "state-bytes",
    "recovery",
    "join-local",
    "aggregate-local",
)
RIVALS = "rivals"  # whole processes of other engines, with a table of their own
GROWTH = "growth"  # exponents of cost over size, with a table of their own
GUARD = "guard"  # ratios against those of a baseline
BUDGET = "budget"  # where the time goes, with tables of its own
PATIENCE = 90.0  # seconds of counted runs after which a case has no further turn: its runs are long enough to trust
TAKING_CONTRACTS = ("reorder-contract",)
NAMES = {
    "all": PARTS,
    "aims": AIMS,
    **{
        family: tuple(part for part in PARTS if part.startswith(family))
        for family in ("reorder", "join", "aggregate", "gate")
    },
    **{part: (part,) for part in (*PARTS, GUARD)},
}


@dataclass(frozen=True)
class Case:
    """Two ways to do the same work; `ours` must take at most `limit` times as long as `rival` (or cost as much).

    The functions may return a number to be compared instead of their duration.
    """

    name: str
    ours: Callable[[], float | None]
    rival: Callable[[], float | None]
    limit: float
    rival_name: str
    config: dict[str, Any] = field(default_factory=dict)
    turns: int | None = None  # at most, where one is many measurements already
    is_warm: bool = False  # whether both have just run, so that the first run of each counts


def main(name: str, *, quick: bool = False, repeat: int = 5, contract: Contract | None = None) -> int:
    """Run the benchmarks of a name, print a table, write JSON; return 1 if a limit of the full size is exceeded.

    With a contract, only those are run that take one.
    """
    console = Console(width=None if sys.stdout.isatty() else 230)
    if name == RIVALS and contract is None:
        return _run_rivals(quick, repeat)
    if name == GROWTH and contract is None:
        return _run_growth(quick, repeat)
    if name == BUDGET and contract is None:
        return _run_budget(quick, repeat)
    if name not in NAMES:
        console.print(f"[red]no benchmark {name!r}; there are: {', '.join([*NAMES, RIVALS, GROWTH, BUDGET])}[/red]")
        return 2
    parts = [part for part in NAMES[name] if contract is None or part in TAKING_CONTRACTS]
    if not parts:
        console.print(f"[red]no benchmark of {name!r} takes a contract; these do: {', '.join(TAKING_CONTRACTS)}[/red]")
        return 2
    here = str(Path(__file__).parent.parent)
    os.environ["PYTHONPATH"] = os.pathsep.join([here, os.environ.get("PYTHONPATH", "")])  # for Spark's workers
    file, rows = GrowingFile.new(), list[dict[str, Any]]()

    def measured(case: Case) -> None:
        rows.append(run_case(case, repeat, console))
        file.add(rows[-1])

    failed = [part for part in parts if not _ran(part, _cases(part, quick, contract), console, measured)]
    judged = not quick or name == GUARD  # whose limits are those of small sizes
    console.print(_table(rows, judged=judged))
    console.print(f"written to {file.path}")
    for part in failed:
        console.print(f"[red]{part} failed: see above[/red]")
    return int(bool(failed) or (judged and any(row["median"] > row["limit"] for row in rows)))


def _ran(part: str, cases: Iterator[Case], console: Console, measured: Callable[[Case], None]) -> bool:
    """Run the cases of a benchmark; say why and return False if it fails, so that hours of others are not lost."""
    try:
        for case in cases:
            measured(case)
    except Exception:
        console.print(f"[red]{part}:[/red]")
        console.print_exception()
        return False
    return True


def _run_rivals(quick: bool, repeat: int) -> int:
    from benchmarks.rivals.command import main as run_rivals

    return run_rivals(["run", "--repeat", str(repeat), *(["--quick"] if quick else [])])


def _run_growth(quick: bool, repeat: int) -> int:
    from benchmarks.growth.command import main as run_growth

    return run_growth(quick=quick, repeat=repeat)


def _run_budget(quick: bool, repeat: int) -> int:
    from benchmarks.budget.command import main as run_budget

    return run_budget(quick=quick, repeat=repeat)


def _cases(part: str, quick: bool, contract: Contract | None) -> Iterator[Case]:
    module = import_module(f"benchmarks.{part.replace('-', '_')}")
    yield from module.cases(quick=quick) if contract is None else module.cases(quick=quick, contract=contract)


def run_case(case: Case, repeat: int, console: Console) -> dict[str, Any]:
    """Run both in turn; return the ratios of the turns, what they came from, and the limit.

    It has at most `repeat` turns, no further one after PATIENCE, and no more than the case itself wants.
    """
    ours: list[float] = []
    rival: list[float] = []
    with Progress(console=console, transient=True) as progress:
        turns = min(repeat, case.turns or repeat)
        task = progress.add_task(case.name, total=turns)
        if not case.is_warm:
            case.ours(), case.rival()  # the first of each warms caches and workers and is not counted
        began = time.perf_counter()
        for turn in range(turns):
            if time.perf_counter() - began > PATIENCE:
                break
            for measured, work in [(ours, case.ours), (rival, case.rival)][:: -1 if turn % 2 else 1]:
                measured.append(_measure(work))
            progress.advance(task)
    ratios = sorted(a / b for a, b in zip(ours, rival, strict=True))
    return {
        "benchmark": case.name,
        "rival": case.rival_name,
        "config": case.config,
        "limit": case.limit,
        "median": statistics.median(ratios),
        "lowest": ratios[0],
        "highest": ratios[-1],
        "ours": ours,
        "rival_values": rival,
        "version": slackwater.__version__,
        "python": platform.python_version(),
        "cores": os.cpu_count(),
    }


def nothing(_: object) -> None:
    """Drop a result, so that the duration is compared."""


def discarding(work: Callable[..., object], *arguments: object) -> Callable[[], None]:
    """Return work that drops its result, so that the duration is compared."""
    return lambda: nothing(work(*arguments))


def _measure(work: Callable[[], float | None]) -> float:
    started = time.perf_counter()
    value = work()
    return time.perf_counter() - started if value is None else value


def _table(rows: list[dict[str, Any]], *, judged: bool) -> Table:
    size = "" if judged else "; small sizes, whose limits are those of the full ones and decide nothing"
    table = Table(
        title=f"cost of slackwater / cost of the rival (below 1: ours is ahead), median of interleaved runs{size}"
    )
    for column in ("benchmark", "rival", "turns", "ratio", "spread", "limit", ""):
        table.add_column(column, justify="right" if column in ("turns", "ratio", "limit") else "left")
    for row in rows:
        held = row["median"] <= row["limit"]
        verdict = "[green]held[/green]" if held else "[red]exceeded[/red]"
        ratio, lowest, highest, limit = (_shown(row[name]) for name in ("median", "lowest", "highest", "limit"))
        turns = str(len(row["ours"]))
        table.add_row(row["benchmark"], row["rival"], turns, ratio, f"{lowest} - {highest}", limit, verdict)
    return table


def _shown(ratio: float) -> str:
    """Return a ratio with two digits behind the point, or two that say something."""
    return f"{ratio:.2f}" if ratio >= 0.1 else f"{ratio:.2g}"
