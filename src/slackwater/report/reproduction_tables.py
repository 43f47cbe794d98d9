"""The metrics of an experiment as a table: a row for each configuration and policy, means and spreads over seeds."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from typing import Any

_OF_ROWS = ("stream", "policy", "function", "features", "trained_on")  # what tells rows of one cell apart


def metric_table(
    columns: Sequence[Mapping[str, str]], rows: Sequence[Mapping[str, Any]], names: Sequence[str]
) -> tuple[list[str], list[tuple[str, ...]]]:
    """Return heads and cells; `names` are those of configurations, of which those are shown that differ.

    >>> rows = [{"set": "a", "seed": 1, "phi": 0.9}, {"set": "b", "seed": 1, "phi": 1.0}]
    >>> metric_table([{"name": "phi", "head": "Φ", "unit": "%"}], rows, ["set"])
    (['set', 'Φ'], [('a', '90.0 %'), ('b', '100.0 %')])
    """
    own = {column["name"] for column in columns}
    plain = [row for row in rows if any(row.get(name) is not None for name in own)]
    told = [name for name in (*names, *_OF_ROWS) if name not in own and name != "duration"]
    keys = [name for name in dict.fromkeys(told) if _differs(plain, name)] or ["policy"]
    groups: dict[tuple[str, ...], list[Mapping[str, Any]]] = {}
    for row in plain:
        groups.setdefault(tuple(_text(row.get(name)) for name in keys), []).append(row)
    cells = [(*key, *(_metric(column, same) for column in columns)) for key, same in groups.items()]
    return [*keys, *(column["head"] for column in columns)], cells


def name_of(name: str) -> tuple[Any, ...]:
    """Sort figures by their numbers, then tables.

    >>> sorted(["a-table2", "a-fig10", "a-fig7"], key=name_of)
    ['a-fig7', 'a-fig10', 'a-table2']
    """
    _, *parts = name.split("-")
    kind = parts[0].rstrip("0123456789")
    return kind, [int(part) for part in (parts[0][len(kind) :], *parts[1:]) if part.isdigit()], name


def _metric(column: Mapping[str, str], rows: Sequence[Mapping[str, Any]]) -> str:
    values = [float(row[column["name"]]) for row in rows if row.get(column["name"]) is not None]
    if not values:
        return ""
    scale = 100 if column["unit"] == "%" else 1
    mean, low, high = (_number(scale * value, column["unit"]) for value in _spread(values))
    unit = f" {column['unit']}" if column["unit"] else ""
    return f"{mean}{unit}" if low == high else f"{mean}{unit} ({low} to {high})"


def _spread(values: Sequence[float]) -> tuple[float, float, float]:
    return statistics.fmean(values), min(values), max(values)


def _number(value: float, unit: str) -> str:
    if unit == "%":
        return f"{value:.1f}" if abs(value) >= 1 or not value else f"{value:.3g}"
    return f"{value:,.0f}" if abs(value) >= 1_000 else f"{value:.3g}"


def _differs(rows: Sequence[Mapping[str, Any]], name: str) -> bool:
    return len({_text(row.get(name)) for row in rows}) > 1


def _text(value: Any) -> str:
    return "" if value is None else str(value)
