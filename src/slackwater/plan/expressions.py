"""Expressions of conditions as trees."""

from __future__ import annotations

from functools import lru_cache

import sqlglot
from sqlglot import exp


@lru_cache(maxsize=256)
def parsed(expression: str) -> exp.Expr:
    """Return the tree of an expression; not to be changed."""
    return sqlglot.parse_one(expression, dialect="duckdb", into=exp.Condition)
