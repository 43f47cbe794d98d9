"""A disk that is full: the query says so, and goes on when there is room again. Needs root, to mount a small disk."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pyspark.sql import SparkSession

from slackwater.errors import SlackwaterError
from tests.chaos.driver import run
from tests.chaos.ended import Ended
from tests.chaos.verify import verify_folder

_SIZE = 16 * 1024 * 1024
_LEFT = (0, 20_000, 100_000)  # bytes that are left when the query starts: the first write fails, or one of the next
_SAYS = "no space is left on a disk.*make room.*nothing is lost"


def run_full_disk(spark: SparkSession, name: str, stopped: Path, work: Path, undisturbed: Path) -> Iterator[Ended]:
    """Let a stopped query go on where no room is left, then make room and let it go on."""
    for left in _LEFT:
        fault = f"disk: {left:,} bytes left"
        with small_disk(work) as mounted:
            if not mounted:
                yield Ended(fault, None, good=True, skipped="not run: mounting a small disk needs root")
                return
            shutil.copytree(stopped, work, dirs_exist_ok=True)
            error = _run_without_room(spark, name, work, left)
            clear = isinstance(error, SlackwaterError) and bool(re.search(_SAYS, str(error)))
            run(spark, work, name)
            yield Ended(fault, error, good=clear and verify_folder(name, work, undisturbed).is_good)


def _run_without_room(spark: SparkSession, name: str, work: Path, left: int) -> BaseException | None:
    ballast = work / "ballast"
    free = os.statvfs(work)
    with ballast.open("wb") as file:
        os.posix_fallocate(file.fileno(), 0, free.f_bavail * free.f_frsize - left)
    try:
        run(spark, work, name)
    except Exception as error:
        return error
    finally:
        ballast.unlink()
    return None


@contextmanager
def small_disk(folder: Path) -> Iterator[bool]:
    """Mount a small disk at a folder; say whether that was possible."""
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", f"size={_SIZE}", "tmpfs", str(folder)]
    mounted = os.geteuid() == 0 and subprocess.run(command, check=False, capture_output=True).returncode == 0
    try:
        yield mounted
    finally:
        if mounted:
            subprocess.run(["umount", "--lazy", str(folder)], check=True)
        shutil.rmtree(folder, ignore_errors=True)
