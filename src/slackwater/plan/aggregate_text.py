"""Window aggregates as one line of text, for the command line: parse and print are inverse.

    <function>(<column>) as <name>[, ...] [by <column>[, ...]] size <duration> [slide <duration>]

Functions are those of `sw`: count() needs no column. Upper and lower case differ in columns and names only.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from slackwater.errors import ParameterError
from slackwater.plan import values as functions
from slackwater.plan.values import Value
from slackwater.time import Duration
from slackwater.wording import did_you_mean

FUNCTIONS: Mapping[str, Callable[..., Value]] = {
    "count": functions.count,
    "sum": functions.sum,
    "mean": functions.mean,
    "avg": functions.mean,
    "min": functions.min,
    "max": functions.max,
    "variance": functions.variance,
}
EXAMPLE = "max(speed) as worst, count() as n by segment size 60 seconds slide 20 seconds"

_CLAUSES = ("by", "size", "slide")
_VALUE = re.compile(r"(\w+)\s*\(\s*([^()]*?)\s*\)\s+as\s+(\w+)", re.IGNORECASE)


@dataclass(frozen=True)
class AggregateQuery:
    """What is to be computed, over which windows."""

    values: tuple[tuple[str, Value], ...]
    size: Duration
    slide: Duration
    by: tuple[str, ...] = ()

    def __str__(self) -> str:
        shown = ", ".join(f"{value!r} as {name}" for name, value in self.values)
        groups = f" by {', '.join(self.by)}" if self.by else ""
        slide = "" if self.slide == self.size else f" slide {self.slide}"
        return f"{shown}{groups} size {self.size}{slide}"


def parse_aggregate(text: str) -> AggregateQuery:
    """Read a query from text.

    >>> query = parse_aggregate("max(speed) as worst, count() as n by segment size 60 seconds slide 20 seconds")
    >>> query.by, query.values, query.size
    (('segment',), (('worst', max(speed)), ('n', count())), Duration('1 minute'))
    >>> str(query)
    'max(speed) as worst, count() as n by segment size 1 minute slide 20 seconds'
    """
    values, clauses = _split(text)
    size = Duration.of(clauses["size"], parameter="size")
    slide = Duration.of(clauses["slide"], parameter="slide") if "slide" in clauses else size
    by = tuple(name.strip() for name in clauses.get("by", "").split(",") if name.strip())
    return AggregateQuery(tuple(_value(text, each) for each in _listed(values)), size, slide, by)


def _split(text: str) -> tuple[str, dict[str, str]]:
    """Return the values, and the clauses by their words."""
    pieces = re.split(rf"\b({'|'.join(_CLAUSES)})\b(?![^(]*\))", text, flags=re.IGNORECASE)
    clauses: dict[str, str] = {}
    for word, value in zip(pieces[1::2], pieces[2::2], strict=True):
        if word.lower() in clauses or not value.strip():
            raise _wrong(text, f"say {word.lower()!r} once, with a value")
        clauses[word.lower()] = value.strip()
    if "size" not in clauses:
        raise _wrong(text, "say the size of the windows")
    return pieces[0].strip(), clauses


def _listed(values: str) -> list[str]:
    return [each.strip() for each in re.split(r",(?![^(]*\))", values)]


def _value(text: str, given: str) -> tuple[str, Value]:
    found = _VALUE.fullmatch(given)
    if found is None:
        raise _wrong(text, f"have values as function(column) as name, not {given!r}")
    function, column, name = found[1].lower(), found[2], found[3]
    if function not in FUNCTIONS:
        raise _wrong(text, f"use one of {', '.join(FUNCTIONS)}{_meant(function)}")
    if not column and function != "count":
        raise _wrong(text, f"name the column of {function}")
    return name, FUNCTIONS[function](column) if column else functions.count()


def _meant(function: str) -> str:
    meant = did_you_mean(function, FUNCTIONS)
    return f" ({meant.strip()})" if meant else ""


def _wrong(text: str, must: str) -> ParameterError:
    return ParameterError("query", text, must=must, remedy=f'such as "{EXAMPLE}"')
