"""Disturbs every query, verifies what it wrote, and prints the figures."""

from __future__ import annotations

import json
import random
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from types import SimpleNamespace

from benchmarks.cluster import cluster
from rich.console import Console

import slackwater as sw
from tests.chaos.disturb import Disturbed, Driver, Kill, disturb
from tests.chaos.ended import Ended
from tests.chaos.faulty import run_faults
from tests.chaos.figures import table_of
from tests.chaos.inputs import rows_of, streams_of, write_input
from tests.chaos.kills import kinds
from tests.chaos.planned import is_usual, write_as_planned
from tests.chaos.queries import QUERIES
from tests.chaos.verify import Verdict, verify_folder

ROWS = 300  # of a batch
_WORKERS = 2


@dataclass(frozen=True)
class Outcome:
    """What was done to a query, and what came of it."""

    disturbed: Disturbed
    verdict: Verdict
    rows: int

    @classmethod
    def read(cls, line: str) -> Outcome:
        """Return what a line of JSON says."""
        found = json.loads(line)
        disturbed = Disturbed(**found["disturbed"])
        disturbed.kills = [Kill(**each) for each in found["disturbed"]["kills"]]
        return cls(disturbed, Verdict(**found["verdict"]), found["rows"])


def main(
    *, kills: int = 200, seed: int = 0, only: Sequence[str] = (), output: Path | None = None, faults: bool = True
) -> int:
    """Kill so many processes over all queries, then harm files; return the exit code: 1 if anything was wrong.

    Outcomes are added to a file in `output`, where there is one; the figures are those of the whole file.
    """
    console = Console()
    outcomes = list(_read(output))
    for outcome in run(kills, seed, only or tuple(QUERIES), console) if kills else ():
        outcomes.append(outcome)
        if output is not None:
            output.mkdir(parents=True, exist_ok=True)
            with (output / "kills.jsonl").open("a") as file:
                file.write(json.dumps(asdict(outcome)) + "\n")
    console.print(table_of(outcomes))
    ended = run_faults_here(console) if faults else []
    return 0 if all(outcome.verdict.is_good for outcome in outcomes) and all(each.good for each in ended) else 1


def run_faults_here(console: Console) -> list[Ended]:
    """Harm the files of a stopped query, in a session of this process; print what each fault led to."""
    spark = sw.session(app="chaos", master="local[2]", spark__driver__memory="1g")
    spark.sparkContext.setLogLevel("OFF")
    ended = []
    with scratch() as folder:
        for each in run_faults(spark, folder):
            ended.append(each)
            console.print(f"{each.fault}: {each.words}", highlight=False, markup=False, soft_wrap=True)
    spark.stop()
    wrong = sum(not each.good for each in ended)
    console.print(f"{len(ended)} faults, {wrong} of them neither recovered from nor named")
    return ended


def run(kills: int, seed: int, names: Sequence[str], console: Console) -> Iterator[Outcome]:
    """Run every query until so many kills were done; one that ends before its kills are done has another turn."""
    seeded = random.Random(seed)
    waiting = kinds(kills, seeded)
    with scratch() as folder, cluster(_WORKERS) as running:
        turn = 0
        while waiting:
            asked = names[: len(waiting)]
            share = -(-len(waiting) // len(asked))
            files = share * 2 // 3 + 4
            prepared = prepare(folder / str(turn), asked, files, seed + turn)
            for name in asked:
                own = [waiting.pop() for _ in range(min(share, len(waiting)))]
                if not own:
                    continue
                disturbed = disturb(running, prepared / name, name, own, seeded)
                waiting += own  # what was not done
                yield _outcome(prepared, disturbed, files * ROWS, console)
            turn += 1


def prepare(folder: Path, names: Sequence[str], files: int, seed: int) -> Path:
    """Write the input of each query twice, and run one of them undisturbed, all at the same time."""
    rows = rows_of(files * ROWS, seed)
    for name in names:
        for copy in (folder / name, folder / "undisturbed" / name):
            write_input(copy, streams_of(rows, QUERIES[name].streams, seed), files)
    _run_undisturbed([(folder / "undisturbed" / name, name) for name in names])
    return folder


def _run_undisturbed(asked: Sequence[tuple[Path, str]]) -> None:
    driver = Driver(SimpleNamespace(master="local[2]"), asked)
    try:
        driver.wait()
    finally:
        driver.end()


def _undisturbed(folder: Path, name: str) -> Path:
    """Return where the same batches of a query are that nobody disturbed."""
    if is_usual(folder / name):
        return folder / "undisturbed" / name
    copy = folder / "replanned" / name
    write_as_planned(folder / name, copy)
    _run_undisturbed([(copy, name)])
    return copy


def _outcome(folder: Path, disturbed: Disturbed, rows: int, console: Console) -> Outcome:
    name = disturbed.name
    expected = _undisturbed(folder, name)
    verdict = verify_folder(name, folder / name, expected)
    usual = verify_folder(name, expected, expected)
    if not usual.is_good:
        raise AssertionError(f"{name} is wrong even if nobody disturbs it: {usual}")
    caused = replace(verdict, violations=max(0, verdict.violations - usual.violations))
    outcome = Outcome(disturbed, caused, rows)
    words = "as if nothing had happened" if verdict.is_good else f"WRONG: {verdict}"
    console.print(f"{name}: {len(disturbed.kills)} kills, {disturbed.batches} batches, {words}", highlight=False)
    return outcome


def _read(output: Path | None) -> Iterator[Outcome]:
    file = None if output is None else output / "kills.jsonl"
    if file is not None and file.exists():
        yield from map(Outcome.read, file.read_text().splitlines())


@contextmanager
def scratch() -> Iterator[Path]:
    """Give a folder that is deleted unless something fails in it."""
    folder = Path(tempfile.mkdtemp(prefix="slackwater-chaos-"))
    try:
        yield folder
    except BaseException:
        Console(stderr=True).print(f"what is left of it is in {folder}")
        raise
    shutil.rmtree(folder, ignore_errors=True)
