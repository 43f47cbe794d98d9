"""The control stream: small records that reach every bucket of a running query.

It is part of the input, so a replayed batch sees the same records. By default it is a folder of JSON files.
"""

from __future__ import annotations

import errno
import json
import os
import uuid
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pyspark.sql import functions as F  # noqa: N812  (the name that every Spark program uses)

from slackwater.control.following import Told
from slackwater.errors import ParameterError, QueryError
from slackwater.pipeline.prod import Prod, check_prod
from slackwater.time import Duration, DurationLike, microseconds_of

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Mapping

    from pyspark.sql import DataFrame, SparkSession

KINDS = ("drain", "prod", "slack")  # that anyone may send
PLAN = "_plan.json"  # what runs, for those who send; Spark reads no file whose name begins so
_MOST_BYTES = 4096


@dataclass(frozen=True, slots=True)
class ControlRecord:
    """What a record asks for; a kind that a plan has no use for is ignored and reported in `decisions`."""

    kind: str
    told: Told | None = None  # of kind "slack": what the driver decided for all buckets
    prod: Prod | None = None  # of kind "prod": what is asked for


def read_record(body: bytes) -> ControlRecord:
    """Read a record; whatever is not a JSON object with a kind becomes one of an unknown kind.

    >>> read_record(b'{"kind": "drain"}').kind
    'drain'
    >>> read_record(b'{"kind": "slack", "slack": 1500, "at": 60000000}').told
    Told(slack=1500, at=60000000)
    >>> read_record(b"nonsense").kind
    'unreadable'
    """
    try:
        found = json.loads(body[:_MOST_BYTES])
        kind = str(found["kind"])
        return ControlRecord(
            kind, _told(found) if kind == "slack" else None, Prod.read(found) if kind == "prod" else None
        )
    except (ValueError, KeyError, TypeError):
        return ControlRecord("unreadable")


def _told(found: dict[str, Any]) -> Told:
    slack, at = found["slack"], found["at"]
    if type(slack) is not int or type(at) is not int or not 0 <= slack <= Duration.MAX.microseconds:
        raise ValueError
    return Told(slack, at)


def send(
    folder: str | os.PathLike[str],
    kind: str,
    *,
    until: dt.datetime | int | None = None,
    where: Mapping[str, Any] | None = None,
    slack: DurationLike | None = None,
    at: int | None = None,
) -> None:
    """Put a record into a control folder; it appears there complete or not at all.

    Args:
        folder: what was given to `start(control=)`.
        kind: "drain" releases all that is held, and closes everything that waits; "prod" asks an aggregate for early
            results; "slack" tells a plan with a `Deadline` how long to wait.
        until: of a prod, the end of the last window asked for (a datetime, or us); left out, all that are open.
        where: of a prod, values of the columns that the aggregate is grouped by; left out, all groups.
        slack: what to wait; it is followed from the next decision on, for a minute of event time past `at`.
        at: the event time at which the slack was decided, in us.
    """
    if kind not in KINDS:
        raise ParameterError("kind", kind, must=f"be one of {', '.join(KINDS)}", remedy='use "drain"')
    if (kind == "slack") != (slack is not None and at is not None):
        raise ParameterError("kind", kind, must='have slack= and at= if it is "slack"', remedy="give both, or none")
    prod = Prod(None if until is None else microseconds_of(until), where or {})
    if kind != "prod" and prod != Prod():
        raise ParameterError("kind", kind, must='be "prod" where until= or where= is given', remedy="leave them out")
    plan = Path(folder) / PLAN
    if kind == "prod" and plan.exists():
        _check_answered(json.loads(plan.read_text()), prod)
    told = {} if slack is None else {"slack": Duration.of(slack, parameter="slack").microseconds, "at": at}
    record = {"kind": kind, **(prod.as_record() if kind == "prod" else told)}
    put(Path(folder) / f"{uuid.uuid4().hex}.json", json.dumps(record, default=str) + "\n")


def describe(folder: str | os.PathLike[str] | DataFrame, plan: Mapping[str, Any]) -> None:
    """Write down what runs, so that a mistake is found where a record is sent; a remote folder gets none."""
    if isinstance(folder, str | os.PathLike) and "://" not in os.fspath(folder):
        put(Path(folder) / PLAN, json.dumps(dict(plan)) + "\n")


def _check_answered(plan: Mapping[str, Any], prod: Prod) -> None:
    if not plan.get("early"):
        raise ParameterError(
            "kind", "prod", must="be one that the query knows", remedy="start it with early=sw.Early() or more"
        )
    check_prod(plan.get("by", ()), prod)


def put(path: Path, text: str) -> None:
    """Write a file that appears complete or not at all, whoever looks and whatever crashes.

    Raises:
        QueryError: the disk is full.
    """
    try:
        _put(path, text)
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT):
            raise
        remedy = "make room, and the same call goes on: nothing is lost"
        raise QueryError(f"writing {path}", problem="no space is left on a disk", remedy=remedy) from error


def _put(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    hidden = path.with_name(f".{path.name}.tmp")
    with hidden.open("w") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    hidden.replace(path)
    _keep_names(path.parent)


def _keep_names(folder: Path) -> None:
    """Make the names in a folder survive a crash of the machine; some mounted file systems cannot promise that."""
    opened = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(opened)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):
            raise
    finally:
        os.close(opened)


def control_packets(
    spark: SparkSession, control: str | os.PathLike[str] | DataFrame, buckets: int, *, clean: bool = False
) -> DataFrame:
    """Return the records of a folder, or of a streaming DataFrame with one text column, for every bucket.

    `clean` lets Spark delete files of the folder once the batch that read them is committed.
    """
    if isinstance(control, str | os.PathLike):
        folder = os.fspath(control)
        if "://" not in folder:
            Path(folder).mkdir(parents=True, exist_ok=True)  # Spark refuses to watch a folder that is not there
        control = spark.readStream.option("cleanSource", "delete" if clean else "off").text(folder)
    text = control.select(F.col(control.columns[0]).cast("string").alias("text"))
    return text.select(
        F.explode(F.sequence(F.lit(0), F.lit(buckets - 1))).alias("bucket"),
        F.lit(1).cast("tinyint").alias("kind"),
        F.lit(-1).alias("stream"),
        F.lit(-1).alias("source"),
        F.lit(0).alias("position"),
        F.col("text").cast("binary").alias("body"),
    )
