"""Columns and filters written in SQL, over a DataFrame: Spark evaluates them."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from pyspark.errors import AnalysisException, ParseException
from pyspark.sql import functions as F  # noqa: N812  (the name that every Spark program uses)
from pyspark.sql.pandas.types import from_arrow_schema

from slackwater.errors import ConditionError
from slackwater.spark.outputs import Destination, checked_destinations

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame

_T = TypeVar("_T")


def select(frame: DataFrame, columns: Sequence[tuple[str, str]]) -> DataFrame:
    """Return columns by their names and expressions.

    Raises:
        ConditionError: Spark does not understand one.
    """
    written = ", ".join(sql for _, sql in columns)
    return _understood(written, lambda: frame.select(*(F.expr(sql).alias(name) for name, sql in columns)))


def with_columns(frame: DataFrame, columns: Sequence[tuple[str, str]]) -> DataFrame:
    """Add columns by their names and expressions."""
    written = ", ".join(sql for _, sql in columns)
    return _understood(written, lambda: frame.withColumns({name: F.expr(sql) for name, sql in columns}))


def keep(frame: DataFrame, condition: str) -> DataFrame:
    """Return the rows for which a condition is true."""
    return _understood(condition, lambda: frame.where(F.expr(condition)))


def start_changed(plan: Any, results: Destination, change: Callable[[Any], Any], **more: Any) -> Any:
    """Start a plan whose results are changed before they are written; folders are checked as `start` does."""
    folders = {"results": results, "late": more.get("late"), "decisions": more.get("decisions")}
    columns = columns_of(plan, change)
    checkpoint = os.fspath(more["checkpoint"])
    checked = checked_destinations(folders, checkpoint=checkpoint, columns=columns, reads=plan.reads)
    return plan.start(results=_changed(checked["results"] if callable(results) else results, change), **more)


def columns_of(plan: Any, change: Callable[[Any], Any]) -> Mapping[str, Sequence[str]]:
    """Return the names of the columns of each output of a plan whose results are changed."""
    return {**plan.columns_out, "results": change(no_rows(plan.frames[0], plan.results_schema)).columns}


def _changed(where: Destination, change: Callable[[Any], Any]) -> Destination:
    """Return where rows go after a change; a folder stays one, with a subfolder for each batch."""
    if callable(where):
        return lambda rows, batch: where(change(rows), batch)
    folder = os.fspath(where).rstrip("/")
    return lambda rows, batch: change(rows).write.mode("overwrite").parquet(f"{folder}/batch={batch}")


def _understood(written: str, make: Callable[[], _T]) -> _T:
    try:
        return make()
    except (AnalysisException, ParseException) as error:
        said = (error.getMessage() or str(error)).split("\n")[0]
        raise ConditionError(written, problem=said, remedy="Spark evaluates it: see its SQL functions") from error


def no_rows(frame: DataFrame, schema: pa.Schema) -> DataFrame:
    """Return an empty DataFrame with these columns, of the session of another."""
    return frame.sparkSession.createDataFrame([], from_arrow_schema(schema))
