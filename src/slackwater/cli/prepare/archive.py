"""Makes, once for an environment, what every session would else make for itself: kernels and an archive of classes."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from slackwater.errors import PrepareError
from slackwater.spark.java_start import PLACE, archive_for
from slackwater.spark.session import java_found

_PATIENCE = 600  # seconds that a JVM may take to write its classes


def prepare(say: Callable[[str], None]) -> Path:
    """Run every operator once, so that kernels are compiled and classes archived; return the file with the classes.

    Sessions that run meanwhile are not disturbed: the archive is put in place when it is whole.
    """
    archive = archive_for(java_found())
    try:
        archive.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=archive.parent) as scratch:
            return _prepared(archive, Path(scratch), say)
    except OSError as error:
        reason = f"cannot write to {archive.parent}: {error.strerror}"
        raise PrepareError(reason, remedy=f"name a file in another place with {PLACE}") from error


def _prepared(archive: Path, scratch: Path, say: Callable[[str], None]) -> Path:
    written = scratch / "classes.jsa"
    say("compiling kernels and running every operator once, in process and on Spark (a minute or two)")
    command = [sys.executable, "-m", "slackwater.cli.prepare.first_queries", str(scratch), str(written)]
    without = {**os.environ, PLACE: str(written)}  # a JVM that maps an archive cannot write one
    done = subprocess.run(command, env=without, capture_output=True, text=True, check=False)
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["no reason given"])[-1]
        raise PrepareError(
            f"its queries failed: {last}", remedy="mend that, or try again on a machine that is less busy"
        )
    say("waiting for Java to write the classes it has loaded")
    _wait_for_end(_process(done.stdout))
    if not written.is_file():
        raise PrepareError("this Java wrote no archive of classes", remedy="install OpenJDK 17 or newer")
    written.replace(archive)
    return archive


def _process(printed: str) -> int:
    """Return the number of the JVM's process: the first line of digits, since a JVM prints what it likes."""
    return next(int(line) for line in printed.splitlines() if line.isdigit())


def _wait_for_end(process: int) -> None:
    deadline = time.monotonic() + _PATIENCE
    while _runs(process):
        if time.monotonic() > deadline:
            raise PrepareError(f"Java (process {process}) still writes after {_PATIENCE} s", remedy="end it, try again")
        time.sleep(0.2)


def _runs(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return not _is_zombie(process)


def _is_zombie(process: int) -> bool:
    """Whether it has ended and nobody asked how, as in a container whose first process adopts but does not wait."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(") ")[2].startswith("Z")
    except OSError:
        return False
