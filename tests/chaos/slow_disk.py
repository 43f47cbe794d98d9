"""A disk that is slow: a query takes longer, and writes what it always does. Needs strace, which makes calls wait.

Every call that changes a folder, and every one that waits for data to be on disk, takes longer, wherever the file is;
reading and writing of data do not, since pipes and sockets would wait with them.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks.cluster import end_with_parent, python_path

from tests.chaos.ended import Ended
from tests.chaos.verify import verify_folder

_CALLS = "fsync,fdatasync,rename,renameat,renameat2,mkdir,mkdirat,unlink,unlinkat,rmdir,ftruncate,chmod,fchmod"
_DELAYS = (5, 20)  # ms
_LIMIT = 900.0


def run_slow_disk(name: str, work: Path, undisturbed: Path) -> Iterator[Ended]:
    """Run a query from its beginning where every change of a folder waits."""
    for delay in _DELAYS:
        fault = f"disk: {delay} ms for every change"
        if not can_slow_down():
            yield Ended(fault, None, good=True, skipped="not run: it needs strace, and the right to trace processes")
            return
        shutil.copytree(undisturbed / "in", work / "in")
        began = time.monotonic()
        error = _run_slowly(name, work, delay)
        seconds = time.monotonic() - began
        good = error is None and verify_folder(name, work, undisturbed).is_good
        yield Ended(f"{fault} ({seconds:.0f} s)", error, good)
        shutil.rmtree(work)


def can_slow_down() -> bool:
    """Return whether calls can be made to wait here."""
    if shutil.which("strace") is None:
        return False
    return subprocess.run([*_slowed(0), "true"], check=False, capture_output=True).returncode == 0


def _run_slowly(name: str, work: Path, delay: int) -> BaseException | None:
    command = [*_slowed(delay), sys.executable, "-m", "tests.chaos.driver", "local[2]", f"{work}={name}"]
    with (work / "log").open("wb") as log:
        environment = {**os.environ, "PYTHONPATH": python_path()}
        try:
            subprocess.run(
                command,
                check=True,
                timeout=_LIMIT,
                stdout=log,
                stderr=log,
                env=environment,
                preexec_fn=end_with_parent,
            )
        except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as error:
            return error
    return None


def _slowed(delay: int) -> list[str]:
    """Return a command before which any other one becomes slow."""
    return [
        *("strace", "--follow-forks", "--seccomp-bpf", "-qq", "--output=/dev/null", f"--trace={_CALLS}"),
        f"--inject={_CALLS}:delay_enter={delay}ms",
    ]
