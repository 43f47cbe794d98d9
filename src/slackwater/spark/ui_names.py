"""What people see in Spark's UI: the name of a query, and what each of its jobs does.

Spark 4.3 lets a program name queries, jobs and Python functions of a plan. The stateful operator is called
TransformWithStateInPySpark whatever runs in it.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

from slackwater.spark.connect import is_connect

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

T = TypeVar("T")
_DESCRIPTION = "spark.job.description"
_STARTING: set[str] = set()  # names of queries that other threads are about to start
_CHOOSING = threading.Lock()


def free_name(wanted: str, taken: Iterable[str | None]) -> str:
    """Return a name that no running query has.

    >>> free_name("join of a, b", ["join of a, b", None, "join of a, b (2)"])
    'join of a, b (3)'
    """
    names, number = set(taken), 1
    while (name := wanted if number == 1 else f"{wanted} ({number})") in names:
        number += 1
    return name


@contextmanager
def name_for(given: str | None, wanted: str, spark: SparkSession) -> Iterator[str]:
    """Give the name of a query that is started within: that of its user, or one that no other query has or gets."""
    if given is not None:
        yield given
        return
    with _CHOOSING:
        name = free_name(wanted, [*(each.name for each in spark.streams.active), *_STARTING])
        _STARTING.add(name)
    try:
        yield name
    finally:
        _STARTING.discard(name)


def named(function: Callable[..., Any], *words: str) -> Callable[..., Any]:
    """Give a function of a plan the name that its node shows.

    >>> named(lambda: 1, "pack", "bus lines").__name__
    'pack_bus_lines'
    """
    function.__name__ = "_".join(re.sub(r"\W+", "_", word) for word in words)
    return function


def described(spark: SparkSession, what: str, work: Callable[[], T]) -> Callable[[], T]:
    """Return the same work, whose jobs say what they are for, after what Spark says of the query and the batch."""
    if is_connect(spark):
        return work  # jobs are the server's

    def run() -> T:
        context = spark.sparkContext
        before = context.getLocalProperty(_DESCRIPTION)
        context.setLocalProperty(_DESCRIPTION, f"{before or ''}<br/>{what}")
        try:
            return work()
        finally:
            context.setLocalProperty(_DESCRIPTION, before)  # type: ignore[arg-type]  # None takes it away

    return run
