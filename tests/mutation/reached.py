"""A plugin of pytest that notes which functions of the package each test runs, and how long it takes.

    NUMBA_DISABLE_JIT=1 python -m pytest -p tests.mutation.reached --reached FILE tests/core ...

Kernels are plain Python then, so that their functions are seen like others, and some tests take minutes: those are left
out after a few seconds, and what has been seen is written when the time for all is over.
"""

from __future__ import annotations

import json
import random
import signal
import sys
import threading
import time
from inspect import CO_OPTIMIZED
from pathlib import Path
from types import CodeType
from typing import Any

import pytest

PARTS = ("core", "models", "control")


class TooLongError(BaseException):
    """A test that is not worth its time here. Not an `Exception`: Hypothesis would look for a smaller example."""


class Reached:
    """What each test that passed ran."""

    def __init__(self, root: Path) -> None:
        self._root = f"{root}/"
        self._names: dict[CodeType, str | None] = {}
        self._now: set[str] = set()
        self.tests: dict[str, dict[str, Any]] = {}

    def start(self) -> None:
        self._now = set()
        threading.settrace(self._called)
        sys.settrace(self._called)

    def stop(self, test: str, seconds: float) -> None:
        sys.settrace(None)
        threading.settrace(None)  # type: ignore[arg-type]
        if self._now:
            self.tests[test] = {"seconds": round(seconds, 3), "functions": sorted(self._now)}

    def _called(self, frame: Any, event: str, argument: Any) -> None:
        """Note a call. What calls of C take, which profilers are told of as well, would be half of the time."""
        code = frame.f_code
        if code not in self._names:
            self._names[code] = self._name(code)
        name = self._names[code]
        if name is not None:
            self._now.add(name)

    def _name(self, code: CodeType) -> str | None:
        file = code.co_filename.removeprefix(self._root)
        if file == code.co_filename or not file.startswith(PARTS):
            return None
        if not code.co_flags & CO_OPTIMIZED:  # a module or the body of a class, which runs when it is imported
            return None
        return f"{file}:{code.co_qualname.split('.<locals>')[0]}"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--reached", help="where to write which test runs what")
    parser.addoption("--most-of-one", type=float, default=6.0, help="seconds after which a test is left out")
    parser.addoption("--most-of-all", type=float, default=120.0, help="seconds after which no other test is begun")


def pytest_configure(config: pytest.Config) -> None:
    import slackwater

    assert slackwater.__file__ is not None
    config.stash[_KEY] = Reached(Path(slackwater.__file__).parent)


_KEY = pytest.StashKey[Reached]()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Where there is no time for all, those that are seen are of all files."""
    random.Random(0).shuffle(items)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Any:
    reached = item.config.stash[_KEY]
    started = time.process_time()
    reached.start()
    try:
        return (yield)
    finally:
        reached.stop(item.nodeid, time.process_time() - started)
        if time.process_time() > item.config.getoption("--most-of-all"):
            item.session.shouldstop = "the time for all is over"


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
        _FAILED.add(report.nodeid)


_FAILED: set[str] = set()


def pytest_sessionfinish(session: pytest.Session) -> None:
    tests = session.config.stash[_KEY].tests
    fine = {test: found for test, found in tests.items() if test not in _FAILED}
    Path(session.config.getoption("--reached")).write_text(json.dumps(fine, indent=0))
