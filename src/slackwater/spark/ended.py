"""The end of a streaming query; its failure is an error of ours."""

from __future__ import annotations

from typing import TYPE_CHECKING

from slackwater.errors import QueryError

if TYPE_CHECKING:
    from pyspark.sql.streaming.query import StreamingQuery

_REMEDY = "mend the cause, and the same call goes on from the checkpoint"


def has_ended(query: StreamingQuery) -> bool:
    """Say whether a query has ended by itself.

    Raises:
        QueryError: it has failed; the line of what Spark says that tells most.
    """
    if query.isActive:
        return False
    error = query.exception()
    if error is None:
        return True
    lines = [line for line in str(error).split("\n") if line.strip()]
    raise QueryError(query.name or "a query", problem=_last_error(lines), remedy=_REMEDY)


def _last_error(lines: list[str]) -> str:
    """Return what a Python worker said last, where it was one that failed, or else the first line.

    >>> _last_error(["[STREAM_FAILED] Query [id = 1] terminated with exception: x", "Traceback ...", "ValueError: bad"])
    'ValueError: bad'
    """
    python = [line for line in lines if "Error: " in line and not line.startswith((" ", "\t", "["))]
    return (python[-1] if python else lines[0]).strip()
