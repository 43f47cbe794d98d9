"""From topics through a join with a contract into a topic: killed again and again, nothing lost, nothing twice.

ROWS and KILLS are read from the environment; `make kafka-test` moves five million rows and kills ten times. Figures are
printed.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.kafka.data import STREAMS, compare, generate
from tests.kafka.topics import ends, save_committed

pytestmark = [pytest.mark.slow, pytest.mark.timeout(7200)]
ROWS, KILLS = int(os.environ.get("ROWS", 100_000)), int(os.environ.get("KILLS", 2))
RATE = float(os.environ.get("RATE", 20_000))  # rows per second that are sent
BATCH = max(1_000, ROWS // (KILLS + 1) // 6)  # of a topic: every run that is killed has some batches
HERE = Path(__file__).parent


def start(folder: Path, script: str, *arguments: str) -> subprocess.Popen[bytes]:
    log = (folder / f"{script}.log").open("ab")
    command = [sys.executable, "-m", f"tests.kafka.{script}", str(folder), *arguments]
    path = os.pathsep.join(["src", os.environ.get("PYTHONPATH", "")])
    return subprocess.Popen(
        command,
        cwd=HERE.parent.parent,
        env={**os.environ, "PYTHONPATH": path, "BATCH": str(BATCH)},
        start_new_session=True,
        stdin=subprocess.PIPE,
        stdout=log,
        stderr=log,
    )


def commits(folder: Path) -> int:
    return len(list((folder / "checkpoint" / "commits").glob("[0-9]*")))


def kill_at_some_moment(job: subprocess.Popen[bytes], folder: Path, pause: float) -> None:
    """Kill a job, with all its processes, a while after it has committed a batch of its own."""
    before, deadline = commits(folder), time.monotonic() + 600
    while commits(folder) == before and job.poll() is None and time.monotonic() < deadline:
        time.sleep(0.05)  # the killer waits for its moment
    time.sleep(pause)
    os.killpg(job.pid, signal.SIGKILL)


def killed(folder: Path, servers: str, kill: int, chance: random.Random) -> str:
    """Run a job that does not see its end; return where it died."""
    where = ("after=1", "before=2", "", "after=2")[kill % 4]
    job = start(folder, "job", servers, *filter(None, [where]))
    try:
        if not where:
            kill_at_some_moment(job, folder, chance.uniform(0, 4))
        assert -signal.SIGKILL == job.wait(timeout=900), (folder / "job.log").read_text()[-3000:]
    finally:
        if job.poll() is None:
            os.killpg(job.pid, signal.SIGKILL)
    return where or "at some moment"


def test_a_join_from_topic_to_topic_loses_nothing_and_repeats_nothing(broker, tmp_path):
    generate(tmp_path, ROWS)
    for topic in STREAMS:
        broker.create_topic(topic, partitions=2, message__timestamp__type="LogAppendTime")
    broker.create_topic("results", partitions=2)
    began, chance = time.monotonic(), random.Random(1)
    producer = start(tmp_path, "produce", broker.servers, str(RATE))
    try:
        for kill in range(KILLS):
            where = killed(tmp_path, broker.servers, kill, chance)
            print(f"kill {kill + 1}: {where}, {commits(tmp_path)} batches committed, {time.monotonic() - began:.0f} s")
        assert 0 == producer.wait(timeout=3600)
        last = start(tmp_path, "job", broker.servers, "end=1")
        assert 0 == last.wait(timeout=3600), (tmp_path / "job.log").read_text()[-3000:]
    finally:
        producer.kill()
    took = time.monotonic() - began
    save_committed(broker.servers, "results", tmp_path / "results.json")
    found = compare(tmp_path)
    for name, value in found.items():
        print(f"{name:>18}  {value:,}")
    print(f"{'recall':>18}  {found['results'] / found['true results']:.5f}")
    print(f"{'offsets of results':>18}  {ends(broker.servers, 'results'):,} (with aborted rows and marks)")
    print(f"{'seconds':>18}  {took:.0f}, {commits(tmp_path)} batches, {KILLS} kills")
    wrong = {name: found[name] for name in ("lost", "duplicated", "invented", "late twice")}
    assert {"lost": 0, "duplicated": 0, "invented": 0, "late twice": 0} == wrong
    assert (ROWS, found["malformed sent"]) == (found["sent"], found["malformed in late"])
    assert found["results"] >= 0.98 * found["true results"] > 0
