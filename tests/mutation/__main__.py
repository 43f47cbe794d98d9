"""How many small wrong changes of core, models and control the tests notice, from a random sample of all.

    NUMBA_DISABLE_JIT=1 python -m tests.mutation --mutants 300 --seed 1 --reached FILE --output mutants.jsonl

Kernels run as plain Python: compiling each changed kernel anew, and everything that calls it, would take minutes.
Tests are those that run the changed function (see `reached.py`), as many as fit the budget: those of its module first,
then the quickest.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import Any

from tests.mutation.chosen import chosen, is_run, users_of
from tests.mutation.mutants import Mutant, mutants_of
from tests.mutation.reached import noted
from tests.mutation.reviewed import Reviewed
from tests.mutation.trial import Outcome, load, outcome_of

PARTS = ("core", "models", "control")
NOTICED = ("killed", "timeout")
_MOST_OF_ONE = 60.0  # seconds that a single test may take


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.mutation", description=__doc__)
    parser.add_argument("--mutants", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--reached", type=Path, required=True)
    parser.add_argument("--output", type=Path, default=Path("mutants.jsonl"))
    parser.add_argument("--again", action="store_true", help="only what survived, with more tests or new ones")
    parser.add_argument("--part", type=int, nargs=2, default=(0, 1), metavar=("I", "N"), help="of N at once, this one")
    parser.add_argument("--budget", type=float, default=25.0, help="seconds of tests for each mutant")
    given = parser.parse_args()
    if os.environ.get("NUMBA_DISABLE_JIT") != "1":
        sys.exit("set NUMBA_DISABLE_JIT=1: kernels are tested as plain Python")
    root = Path("src/slackwater").resolve()
    tests = noted(given.reached)
    load(list(tests))
    every = sampled(root, given.mutants, given.seed)
    part, parts = given.part
    for mutant in (_survivors(every, given.output, root) if given.again else _left(every, given.output))[part::parts]:
        _try(mutant, root, tests, given)
    print(summary(given.output, Reviewed(root)))


def sampled(root: Path, count: int, seed: int) -> list[Mutant]:
    """Return a random sample of all mutants, the same one for the same seed; a larger one begins with a smaller."""
    files = sorted(str(path.relative_to(root)) for part in PARTS for path in (root / part).rglob("*.py"))
    every = [mutant for file in files for mutant in mutants_of(root, file)]
    random.Random(seed).shuffle(every)
    return every[:count]


def summary(output: Path, reviewed: Reviewed) -> str:
    """Return what survived, and the score with its 95 % interval (Wilson), with and without equivalent mutants."""
    rows = list(_tried(output).values())
    noticed = sum(row["outcome"] in NOTICED for row in rows)
    survived = [row for row in rows if row["outcome"] not in NOTICED]
    why = [reviewed.why(row) for row in survived]
    lines = [f"{row['outcome']:9} {row['file']}:{row['line']} {row['change']}" for row in survived]
    lines = [
        line if reason is None else f"{line}  [equivalent: {reason}]" for line, reason in zip(lines, why, strict=True)
    ]
    equivalent = sum(reason is not None for reason in why)
    return "\n".join(
        [
            *lines,
            f"{dict(Counter(row['outcome'] for row in rows))}, of those not noticed {equivalent} equivalent (reviewed)",
            f"of all mutants: {_score(noticed, len(rows))}",
            f"of those that are not equivalent: {_score(noticed, len(rows) - equivalent)}",
        ]
    )


def _score(noticed: int, total: int) -> str:
    from slackwater.quality.share import wilson  # not before the forks: they import what is changed

    low, high = wilson(noticed, total)
    return f"{noticed} of {total} noticed, {noticed / total if total else 0:.1%} [{low:.1%}, {high:.1%}]"


def _left(mutants: Sequence[Mutant], output: Path) -> list[Mutant]:
    """Return those that were not tried yet: a run that was ended goes on."""
    done = _tried(output)
    return [mutant for mutant in mutants if (mutant.file, mutant.number) not in done]


def _survivors(mutants: Sequence[Mutant], output: Path, root: Path) -> list[Mutant]:
    """Return those that no test noticed, but for equivalent ones."""
    why = Reviewed(root).why
    done = {place for place, row in _tried(output).items() if row["outcome"] not in NOTICED and why(row) is None}
    return [mutant for mutant in mutants if (mutant.file, mutant.number) in done]


def _tried(output: Path) -> dict[tuple[str, int], dict[str, Any]]:
    """Return what became of each mutant in the end."""
    rows = map(json.loads, output.read_text().splitlines() if output.exists() else [])
    return {(row["file"], row["number"]): row for row in rows}


def _try(mutant: Mutant, root: Path, tests: dict[str, Any], given: argparse.Namespace) -> None:
    names, usual, tried = _tried_against(mutant, root, tests, given.budget)
    while tried.by in tests and not _passes(tried.by, root):
        del tests[tried.by]  # it fails without any change
        names, usual, tried = _tried_against(mutant, root, tests, given.budget)
    if tried.what == "timeout" and outcome_of(None, root, names, usual).what != "survived":
        tried = tried._replace(what="unclear")  # the tests take as long without the change
    row = {**asdict(mutant), "outcome": tried.what, "tests": len(names), "seconds": round(tried.seconds, 1)}
    with given.output.open("a") as file:
        file.write(json.dumps({**row, "by": tried.by}) + "\n")
    print(f"{tried.what:9} {len(names):4} tests {tried.seconds:5.1f} s  {mutant}  {tried.by}", flush=True)


def _tried_against(
    mutant: Mutant, root: Path, tests: dict[str, Any], budget: float
) -> tuple[list[str], float, Outcome]:
    names, usual = chosen(mutant, tests, budget, users_of(root, mutant.file))
    if not names:
        return names, usual, Outcome("unreached", 0.0, "")
    return names, usual, outcome_of(mutant, root, names, usual, anew=not is_run(mutant, tests))


@cache
def _passes(test: str, root: Path) -> bool:
    """Whether a test passes without any change, with plain Python kernels and all its examples."""
    return outcome_of(None, root, [test], _MOST_OF_ONE).what != "killed"


if __name__ == "__main__":
    import duckdb  # noqa: F401 - loaded once, for all forks
    import hypothesis  # noqa: F401
    import numba  # noqa: F401
    import pandas  # noqa: F401
    import pyarrow.compute  # noqa: F401
    import pytest  # noqa: F401

    main()
