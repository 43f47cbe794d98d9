"""Whether Spark gives the figures of the run in process: cell by cell, but for what is measured in time."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from slackwater.experiments.frame.description import Cell, Row
from slackwater.experiments.frame.results import Results
from slackwater.experiments.frame.runner import Asked

MEASURED_IN_TIME = frozenset({"cost_us"})
_ROUNDING = 1e-9  # sums are added up in another order


def compare_engines(spark: Asked, local: Asked, names: Sequence[str]) -> tuple[int, list[str]]:
    """Return how many cells both have run, and a line for each whose figures differ."""
    compared, different = 0, []
    for name in names:
        known = Results(local.folder, name).read()
        for line in Results(spark.folder, name).read().values():
            beside = known.get(Cell(line["config"], line["seed"]).key)
            if beside is not None:
                compared += 1
                found = _differing(line["rows"], beside["rows"])
                different += [f"differs: {name} {line['config']} {', '.join(found)}"] if found else []
    return compared, different


def in_process(asked: Asked) -> Asked:
    """Return the same in process, in the folder beside."""
    return replace(asked, engine="local", folder=asked.folder.parent / asked.scale)


def _differing(some: Sequence[Row], others: Sequence[Row]) -> list[str]:
    """Return the names of the figures that are not the same.

    >>> _differing([{"kept": 1.0, "cost_us": 7.0}], [{"kept": 0.9, "cost_us": 3.0}])
    ['kept']
    """
    if len(some) != len(others):
        return [f"{len(some)} rows instead of {len(others)}"]
    pairs = list(zip(some, others, strict=True))
    names = dict.fromkeys(name for pair in pairs for row in pair for name in row)
    return [name for name in names if name not in MEASURED_IN_TIME and not all(_same(*pair, name) for pair in pairs)]


def _same(one: Mapping[str, Any], other: Mapping[str, Any], name: str) -> bool:
    return _near(one.get(name), other.get(name))


def _near(one: Any, other: Any) -> bool:
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_near, one, other))
    if isinstance(one, float) and isinstance(other, float):
        return math.isclose(one, other, rel_tol=_ROUNDING, abs_tol=1e-12) or (math.isnan(one) and math.isnan(other))
    return bool(one == other)
