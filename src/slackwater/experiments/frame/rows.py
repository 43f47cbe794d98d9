"""Rows of metrics, and what they say over seeds."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from slackwater.experiments.frame.description import Column, Row


class Spread(NamedTuple):
    """A metric over seeds: its mean, the lowest and the highest."""

    mean: float
    low: float
    high: float
    seeds: int

    def text(self, unit: str = "") -> str:
        """Write it for people; the spread only where there are several seeds.

        >>> Spread(0.97, 0.95, 0.99, 5).text("%"), Spread(13.88, 13.88, 13.88, 1).text("s")
        ('97.0 % (95.0 to 99.0)', '13.88 s')
        """
        scale, tail = (100, " %") if unit == "%" else (1, f" {unit}" if unit else "")
        mean, low, high = (shown(value * scale, percent=unit == "%") for value in self[:3])
        return f"{mean}{tail}" if self.seeds == 1 else f"{mean}{tail} ({low} to {high})"


class MissingRowsError(LookupError):
    """What was asked for was not run."""


@dataclass(frozen=True)
class Rows:
    """Rows with the configuration, the seed and the metrics of their cells."""

    rows: Sequence[Row]

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def where(self, **wanted: Any) -> Rows:
        """Keep the rows that have these values; of a tuple, any of them.

        >>> len(Rows([{"set": "a"}, {"set": "b"}]).where(set=("b", "c")))
        1
        """
        return Rows([row for row in self.rows if all(_has(row, name, value) for name, value in wanted.items())])

    def distinct(self, name: str) -> list[Any]:
        """Return the values that rows have for a name, in the order in which they came."""
        return list(dict.fromkeys(row[name] for row in self.rows if name in row))

    def spread(self, metric: str) -> Spread:
        """Return the mean of a metric over the rows of each seed, over seeds.

        >>> Rows([{"seed": 1, "phi": 0.9}, {"seed": 2, "phi": 1.0}]).spread("phi")
        Spread(mean=0.95, low=0.9, high=1.0, seeds=2)
        """
        by_seed: dict[Any, list[float]] = {}
        for row in self.rows:
            if row.get(metric) is not None:
                by_seed.setdefault(row.get("seed"), []).append(float(row[metric]))
        if not by_seed:
            raise MissingRowsError(metric)
        means = [statistics.fmean(values) for values in by_seed.values()]
        return Spread(statistics.fmean(means), min(means), max(means), len(means))

    def mean(self, metric: str) -> float:
        """Return the mean over seeds."""
        return self.spread(metric).mean

    def text(self, column: Column) -> str:
        """Write a metric for people."""
        return self.spread(column.name).text(column.unit)


def shown(value: float, *, percent: bool = False) -> str:
    """Write a number for people.

    >>> shown(0.01234), shown(1234.5), shown(99.95, percent=True), shown(0.0)
    ('0.01234', '1,234', '100.0', '0')
    """
    if percent:
        return f"{value:.1f}" if abs(value) >= 1 or not value else f"{value:.3g}"
    return f"{value:,.0f}" if abs(value) >= 1_000 else f"{value:.4g}"


def _has(row: Row, name: str, value: Any) -> bool:
    return name in row and (row[name] in value if isinstance(value, tuple) else row[name] == value)
