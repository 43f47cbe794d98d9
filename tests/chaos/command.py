"""Disturbs every query, verifies what it wrote, and prints the figures."""

from __future__ import annotations

import json
import random
import shutil
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import as_completed
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from itertools import count
from pathlib import Path

from rich.console import Console

import slackwater as sw
from slackwater.cli.demo.quiet import children_log_to
from tests.asked import check_among
from tests.chaos.disturb import Disturbed, Kill
from tests.chaos.ended import Ended
from tests.chaos.faulty import run_faults
from tests.chaos.figures import table_of
from tests.chaos.kills import kinds
from tests.chaos.lanes import LANES, Lanes, deal, lanes
from tests.chaos.queries import QUERIES
from tests.chaos.undisturbed import ROWS, prepare, run_undisturbed, undisturbed
from tests.chaos.verify import Verdict, verify_folder

_MORE = 2  # files than kills: about one batch is done for each kill


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
    *,
    kills: int = 200,
    seed: int = 0,
    only: Sequence[str] = (),
    output: Path | None = None,
    lanes: int = LANES,
    faults: bool = True,
) -> int:
    """Kill so many processes over all queries, then harm files; return the exit code: 1 if anything was wrong.

    Outcomes are added to a file in `output`, where there is one; the figures are those of the whole file.
    """
    check_among("only", only, tuple(QUERIES))
    console = Console()
    outcomes = list(_read(output))
    for outcome in run(kills, seed, only or tuple(QUERIES), console, lanes) if kills else ():
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
    ended = []
    with scratch() as folder:
        with children_log_to(folder / "log"):  # of harm that is meant, Spark has much to say
            spark = sw.session(app="chaos", master="local[2]", short_lived=True, spark__driver__memory="1g")
        spark.sparkContext.setLogLevel("OFF")
        for each in run_faults(spark, folder):
            ended.append(each)
            console.print(f"{each.fault}: {each.words}", highlight=False, markup=False, soft_wrap=True)
    spark.stop()
    wrong = sum(not each.good for each in ended)
    console.print(f"{len(ended)} faults, {wrong} of them neither recovered from nor named")
    return ended


def run(kills: int, seed: int, names: Sequence[str], console: Console, beside: int = LANES) -> Iterator[Outcome]:
    """Run every query until so many kills were done; those that a query ends too early for have another turn."""
    waiting, had = kinds(kills, random.Random(seed)), Counter[str]()
    with scratch() as folder, lanes(min(beside, len(names))) as running:
        for turn in count():
            if not waiting:
                return
            dealt = deal(waiting, names, had)
            waiting = []
            for outcome in _turn(running, folder / str(turn), dealt, seed + turn, console):
                name = outcome.disturbed.name
                had[name] += len(outcome.disturbed.kills)
                waiting += dealt[name]  # what was not done
                yield outcome


def _turn(running: Lanes, folder: Path, dealt: dict[str, list[str]], seed: int, console: Console) -> Iterator[Outcome]:
    """Disturb queries, as many at the same time as there are lanes; a run that nobody disturbs is one of them."""
    files = max(map(len, dealt.values())) + _MORE
    prepare(folder, dealt, files, seed)
    expected = running.threads.submit(run_undisturbed, folder, tuple(dealt), running.stop)
    disturbed = [running.disturb(folder / name, name, own, f"{seed} {name}") for name, own in dealt.items()]
    for each in as_completed([expected, *disturbed]):
        done = each.result()  # whoever fails first is heard first
        if done is not None:
            _say(console, done, "is compared when all others of this turn have ended")
    compared = undisturbed(folder, dealt)
    for each in disturbed:
        yield _outcome(folder, each.result(), compared[each.result().name], files * ROWS, console)


def _outcome(folder: Path, disturbed: Disturbed, expected: Path, rows: int, console: Console) -> Outcome:
    name = disturbed.name
    verdict = verify_folder(name, folder / name, expected)
    usual = verify_folder(name, expected, expected)
    if not usual.is_good:
        raise AssertionError(f"{name} is wrong even if nobody disturbs it: {usual}")
    caused = replace(verdict, violations=max(0, verdict.violations - usual.violations))
    _say(console, disturbed, "as if nothing had happened" if verdict.is_good else f"WRONG: {verdict}")
    return Outcome(disturbed, caused, rows)


def _say(console: Console, disturbed: Disturbed, words: str) -> None:
    done = f"{len(disturbed.kills)} kills, {disturbed.batches} batches"
    console.print(f"{disturbed.name}: {done}, {words}", highlight=False)


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
