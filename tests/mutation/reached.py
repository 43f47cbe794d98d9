"""A plugin of pytest that notes which functions of the package each test runs, and how long it takes.

    NUMBA_DISABLE_JIT=1 python -m pytest -p tests.mutation.reached --reached FILE tests/core ...

Kernels are plain Python then, so that their functions are seen like others.
"""

from __future__ import annotations

import json
import sys
import threading
import time
from pathlib import Path
from types import CodeType
from typing import Any

import pytest

PARTS = ("core", "models", "control")


class Reached:
    """What each test that passed ran."""

    def __init__(self, root: Path) -> None:
        self._root = f"{root}/"
        self._names: dict[CodeType, str | None] = {}
        self._now: set[str] = set()
        self.tests: dict[str, dict[str, Any]] = {}

    def start(self) -> None:
        self._now = set()
        threading.setprofile(self._called)
        sys.setprofile(self._called)

    def stop(self, test: str, seconds: float) -> None:
        sys.setprofile(None)
        threading.setprofile(None)  # type: ignore[arg-type]
        if self._now:
            self.tests[test] = {"seconds": round(seconds, 3), "functions": sorted(self._now)}

    def _called(self, frame: Any, event: str, argument: Any) -> None:
        if event != "call":
            return
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
        return f"{file}:{code.co_qualname.split('.<locals>')[0]}"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--reached", help="where to write which test runs what")


def pytest_configure(config: pytest.Config) -> None:
    import slackwater

    assert slackwater.__file__ is not None
    config.stash[_KEY] = Reached(Path(slackwater.__file__).parent)


_KEY = pytest.StashKey[Reached]()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Any:
    reached = item.config.stash[_KEY]
    started = time.process_time()
    reached.start()
    try:
        return (yield)
    finally:
        reached.stop(item.nodeid, time.process_time() - started)


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    if report.failed:
        _FAILED.add(report.nodeid)


_FAILED: set[str] = set()


def pytest_sessionfinish(session: pytest.Session) -> None:
    tests = session.config.stash[_KEY].tests
    fine = {test: found for test, found in tests.items() if test not in _FAILED}
    Path(session.config.getoption("--reached")).write_text(json.dumps(fine, indent=0))
