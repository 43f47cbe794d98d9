"""Runs a query to its end while processes are killed: who, when, and how long until the next batch was committed."""

from __future__ import annotations

import os
import random
import re
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event

from benchmarks.cluster import Cluster, end_with_parent, python_path

from tests.chaos.kills import kill
from tests.chaos.moments import MOMENTS, commits, wait_for
from tests.chaos.processes import kill as kill_process

_BURST = 0.5  # the share of kills after which the next one does not wait for a batch
_MOST_FAILURES = 3  # of a driver that nobody has killed
_LIMIT = 600.0  # seconds for a batch, whatever was killed, and for somebody to kill; ten times that for a whole run


@dataclass(frozen=True)
class Kill:
    """A process that was ended, when, and how long it took until a batch was committed after that."""

    kind: str
    moment: str
    seconds: float


@dataclass
class Disturbed:
    """What happened to a query."""

    name: str
    kills: list[Kill] = field(default_factory=list)
    starts: int = 0  # of drivers
    failures: list[str] = field(default_factory=list)  # why drivers ended that nobody had killed
    lost_tasks: int = 0
    batches: int = 0
    seconds: float = 0.0


class StuckError(AssertionError):
    """A query did not go on."""


class Driver:
    """The driver of a query, which is started again whenever it ends before its input does."""

    def __init__(self, master: str, asked: Sequence[tuple[Path, str]], stop: Event | None = None) -> None:
        self._stop = stop or Event()
        self._command = [sys.executable, "-m", "tests.chaos.driver", master]
        self._command += [f"{folder}={name}" for folder, name in asked]
        self.log = asked[0][0] / "log"
        self._process = self._start()
        self.starts = 1
        self.failures: list[str] = []

    def ended(self) -> bool:
        return self._process.poll() is not None

    def kill(self) -> bool:
        """End it, the JVM that it has started too; return whether it had not ended by itself."""
        kill_process(self._process.pid, group=True)  # finds a leader that has ended, too, and a JVM that it left
        return self._process.wait() == -signal.SIGKILL

    def keep_alive(self) -> bool:
        """Start another one if this has ended before its time; return whether it ended with its input."""
        self.check_wanted()
        code = self._process.poll()
        if code is None:
            return False
        if code == 0:
            return True
        if code != -signal.SIGKILL:
            self.failures.append(_said_last(self.log))
        self._process, self.starts = self._start(), self.starts + 1
        return False

    def wait(self) -> None:
        """Wait for the end of its input; on a busy machine Spark may give up on itself, and is started again."""
        while not self.keep_alive():
            if len(self.failures) > _MOST_FAILURES:
                raise StuckError(f"a driver that nobody disturbed fails: {self.failures[-1]}")
            time.sleep(0.1)

    def check_wanted(self) -> None:
        """Raise StuckError if nobody waits for it any more."""
        if self._stop.is_set():
            raise StuckError("stopped, since something else has failed")

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


def disturb(
    cluster: Cluster, folder: Path, name: str, kinds: list[str], seeded: random.Random, stop: Event | None = None
) -> Disturbed:
    """Run a query to its end, or until `stop`; meanwhile kill one process after the other, and take it from `kinds`.

    One time in two a batch is committed before the next is killed; the others die while the last is being replaced.
    """
    done, began = Disturbed(name), time.monotonic()
    driver = Driver(cluster.master, [(folder, name)], stop)
    try:
        _recovered(folder, driver, began, since=0)
        while kinds and not driver.keep_alive():
            _kill_some(cluster, folder, driver, kinds, seeded, done)
        while not driver.keep_alive():
            time.sleep(0.05)
            _check_time("no end of its input", at=began, limit=_LIMIT * 10, driver=driver)
    finally:
        driver.kill()
    done.starts, done.failures = driver.starts, driver.failures
    done.lost_tasks = len(re.findall(r"Lost task ", driver.log.read_text(errors="replace")))
    done.batches, done.seconds = commits(folder), time.monotonic() - began
    return done


def _kill_some(
    cluster: Cluster, folder: Path, driver: Driver, kinds: list[str], seeded: random.Random, done: Disturbed
) -> None:
    """Kill processes until it is time to wait for a batch, then wait for it."""
    pending: list[tuple[str, str, float]] = []
    since, began = 0, time.monotonic()
    while kinds and not driver.ended():
        _check_time("nobody to kill", at=began, limit=_LIMIT, driver=driver)
        moment = seeded.choice(MOMENTS)
        wait_for(moment, folder, driver.ended, seeded)
        if driver.ended() or not kill(kinds[-1], cluster, driver, seeded):
            continue
        # only now: somebody at work may have been waited for, and a batch committed meanwhile
        since = commits(folder)
        pending.append((kinds.pop(), moment, time.monotonic()))
        if seeded.random() >= _BURST or driver.ended():
            break
    if pending:
        _recovered(folder, driver, pending[-1][2], since=since)
        done.kills += [Kill(kind, moment, time.monotonic() - at) for kind, moment, at in pending]


def _recovered(folder: Path, driver: Driver, at: float, *, since: int) -> None:
    """Wait until a batch is committed, or the query has ended; a driver that ended is started again."""
    while commits(folder) <= since and not driver.keep_alive():
        _check_time("no batch", at=at, limit=_LIMIT, driver=driver)
        time.sleep(0.01)


def _check_time(what: str, *, at: float, limit: float, driver: Driver) -> None:
    driver.check_wanted()
    if time.monotonic() - at > limit:
        raise StuckError(f"{what} for {limit:.0f} s; the driver said last: {_said_last(driver.log)}")


def _said_last(log: Path) -> str:
    """Return the last error in a log, in a line."""
    text = log.read_text(errors="replace")
    errors = re.findall(r"^\S*(?:Error|Exception): .*$", text, re.MULTILINE)
    return (errors or [text[-300:]])[-1][:500]
