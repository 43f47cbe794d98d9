"""One mutant against the tests that run what it changes, in a fork of a process that has the libraries loaded already.

The mutant is compiled in the child when its module is imported; no file is changed.
"""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.util
import os
import resource
import signal
import sys
import time
from collections.abc import Sequence
from importlib.machinery import ModuleSpec, SourceFileLoader
from pathlib import Path
from typing import Any, NamedTuple

from tests.mutation.mutants import Mutant, mutated
from tests.mutation.patched import patch

_MOST_MEMORY = 4 << 30  # a loop that does not end any more must not take the machine with it
_LEAST, _TIMES = 8.0, 1.5  # seconds of processor time, and times the usual ones, after which a mutant is hanging
_WAITS = 60.0  # seconds on the clock in which it does nothing at all: it waits for something that never comes


class Outcome(NamedTuple):
    """What became of a trial."""

    what: str  # "killed", "timeout", "survived" or "unclear"
    seconds: float
    by: str  # the test that failed; nothing where none came to that


def outcome_of(mutant: Mutant | None, root: Path, tests: Sequence[str], usual: float, *, anew: bool = False) -> Outcome:
    """Try the tests; `anew` imports all that may have run already. None is no change: what the tests do without any."""
    started, limit = time.monotonic(), _LEAST + _TIMES * usual
    reads, writes = os.pipe()
    child = os.fork()
    if child == 0:
        _run(mutant, root, tests, int(limit), _Failed(writes), anew=anew)
    os.close(writes)
    what = _waited_for(child)
    with os.fdopen(reads) as failed:
        return Outcome(what, time.monotonic() - started, failed.readline().strip() if what == "killed" else "")


def _waited_for(child: int) -> str:
    used, since = -1, time.monotonic()
    while time.monotonic() < since + _WAITS:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return _outcome(os.waitstatus_to_exitcode(status))
        if (now := _processor_time(child)) > used:
            used, since = now, time.monotonic()
        time.sleep(0.05)
    os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return "timeout"


class _Failed:
    """A plugin of pytest that writes down which tests fail."""

    def __init__(self, file: int) -> None:
        self._file = file

    def pytest_runtest_logreport(self, report: Any) -> None:
        if report.failed:
            os.write(self._file, f"{report.nodeid}\n".encode())


def _outcome(code: int) -> str:
    """Say what an exit code means; another one than that of a failed test says nothing about the mutant."""
    if code < 0:
        return "timeout" if -code == signal.SIGXCPU else "killed"
    return {0: "survived", 1: "killed", 2: "killed"}.get(code, "unclear")


def _processor_time(process: int) -> int:
    """Return the clock ticks that a process has used."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return int(fields[11]) + int(fields[12])


def _run(mutant: Mutant | None, root: Path, tests: Sequence[str], seconds: int, failed: _Failed, *, anew: bool) -> None:
    """Run the tests in the child; never returns."""
    code = 99
    try:
        os.setpgid(0, 0)
        resource.setrlimit(resource.RLIMIT_AS, (_MOST_MEMORY, _MOST_MEMORY))
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 5))
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 1)
        os.dup2(nowhere, 2)
        if mutant is not None and (anew or not patch(mutant, root)):
            code = 1  # if it cannot be imported, every test notices
            _import_anew(mutant, root)
        import pytest

        quiet = ["-x", "-q", "-p", "no:cacheprovider", "--hypothesis-seed=0", "--timeout=0", "--no-header", "--tb=no"]
        code = int(pytest.main([*quiet, "--doctest-modules", *tests], [failed]))
    finally:
        os._exit(code)


def _import_anew(mutant: Mutant, root: Path) -> None:
    """Let everything be imported anew: what is changed is not a function.

    The changed module comes first: pytest would load one whose examples are among the tests by itself, unchanged.
    """
    for name in [each for each in sys.modules if each.split(".")[0] in (root.name, "tests", "conftest")]:
        if not name.startswith("tests.mutation"):
            del sys.modules[name]
    finder = _Finder(mutant, root)
    sys.meta_path.insert(0, finder)
    importlib.import_module(finder.module)


def load(tests: Sequence[str]) -> None:
    """Import the package and the files of tests, once for all forks.

    Properties do not look for the smallest example, nor begin with those that an earlier mutant has failed.
    """
    import pytest
    from hypothesis import Phase, settings

    settings.register_profile("mutants", phases=(Phase.explicit, Phase.generate), database=None)
    settings.load_profile("mutants")  # which that of tests/conftest.py is made from
    files = sorted({test.split("::")[0] for test in tests})
    quiet = ["-q", "-q", "-p", "no:cacheprovider", "--no-header"]
    pytest.main(["--collect-only", "--doctest-modules", *quiet, *files])


class _Finder(importlib.abc.MetaPathFinder):
    """Finds the one module that is changed."""

    def __init__(self, mutant: Mutant, root: Path) -> None:
        self.module = f"{root.name}.{mutant.file.removesuffix('.py').replace('/', '.')}"
        self._loader = _Loader(self.module, str(root / mutant.file), mutant)

    def find_spec(self, fullname: str, path: Any, target: Any = None) -> ModuleSpec | None:
        if fullname != self.module:
            return None
        return importlib.util.spec_from_file_location(fullname, self._loader.path, loader=self._loader)


class _Loader(SourceFileLoader):
    def __init__(self, name: str, path: str, mutant: Mutant) -> None:
        super().__init__(name, path)
        self._mutant = mutant

    def get_code(self, fullname: str) -> Any:
        source = Path(self.path).read_text()
        return compile(mutated(source, self._mutant.number), self.path, "exec")
