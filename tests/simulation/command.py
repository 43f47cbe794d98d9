"""Runs many seeds, or one; every failure is one line with the seed that replays it, and a small example as code."""

from __future__ import annotations

import re
import time
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from tests.simulation.case import Case
from tests.simulation.check import Done, check
from tests.simulation.plans import random_case
from tests.simulation.shrink import shrunk

MOST_REFUSED = 0.1  # of all plans; of 10,000 seeds 2.7 % were
_ENOUGH = 100  # seeds, from which on that share says something


@dataclass
class Summary:
    """What a run of many seeds came to."""

    plans: int = 0
    rows: int = 0
    calls: int = 0
    restores: int = 0
    results: int = 0
    seconds: float = 0.0
    failures: list[tuple[int, str]] = field(default_factory=list)  # seed, what broke
    refused: Counter[str] = field(default_factory=Counter)
    operators: Counter[str] = field(default_factory=Counter)
    contracts: Counter[str] = field(default_factory=Counter)
    controllers: Counter[str] = field(default_factory=Counter)
    checks: Counter[str] = field(default_factory=Counter)

    def add(self, case: Case, done: Done) -> None:
        """Count a case that kept its promises, or that is no plan."""
        if done.refused:
            self.refused[re.split(r" must | got ", done.refused)[0]] += 1
            return
        self.count(case)
        self.calls += done.calls
        self.restores += done.calls + done.replays  # every call begins with what the one before saved
        self.results += done.results
        self.checks.update(done.compared)

    def count(self, case: Case) -> None:
        """Count a case as run."""
        self.plans += 1
        self.rows += len(case.rows)
        keyed = case.operator == "reorder" and "by" in case.options
        streams = f" of {case.streams}" if case.streams > 1 else ""
        self.operators[("keyed " if keyed else "") + case.operator + streams] += 1
        self.contracts[" & ".join(sorted(re.findall(r"sw\.(\w+)\(", case.options["contract"])))] += 1
        self.controllers[(re.findall(r"controller=control\.(\w+)", case.options["contract"]) or ["default"])[0]] += 1


def simulate(seeds: range, *, console: Console, show: bool = True) -> Summary:
    """Run seeds one after the other; report failures as they come."""
    summary, began = Summary(), time.process_time()
    columns = TextColumn("plans"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
    with Progress(*columns, console=console, disable=not show, transient=True) as progress, suppress(KeyboardInterrupt):
        for seed in progress.track(seeds):  # Ctrl-C: what has been run is reported all the same
            _run(seed, summary, console)
    summary.seconds = time.process_time() - began
    return summary


def _run(seed: int, summary: Summary, console: Console) -> None:
    case = random_case(seed)
    try:
        summary.add(case, check(case))
    except Exception as error:
        summary.count(case)
        summary.failures.append((seed, _in_a_line(error)))
        console.print(failure_line(seed, error), style="red", markup=False, highlight=False, soft_wrap=True)


def failure_line(seed: int, error: Exception) -> str:
    """Return one line that says what broke and how to see it again."""
    return f"{_in_a_line(error)}; replay: slackwater simulate --seed {seed}"


def replay(seed: int, *, console: Console) -> bool:
    """Run one seed; if it fails, print the smallest example that fails likewise. Return whether all is well."""
    case = random_case(seed)
    try:
        done = check(case)
    except Exception as error:
        console.print(failure_line(seed, error), style="red", markup=False, highlight=False, soft_wrap=True)
        console.print(f"{error}\n\nshrinking ...\n", markup=False, highlight=False, soft_wrap=True)
        console.print(as_code(shrunk(case)), markup=False, highlight=False, soft_wrap=True)
        return False
    ended = "is no plan" if done.refused else "passed"
    console.print(f"seed {seed} {ended}: {done}\n{case}", markup=False, highlight=False, soft_wrap=True)
    return True


def as_code(case: Case) -> str:
    """Return a program that shows a case."""
    heads = "from tests.simulation.case import Case, Row\nfrom tests.simulation.check import check\n"
    return f"{heads}\ncheck({case!r})"


def main(*, seeds: int = 1_000, first: int = 0, seed: int | None = None) -> int:
    """Simulate, and return the exit code: 1 if anything failed, or too many plans were refused."""
    console = Console()
    if seed is not None:
        return 0 if replay(seed, console=console) else 1
    summary = simulate(range(first, first + seeds), console=console)
    console.print(table_of(summary))
    refused = refused_line(summary)
    if refused is not None:
        console.print(refused, style="red", markup=False, highlight=False, soft_wrap=True)
    return 1 if summary.failures or refused else 0


def refused_line(summary: Summary) -> str | None:
    """Return one line that says that too many plans were refused for the rest to tell much; None: they were not."""
    refused = summary.refused.total()
    seeds = summary.plans + refused
    if seeds < _ENOUGH or refused <= MOST_REFUSED * seeds:
        return None
    most = f"{100 * MOST_REFUSED:g} %"
    return f"{refused:,} of {seeds:,} plans were refused, more than {most}: mend the plans, or what refuses them"


def table_of(summary: Summary) -> Table:
    """Return the figures of a run."""
    table = Table(title="Simulation", show_header=False)
    figures = {
        "plans": f"{summary.plans:,}",
        "rows": f"{summary.rows:,}",
        "results": f"{summary.results:,}",
        "calls": f"{summary.calls:,}",
        "restores": f"{summary.restores:,}",
        "processor seconds": f"{summary.seconds:,.0f}",
        "refused": ", ".join(f"{name} {count}" for name, count in summary.refused.most_common()) or "none",
    }
    for name in ("operators", "contracts", "controllers", "checks"):
        figures[name] = ", ".join(f"{what} {count:,}" for what, count in getattr(summary, name).most_common())
    figures["failures"] = f"{len(summary.failures):,}"
    for name, text in figures.items():
        table.add_row(name, text)
    return table


def _in_a_line(error: Exception) -> str:
    name = "" if isinstance(error, AssertionError) else f"{type(error).__name__}: "
    return name + str(error).partition("\n")[0][:160]
