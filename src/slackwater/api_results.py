"""What consumers of outputs need: the last revision of each window, when a contract gave way, how long rows took."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from slackwater.api import is_spark
from slackwater.errors import ColumnError, ParameterError

if TYPE_CHECKING:
    from slackwater.contracts import Contract

_COLUMNS = ("window", "revision")


def last_revision(results: Any, *, by: str | Sequence[str] | None = None) -> Any:
    """Return of each window and group the last result so far: an early one, until the final one is there.

    Args:
        results: of an aggregate with `early=`: a pyarrow Table, pandas or polars frame, which gives a Table back, or a
            Spark DataFrame, which gives a DataFrame back (a streaming one within `foreachBatch`).
        by: the columns that the aggregate is grouped by. The Tables of `sw.aggregate`, and Parquet files written from
            them, know it by themselves; of all else it must be said, and is `()` where there are no groups.

    >>> import pyarrow as pa, slackwater as sw
    >>> bus = sw.stream(pa.table({"ts": [1, 9, 4, 12, 19]}), event_time="ts", unit="s")
    >>> out = sw.aggregate(bus, size="10 seconds", values={"n": sw.count()}, contract=sw.FixedSlack("5 seconds"),
    ...                    early=sw.Early(aggressiveness=0.25))
    >>> out.results.select(["n", "kind"]).to_pylist()
    [{'n': 2, 'kind': 'early'}, {'n': 3, 'kind': 'final'}, {'n': 2, 'kind': 'early'}, {'n': 2, 'kind': 'final'}]
    >>> sw.last_revision(out.results).select(["n", "revision"]).to_pylist()
    [{'n': 3, 'revision': 1}, {'n': 2, 'revision': 1}]
    """
    keys = (by,) if isinstance(by, str) else by
    if is_spark(results):
        _check(results.columns, _said(keys))
        from slackwater.spark.marked import last_rows

        return last_rows(results, _said(keys))
    return _of_table(results, keys)


def _of_table(results: Any, keys: Sequence[str] | None) -> Any:
    import pyarrow.compute as pc

    from slackwater.local.frames import to_arrow
    from slackwater.pipeline.aggregate_columns import groups_named
    from slackwater.pipeline.groups import Groups

    table = to_arrow(results)
    by = _said(groups_named(table.schema) if keys is None else keys)
    _check(table.column_names, by)
    columns = [pc.struct_field(table["window"], "end"), *(table[column] for column in by)]
    if len(Groups.of([*columns, table["revision"]], table.num_rows).row) < table.num_rows:
        raise _too_few(by)
    groups = Groups.of(columns, table.num_rows)
    order = np.argsort(table["revision"].to_numpy(), kind="stable")
    last = np.zeros(len(groups.row), np.int64)
    last[groups.code[order]] = order  # of equal indexes the last one counts
    return table.take(np.sort(last))


def _said(by: Sequence[str] | None) -> tuple[str, ...]:
    """Refuse to guess: without its groups a window would keep one result, whosever that is."""
    if by is None:
        must, remedy = "say what the aggregate is grouped by", 'such as by="line"; by=() where it has no groups'
        raise ParameterError("by", by, must=must, remedy=remedy)
    return tuple(by)


def _too_few(by: tuple[str, ...]) -> ParameterError:
    must = "name all columns that the aggregate is grouped by"
    remedy = "a window has the same revision twice; if all are named, remove rows that are there twice"
    return ParameterError("by", by, must=must, remedy=remedy)


def _check(columns: Sequence[str], by: Sequence[str]) -> None:
    for column in (*_COLUMNS, *by):
        if column not in columns:
            raise ColumnError(
                "results", column, problem="does not exist", remedy="give the results of an aggregate with early="
            )


def conflicts(decisions: Any, contract: Contract) -> Any:
    """Return each stretch of time in which the first of two contracts had to give way, bucket by bucket.

    Args:
        decisions: the `decisions` of a plan, as an Arrow table.
        contract: the plan's, such as `sw.Recall(0.99) & sw.Deadline("5 seconds")`.

    >>> import pyarrow as pa, slackwater as sw
    >>> rows = pa.table({"ts": [1, 2, 9, 3], "seq": [0, 1, 2, 3]})
    >>> contract = sw.DropRatio(0.01) & sw.Deadline("5 seconds")
    >>> both = sw.merge(*(sw.stream(rows, name=name, event_time="ts", unit="s", arrival="seq") for name in "ab"),
    ...                 contract=contract)
    >>> sw.conflicts(both.decisions, contract).num_rows
    0
    """
    from slackwater.quality import conflicts as found

    return found.conflicts(decisions, contract)


def latency(where: str | os.PathLike[str]) -> Any:
    """Return how long the rows of a query on Spark took, as an Arrow table with a row for each micro-batch.

    A row counts when it is passed on in order, whether or not it gives results. All durations are in us:

    - `latency_p50`, `_p95`, `_p99`, `_max`: processing time from when a row came in until the outputs of its batch are
      written.
    - `stall_p50` and so on: how far the input's clock moved on between the batch that read a row and the one that gave
      it out; event time for which it was held back.
    - `since` says what "came in" is. "read": the beginning of the batch that read the row; how long it had been there
      before (at most since the last trigger) nobody has told us. "arrival_time": what that column says, where streams
      name one. "end": of the final results of an aggregate, the batch in which the clock came to their window's end.
    - `held_max`: the longest from "read" or "end" on, whatever `since` is.
    - `missed`: how many rows took longer than the contract's deadline; null where it has none.

    Of a chain the rows of its first operator count, until their batch is written; the time in open windows does not.

    These are measurements: a batch that is replayed after a crash has the figures of its last run, with the time that
    the query was down.

    Args:
        where: the checkpoint, or the folder that was given to `start(latency=)`. The files there are JSON lines with
            these columns; times are us since 1970.

    >>> import slackwater as sw
    >>> sw.latency("out/checkpoint")
    Traceback (most recent call last):
        ...
    slackwater.errors.ParameterError: where must have figures of a query, got 'out/checkpoint'; give the checkpoint of \
one that has written a batch, or the folder of start(latency=)
    """
    from slackwater.quality.latency_log import read_log

    return read_log(where)
