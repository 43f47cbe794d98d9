"""What an experiment is: a frozen description, and a function from a cell to rows of metrics.

A cell is one configuration with one seed on one engine. What comes out of it are plain rows, so that whoever reads the
results needs none of this code.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from slackwater.sources.real import REAL

if TYPE_CHECKING:
    from slackwater.experiments.frame.claims import Claim

Scale: TypeAlias = Literal["smoke", "small", "paper"]
Engine: TypeAlias = Literal["local", "spark"]
Config: TypeAlias = Mapping[str, Any]  # what JSON can hold
Row: TypeAlias = dict[str, Any]

SCALES: tuple[Scale, ...] = ("smoke", "small", "paper")
ENGINES: tuple[Engine, ...] = ("local", "spark")
FIXED_SEEDS = (1, 2, 3, 4, 5)  # before any was run
SEEDS: Mapping[Scale, tuple[int, ...]] = {"smoke": (1,), "small": (1,), "paper": FIXED_SEEDS}


@dataclass(frozen=True)
class Cell:
    """One configuration with one seed on one engine."""

    config: Config
    seed: int = 1
    engine: Engine = "local"

    def __getitem__(self, name: str) -> Any:
        """Return what the configuration says."""
        return self.config[name]

    @property
    def key(self) -> str:
        """What tells the cell from others, also in a file.

        >>> Cell({"set": "syn3"}, seed=2).key
        '{"config": {"set": "syn3"}, "engine": "local", "seed": 2}'
        """
        named = {"config": dict(self.config), "seed": self.seed, "engine": self.engine}
        return json.dumps(named, sort_keys=True)


@dataclass(frozen=True)
class Column:
    """A metric as it is shown: its name in rows, what people call it, and its unit ("" for a plain number, "%")."""

    name: str
    head: str
    unit: str = ""


@dataclass(frozen=True, kw_only=True)
class Plot:
    """A figure: `y` over `x`, a line for each value of `lines`, a panel for each value of `panels`.

    Where rows hold lists for `x` and `y`, each row is a line by itself (`over_time`).
    """

    heading: str
    caption: str
    x: Column
    y: Column
    lines: tuple[str, ...] = ()
    panels: tuple[str, ...] = ()
    kind: Literal["lines", "bars", "over_time"] = "lines"
    x_log: bool = False
    y_log: bool = False
    where: Config = field(default_factory=dict)  # only rows that have these values


@dataclass(frozen=True, kw_only=True)
class Experiment:
    """A table or figure of a document, or a question of our own.

    Args:
        document: short name of the document, or "ours".
        section: where it is there.
        title: what it shows, in a line.
        about: how we set it up, and how that differs from the document.
        grids: the configurations of each scale, those of the same data together.
        run: from a cell to its rows.
        claims: what the document says that can be checked.
        table: which metrics are shown as a table.
        plots: the figures.
        seeds: of each scale, where they are not `SEEDS`.
        timed: whether rows are times, which no two runs have in common.
        in_matrix: whether its rows are part of the one matrix of contracts, controllers and sets.
        in_process_only: why the smoke scale does not run on Spark as well; empty where it does.
    """

    document: str
    section: str
    title: str
    about: str
    grids: Mapping[Scale, Sequence[Config]]
    run: Callable[[Cell], Iterable[Row]]
    claims: tuple[Claim, ...] = ()
    table: tuple[Column, ...] = ()
    plots: tuple[Plot, ...] = ()
    seeds: Mapping[Scale, tuple[int, ...]] = field(default_factory=lambda: SEEDS)
    timed: bool = False
    in_matrix: bool = False
    in_process_only: str = ""

    def cells(self, scale: Scale, engine: Engine = "local", seeds: tuple[int, ...] | None = None) -> list[Cell]:
        """Return all cells of a scale, those with the same data together; real data sets have no seeds."""
        seeds = seeds or self.seeds[scale]
        cells = [
            Cell(config, each, engine)
            for each in seeds
            for config in self.grids[scale]
            if each == seeds[0] or config.get("set") not in REAL
        ]
        order = list(dict.fromkeys((_data(cell), cell.seed) for cell in cells))
        return sorted(cells, key=lambda cell: order.index((_data(cell), cell.seed)))


def grid(**choices: Sequence[Any]) -> list[dict[str, Any]]:
    """Return every combination, the first name changing slowest.

    >>> grid(set=["a", "b"], target=[0.9])
    [{'set': 'a', 'target': 0.9}, {'set': 'b', 'target': 0.9}]
    """
    return [dict(zip(choices, values, strict=True)) for values in product(*choices.values())]


def _data(cell: Cell) -> tuple[Any, Any]:
    return cell.config.get("set"), cell.config.get("duration")
