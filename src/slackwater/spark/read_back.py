"""Small values as they come back from JSON: with the types that they were written with, or refused."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from types import UnionType
from typing import Any, ClassVar, TypeVar, get_args, get_origin, get_type_hints

from slackwater.errors import StateError

_T = TypeVar("_T")


def read_file(kind: type[_T], file: Path, *, remedy: str) -> _T:
    """Return the dataclass that a file of ours has; `StateError` if there is none, or it cannot be what was written."""
    try:
        return read_back(kind, json.loads(file.read_text()))
    except (OSError, ValueError, TypeError, AttributeError, RecursionError) as error:
        found = f"an unreadable file {file}" if file.exists() else f"no file {file}"
        raise StateError(found, expected="one written by slackwater", remedy=remedy) from error


def read_back(kind: type[_T], found: Mapping[str, Any]) -> _T:
    """Return a dataclass of what is written of its fields.

    Raises:
        TypeError: a field is missing, unknown, or of another type than the class says.

    >>> from slackwater.spark.state import Chunk
    >>> read_back(Chunk, {"number": 1, "rows": 4, "earliest": 0, "gone_to": 0}).rows
    4
    """
    hints = _hints(kind)  # type: ignore[arg-type]  # mypy doubts that a class can be hashed
    for name, value in found.items():
        if name in hints and not _fits(value, hints[name]):
            raise TypeError(f"{name} is {value!r}")
    return kind(**found)


@cache
def _hints(kind: type[Any]) -> dict[str, Any]:
    return {name: hint for name, hint in get_type_hints(kind).items() if get_origin(hint) is not ClassVar}


def _fits(value: Any, hint: Any) -> bool:
    """Whether a value is of a type; a sequence is a list after JSON, and true is no number."""
    inner = get_args(hint)
    match get_origin(hint):
        case _ if hint is Any:
            return True
        case origin if origin is UnionType:
            return any(_fits(value, each) for each in inner)
        case origin if origin in (tuple, Sequence):
            return isinstance(value, list | tuple) and all(_fits(each, inner[0]) for each in value)
        case origin if origin in (dict, Mapping):
            return isinstance(value, dict) and all(_fits(each, inner[1]) for each in value.values())
    return type(value) is hint
