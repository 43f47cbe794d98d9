"""Puts queries under load, verifies what they wrote, and prints the figures."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

from rich.console import Console

import slackwater as sw
from tests.asked import check_among
from tests.chaos.command import scratch
from tests.load.overload import overload
from tests.load.report import (
    overload_table,
    saturation_table,
    shapes_table,
    silence_table,
    soak_table,
    write_json,
)
from tests.load.running import pin
from tests.load.saturation import saturate
from tests.load.shaped import shapes_of
from tests.load.shapes import IN_PROCESS, ON_SPARK, SHAPES
from tests.load.silence import silences_of
from tests.load.soak import soak

SHARE = 0.7  # of what a query can do
QUERIES = ("reorder", "join", "aggregate")
PARTS = ("saturation", "overload", "shapes", "shapes-spark", "silence", "silence-spark")
_TABLES = {
    "saturation": saturation_table,
    "overload": overload_table,
    "shapes": shapes_table,
    "silence": silence_table,
}
_KEPT = ("samples.jsonl", "progress.jsonl", "heap.jsonl")


def main(
    *,
    parts: Sequence[str] = (),
    queries: Sequence[str] = (),
    shapes: Sequence[str] = (),
    minutes: float = 2,
    output: Path,
) -> int:
    """Run the parts that are asked for; return the exit code: 1 if anything was wrong."""
    check_among("part", parts, PARTS)
    check_among("query", queries, QUERIES)
    check_among("shape", shapes, tuple(SHAPES))
    console, good = Console(), True
    output.mkdir(parents=True, exist_ok=True)
    for part in parts or PARTS:
        with scratch() as folder:
            tell = _teller(output / "load.log")
            found = []
            for outcome in _run(part, folder, queries or QUERIES, shapes, minutes, tell):
                write_json(output / "load.jsonl", [outcome])  # at once: what follows may fail
                found.append(outcome)
        console.print(_TABLES[part.partition("-")[0]](found))
        good = good and all(each.is_good for each in found)
    return 0 if good else 1


def _run(
    part: str,
    folder: Path,
    queries: Sequence[str],
    shapes: Sequence[str],
    minutes: float,
    tell: Callable[[str], None],
) -> Iterator[Any]:
    if part == "saturation":
        yield from (saturate(query, folder / query) for query in queries)
    elif part == "overload":
        yield from (overload(query, folder / query, minutes=minutes, tell=tell) for query in queries)
    else:
        kind, _, engine = part.partition("-")
        with _session() if engine else nullcontext() as spark:
            where = ON_SPARK if engine else IN_PROCESS
            if kind == "shapes":
                yield from shapes_of(where, folder, shapes=shapes, spark=spark, tell=tell)
            else:
                yield from silences_of(where, folder, spark=spark, tell=tell)


@contextmanager
def _session() -> Iterator[Any]:
    spark = sw.session(app="load", master="local[1]", spark__driver__memory="1g")
    spark.sparkContext.setLogLevel("ERROR")
    yield spark
    spark.stop()


def main_soak(*, minutes: float, query: str, output: Path, share: float = SHARE) -> int:
    """Measure what a query keeps up on one core, then run it at a share of that; return 1 if anything was wrong."""
    check_among("query", [query], QUERIES)
    console = Console()
    output.mkdir(parents=True, exist_ok=True)
    pin([0])
    with scratch() as folder:
        most = saturate(query, folder / "saturation")
        console.print(saturation_table([most]))
        rate = share * most.rows_per_second
        found = soak(query, folder / "soak", rate=rate, minutes=minutes, tell=_teller(output / "soak.log"))
        console.print(soak_table(found))
        write_json(output / "load.jsonl", [most, found])
        for file in (folder / "soak" / name for name in _KEPT):
            if file.exists():
                (output / f"soak-{file.name}").write_text(file.read_text())
    return 0 if most.is_good and found.is_good else 1


def _teller(file: Path) -> Callable[[str], None]:
    def tell(words: str) -> None:
        with file.open("a") as lines:
            lines.write(f"{time.strftime('%H:%M:%S')} {words}\n")

    return tell
