"""Runs a query to its end while processes are killed: who, when, and how long until the next batch was committed."""

from __future__ import annotations

import os
import random
import re
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.cluster import Cluster, end_with_parent, python_path

from tests.chaos.driver import DONE
from tests.chaos.kills import kill
from tests.chaos.moments import MOMENTS, commits, wait_for
from tests.chaos.processes import kill as kill_process

_LIMIT = 300.0  # seconds in which a batch must be committed, whatever was killed


@dataclass(frozen=True)
class Kill:
    """A process that was ended, when, and how long it took until a batch was committed after that."""

    kind: str
    moment: str
    seconds: float


@dataclass
class Disturbed:
    """What happened to a query."""

    kills: list[Kill] = field(default_factory=list)
    starts: int = 0  # of drivers
    failures: list[str] = field(default_factory=list)  # of drivers that were not killed
    lost_tasks: int = 0
    batches: int = 0
    seconds: float = 0.0


class StuckError(AssertionError):
    """A query did not go on."""


class Driver:
    """The driver of a query, which is started again whenever it ends before its input does."""

    def __init__(self, cluster: Cluster, asked: Sequence[tuple[Path, str]]) -> None:
        self._command = [sys.executable, "-m", "tests.chaos.driver", cluster.master]
        self._command += [f"{folder}={name}" for folder, name in asked]
        self.log = asked[0][0] / "log"
        self._process = self._start()
        self.starts = 1
        self.failures: list[str] = []

    @property
    def pid(self) -> int:
        return self._process.pid

    def ended(self) -> bool:
        return self._process.poll() is not None

    def keep_alive(self, *, killed: bool) -> bool:
        """Start another one if this has ended before its time; return whether it ended with its input."""
        code = self._process.poll()
        if code is None:
            return False
        if code == 0:
            return True
        if not killed:
            self.failures.append(_said_last(self.log))
        self._process, self.starts = self._start(), self.starts + 1
        return False

    def end(self) -> None:
        kill_process(self.pid, group=True)
        self._process.wait()

    def _start(self) -> subprocess.Popen[bytes]:
        environment = {**os.environ, "PYTHONPATH": python_path(), "SPARK_LOCAL_IP": "127.0.0.1"}
        with self.log.open("ab") as log:
            return subprocess.Popen(
                self._command,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
                preexec_fn=end_with_parent,
            )


def disturb(cluster: Cluster, folder: Path, name: str, kinds: Sequence[str], seeded: random.Random) -> Disturbed:
    """Run a query to its end; kill one process after the other, each when a batch was committed since the last."""
    done, began, waiting = Disturbed(), time.monotonic(), list(kinds)
    driver = Driver(cluster, [(folder, name)])
    try:
        _recovered(folder, driver, began, killed=False)  # the first batch
        while waiting and not (folder / DONE).exists():
            moment = seeded.choice(MOMENTS)
            wait_for(moment, folder, driver.ended, seeded)
            before, at = commits(folder), time.monotonic()
            if not driver.ended() and kill(waiting[-1], cluster, driver.pid, seeded):
                kind = waiting.pop()
                _recovered(folder, driver, at, killed=kind == "driver", since=before)
                done.kills.append(Kill(kind, moment, time.monotonic() - at))
            elif driver.keep_alive(killed=False):
                break
        while not driver.keep_alive(killed=False):
            time.sleep(0.05)
            _check_time(at=began, limit=_LIMIT * 10, driver=driver)
    finally:
        driver.end()
    done.starts, done.failures = driver.starts, driver.failures
    done.lost_tasks = len(re.findall(r"Lost task ", driver.log.read_text(errors="replace")))
    done.batches, done.seconds = commits(folder), time.monotonic() - began
    return done


def _recovered(folder: Path, driver: Driver, at: float, *, killed: bool, since: int = 0) -> None:
    """Wait until a batch is committed, or the query has ended; a driver that ended is started again."""
    while commits(folder) <= since and not driver.keep_alive(killed=killed):
        _check_time(at=at, limit=_LIMIT, driver=driver)
        time.sleep(0.01)


def _check_time(*, at: float, limit: float, driver: Driver) -> None:
    if time.monotonic() - at > limit:
        raise StuckError(f"no batch for {limit:.0f} s; the driver said last: {_said_last(driver.log)}")


def _said_last(log: Path) -> str:
    """Return the last error in a log, in a line."""
    text = log.read_text(errors="replace")
    errors = re.findall(r"^\S*(?:Error|Exception): .*$", text, re.MULTILINE)
    return (errors or [text[-300:]])[-1][:500]
