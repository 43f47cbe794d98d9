"""Conditions bound to small tables."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from slackwater.pipeline.predicates import bind
from slackwater.plan.condition import analyze_condition


def bound(on=None, where=None, **tables):
    """Return a condition over tables, given as columns or as such."""
    tables = {name: each if isinstance(each, pa.Table) else pa.table(each) for name, each in tables.items()}
    return bind(
        analyze_condition(on, where, [(name, each.schema) for name, each in tables.items()]), list(tables.values())
    )


def every_pair(a: int, b: int) -> list[np.ndarray]:
    """Return the rows of all pairs, for tables of so many rows."""
    return [np.repeat(np.arange(a), b), np.tile(np.arange(b), a)]
