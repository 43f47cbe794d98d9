"""Matrices that are run cell by cell: each is kept in a file of JSON lines as soon as it is known.

A cell says what is run; its figures are what came out.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from itertools import groupby, product
from pathlib import Path
from typing import Any, TypeVar

import slackwater

Figures = dict[str, Any]
_Loaded = TypeVar("_Loaded")


@dataclass(frozen=True)
class Cell:
    """One entry of a matrix; a real data set has no seeds, and is run once, as seed 1."""

    set: str
    seed: int
    target: float
    controller: str
    duration: str | None
    version: str = slackwater.__version__


def read(path: Path) -> dict[Cell, Figures]:
    """Return the cells of a file; the last one counts where one was written twice."""
    lines = path.read_text(encoding="utf-8").splitlines() if path.is_file() else []
    rows = [json.loads(line) for line in lines]
    names = [field.name for field in fields(Cell)]
    return {Cell(**{name: row[name] for name in names}): without(row, set(names)) for row in rows}


def run_missing(
    path: Path,
    wanted: Sequence[Cell],
    run: Callable[[Sequence[Cell]], Iterable[tuple[Cell, Figures]]],
    line: Callable[[Cell, Figures], str],
) -> dict[Cell, Figures]:
    """Run the cells that a file does not have, add them to it, and return all that were wanted."""
    known = read(path)
    missing = [cell for cell in wanted if cell not in known]
    path.parent.mkdir(parents=True, exist_ok=True)
    for number, (cell, figures) in enumerate(run(missing)):
        known[cell] = figures
        with path.open("a", encoding="utf-8") as file:
            file.write(json.dumps({**asdict(cell), **figures}) + "\n")
        print(f"{number + 1}/{len(missing)} {line(cell, figures)}", file=sys.stderr, flush=True)
    return {cell: known[cell] for cell in wanted}


def cells_of(sets: Sequence[str], targets: str, controllers: str, *, seed: int, duration: str | None) -> list[Cell]:
    """Return the cells of a matrix; targets and controllers are listed with commas."""
    return [
        Cell(name, seed, float(target), controller, duration)
        for name, target, controller in product(sets, targets.split(","), controllers.split(","))
    ]


def set_by_set(
    cells: Sequence[Cell], load: Callable[[Cell], _Loaded], measure: Callable[[_Loaded, Cell], Figures]
) -> Iterator[tuple[Cell, Figures]]:
    """Measure cells in their order; cells of a set that follow each other share what is loaded."""
    for _, together in groupby(cells, key=lambda cell: cell.set):
        own = list(together)
        loaded = load(own[0])
        for cell in own:
            yield cell, measure(loaded, cell)


def table_of(heads: Sequence[str], cells: Mapping[Cell, Figures], shown: Callable[[Figures], tuple[str, ...]]) -> str:
    """Return a row for each cell: what it is, then what is shown of its figures."""
    rows = [(cell.set, f"{cell.target:g}", cell.controller, *shown(figures)) for cell, figures in cells.items()]
    return markdown([heads, *rows])


def in_ms(value: float | None) -> str:
    """Write a duration in us as ms."""
    return "-" if value is None else f"{value / 1_000:,.4g}"


def without(row: Figures, names: set[str]) -> Figures:
    """Return a row without some of its entries."""
    return {name: value for name, value in row.items() if name not in names}


def markdown(rows: Sequence[Sequence[str]]) -> str:
    """Return rows, the first of which are heads, as a table in Markdown."""
    heads, *others = rows
    return "\n".join(f"| {' | '.join(row)} |" for row in (heads, ("---",) * len(heads), *others))
