"""Which tests a mutant is tried against: those that run what is changed, the nearest first, then the quickest."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from tests.mutation.mutants import Mutant


def chosen(
    mutant: Mutant, tests: Mapping[str, Mapping[str, Any]], budget: float, users: Collection[str] = ()
) -> tuple[list[str], float]:
    """Return the tests that run what is changed, and how long they take together; those of its module come first.

    What is changed may be run when its module is imported, as a constant is: then these are all tests of the module
    and of its `users`.
    """
    wanted = _places(mutant, tests, users)
    part, _, module = mutant.file.removesuffix(".py").rpartition("/")
    near = (f"tests/{part}/test_{module}.py::", f"src/slackwater/{mutant.file}::")
    fits = [
        (not name.startswith(near), test["seconds"], name)
        for name, test in tests.items()
        if any(f"{each}\n".startswith(wanted) for each in test["functions"])
    ]
    names, total = [], 0.0
    for _, seconds, name in sorted(fits):
        if total + seconds > budget and names:
            continue
        names.append(name)
        total += seconds
    return names, total


def is_run(mutant: Mutant, tests: Mapping[str, Mapping[str, Any]]) -> bool:
    """Whether a test runs what is changed; if not, it may be run when its module is imported."""
    return any(f"{mutant.file}:{mutant.function}" in test["functions"] for test in tests.values())


def users_of(root: Path, file: str) -> list[str]:
    """Return the files beside it that import something of a file."""
    module = f"{root.name}.{file.removesuffix('.py').replace('/', '.')}"
    uses = re.compile(rf"^\s*from {re.escape(module)} import ", re.MULTILINE)
    found = (path for path in root.rglob("*.py") if uses.search(path.read_text()))
    return sorted(str(path.relative_to(root)) for path in found)


def _places(mutant: Mutant, tests: Mapping[str, Mapping[str, Any]], users: Collection[str]) -> str | tuple[str, ...]:
    """Return what the places begin with that a test has to run, each with a line break behind it."""
    if is_run(mutant, tests) or "." in mutant.function:
        return f"{mutant.file}:{mutant.function}\n"
    return tuple(f"{file}:" for file in (mutant.file, *users))
