"""The input of queries, and runs of them that nobody disturbs: over the same files, taken in the same batches."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from threading import Event

from tests.chaos.disturb import Driver
from tests.chaos.inputs import rows_of, streams_of, write_input
from tests.chaos.planned import is_usual, write_as_planned
from tests.chaos.queries import QUERIES

ROWS = 300  # of a batch


def prepare(folder: Path, names: Iterable[str], files: int, seed: int) -> None:
    """Write the input of each query twice."""
    rows = rows_of(files * ROWS, seed)
    for name in names:
        for copy in (folder / name, folder / "undisturbed" / name):
            write_input(copy, streams_of(rows, QUERIES[name].streams, seed), files)


def run_undisturbed(folder: Path, names: Iterable[str], stop: Event | None = None) -> None:
    """Run queries over one copy of their input, all in one session, to their end or until `stop`."""
    _run([(folder / "undisturbed" / name, name) for name in names], stop)


def undisturbed(folder: Path, names: Iterable[str]) -> dict[str, Path]:
    """Return where the same batches of each query are that nobody disturbed; those planned otherwise are run here."""
    found = {name: folder / ("undisturbed" if is_usual(folder / name) else "replanned") / name for name in names}
    replanned = [(where, name) for name, where in found.items() if not where.exists()]
    for where, name in replanned:
        write_as_planned(folder / name, where)
    if replanned:
        _run(replanned)
    return found


def _run(asked: Sequence[tuple[Path, str]], stop: Event | None = None) -> None:
    driver = Driver("local[2]", asked, stop)
    try:
        driver.wait()
    finally:
        driver.kill()
