"""A plugin of pytest that notes which functions of the package each test runs, and how long it takes.

    NUMBA_DISABLE_JIT=1 python -m pytest -p tests.mutation.reached --reached FILE tests/core ...

Every function says that it runs: the package is compiled with one more statement in each. Kernels are plain Python, so
that they are seen like others. Of a property a few examples are run, which reach what many do. A test that takes too
long is noted as such. What is noted is kept as long as the file of the test is the same, so a run that ended goes on.
"""

from __future__ import annotations

import ast
import builtins
import hashlib
import json
import signal
import sys
import time
from functools import cache
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

PACKAGE, PARTS = "slackwater", ("core", "models", "control")
EXAMPLES = 10  # of a property, while it is noted what it runs
NOTE = "__reached__"  # a set, known in every module as built-in functions are


class TooLongError(BaseException):
    """A test that is not worth its time here. Not an `Exception`: Hypothesis would look for a smaller example."""


def noted(file: Path) -> dict[str, dict[str, Any]]:
    """Return what is known of each test whose file has not changed since; nothing runs in those that are left out."""
    rows = map(json.loads, file.read_text().splitlines() if file.exists() else [])
    return {row["test"]: row for row in rows if row["digest"] == digest(row["test"].split("::")[0])}


@cache
def digest(file: str) -> str:
    """Return what changes with the text of a file."""
    return hashlib.sha1(Path(file).read_bytes()).hexdigest()[:12] if Path(file).exists() else "gone"


def telling(source: str, file: str) -> ast.Module:
    r"""Return the tree of a text whose functions say that they run.

    >>> ast.unparse(telling("def f():\n    return 1", "core/a.py"))
    "def f():\n    __reached__.add('core/a.py:f')\n    return 1"
    """
    tree = ast.parse(source)
    _tell(tree, f"{file}:", "", inside=False)
    return ast.fix_missing_locations(tree)


def _tell(node: ast.AST, file: str, function: str, *, inside: bool) -> None:
    """Functions in functions count as the outer one."""
    for child in ast.iter_child_nodes(node):
        known = inside or not isinstance(child, ast.FunctionDef | ast.ClassDef)
        own = function if known else f"{function}.{child.name}".lstrip(".")
        is_function = isinstance(child, ast.FunctionDef)
        _tell(child, file, own, inside=inside or is_function)
        if isinstance(child, ast.FunctionDef):
            child.body.insert(ast.get_docstring(child) is not None, _note(file + own, child.body[0]))


def _note(name: str, before: ast.stmt) -> ast.stmt:
    return ast.copy_location(ast.parse(f"{NOTE}.add({name!r})").body[0], before)


class _Loader(SourceFileLoader):
    def get_code(self, fullname: str) -> Any:
        file = "/".join(Path(self.path).parts[-2:])
        return compile(telling(Path(self.path).read_text(), file), self.path, "exec", dont_inherit=True)


class _Finder(MetaPathFinder):
    def find_spec(self, fullname: str, path: Any, target: Any = None) -> ModuleSpec | None:
        if not fullname.startswith(tuple(f"{PACKAGE}.{part}." for part in PARTS)):
            return None
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is not None and spec.origin is not None:
            spec.loader = _Loader(fullname, spec.origin)
        return spec


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--reached", help="where to write which test runs what")
    parser.addoption("--most-of-one", type=float, default=4.0, help="seconds after which a test is left out")


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests() -> None:
    """Before anything imports the package."""
    setattr(builtins, NOTE, set())
    sys.meta_path.insert(0, _Finder())


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    known = noted(Path(config.getoption("--reached")))
    items[:] = [item for item in items if item.nodeid not in known]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Any:
    reached, times = getattr(builtins, NOTE), _shortened(item)
    reached.clear()
    started = time.process_time()
    try:
        return (yield)
    finally:
        seconds = round((time.process_time() - started) * times, 3)
        row = {"test": item.nodeid, "digest": digest(item.nodeid.split("::")[0]), "seconds": seconds}
        row |= {"functions": [], "left out": True} if item.nodeid in _LEFT_OUT else {"functions": sorted(reached)}
        with Path(item.config.getoption("--reached")).open("a") as file:
            file.write(json.dumps(row) + "\n")


def _shortened(item: pytest.Item) -> float:
    """Let a property have a few examples; return how many times more it has."""
    function: Any = getattr(item, "obj", None)
    usual = getattr(function, "_hypothesis_internal_use_settings", None)
    if usual is None or usual.max_examples <= EXAMPLES:
        return 1.0
    function = getattr(function, "__func__", function)
    function._hypothesis_internal_use_settings = settings(usual, max_examples=EXAMPLES)
    return usual.max_examples / EXAMPLES


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Any:
    signal.signal(signal.SIGPROF, _give_up)
    signal.setitimer(signal.ITIMER_PROF, item.config.getoption("--most-of-one"), 1.0)
    try:
        return (yield)
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0.0)


def _give_up(number: int, frame: Any) -> None:
    raise TooLongError


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    if report.failed:
        _LEFT_OUT.add(report.nodeid)


_LEFT_OUT: set[str] = set()
