"""The control stream: small records that reach every bucket of a running query.

It is part of the input, so a replayed batch sees the same records. By default it is a folder of JSON files.
"""

from __future__ import annotations

import errno
import json
import os
import time
import uuid
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pyspark.sql import functions as F  # noqa: N812  (the name that every Spark program uses)

from slackwater.control.following import Told
from slackwater.errors import ParameterError, QueryError
from slackwater.pipeline.prod import Prod, check_prod
from slackwater.plan.contract_text import parse_contract
from slackwater.plan.validate import check_contract
from slackwater.spark.ruling import own_change_refused
from slackwater.time import MAX_TIME, MIN_TIME, Duration, DurationLike, microseconds_of
from slackwater.wording import printable

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Collection, Iterable, Mapping

    from pyspark.sql import DataFrame, SparkSession

KINDS = ("drain", "prod", "slack", "contract")  # that anyone may send
PLAN = "_plan.json"  # what runs, for those who send; Spark reads no file whose name begins so
MOST_LETTERS = 500  # of a contract's text
_MOST_BYTES = 4096  # of a record
_RECORDS_PER_BATCH = 1_000  # that are heeded
_REPORTED, _SHOWN = 100, 60  # records of a batch that are reported, and characters of each
_LONGEST_LINE = 65_536  # longer lines are passed over by Spark, which notes it in its log: they never fill a worker
_FILES_PER_BATCH = 1_000  # more wait for the next batches


@dataclass(frozen=True, slots=True)
class ControlRecord:
    """What a record asks for; a kind that a plan has no use for is ignored and reported in `decisions`."""

    kind: str
    told: Told | None = None  # of kind "slack": what the driver decided for all buckets
    prod: Prod | None = None  # of kind "prod": what is asked for
    contract: str | None = None  # of kind "contract": what is to rule from now on
    sent: int = 0  # and when it was sent, in us: of several in one batch the last one rules
    stop: bool = False  # of kind "drain": whether the query is to end with it


def read_record(body: bytes) -> ControlRecord:
    """Read a record; whatever is too long or not a JSON object with a kind becomes one of an unknown kind.

    >>> read_record(b'{"kind": "drain"}').kind
    'drain'
    >>> read_record(b'{"kind": "slack", "slack": 1500, "at": 60000000}').told
    Told(slack=1500, at=60000000)
    >>> read_record(b"nonsense").kind
    'unreadable'
    """
    if len(body) > _MOST_BYTES:
        return ControlRecord("unreadable")
    try:
        found = json.loads(body)
        json.dumps(found, ensure_ascii=False).encode()  # a ValueError: half a character, which no column can hold
        return _record(str(found["kind"]), found)
    except (ValueError, KeyError, TypeError, RecursionError):
        return ControlRecord("unreadable")


def _record(kind: str, found: dict[str, Any]) -> ControlRecord:
    match kind:
        case "slack":
            return ControlRecord(kind, told=_told(found))
        case "prod":
            return ControlRecord(kind, prod=Prod.read(found))
        case "contract":
            return ControlRecord(kind, contract=_text(found["contract"]), sent=_number(found.get("sent", 0)))
        case "drain":
            return ControlRecord(kind, stop=found.get("stop") is True)
        case _:
            return ControlRecord(kind)


def _text(found: object) -> str:
    if not isinstance(found, str) or len(found) > MOST_LETTERS:
        raise ValueError
    found.encode()  # a ValueError: half a letter, which no column can hold
    return found


def _number(found: object) -> int:
    if type(found) is not int:
        raise ValueError
    return found


def read_records(bodies: Iterable[bytes | None]) -> list[ControlRecord]:
    """Read the records of a batch, whichever order they came in; of more than are sensible, only so many are heeded.

    >>> [record.kind for record in read_records([b'{"kind": "slack"}', b'{"kind": "drain"}'])]
    ['drain', 'unreadable']
    """
    ordered = sorted(body or b"" for body in bodies)  # a null is no record either
    beyond = max(0, len(ordered) - _RECORDS_PER_BATCH)
    refused = [ControlRecord(f"{beyond:,} records beyond {_RECORDS_PER_BATCH:,} of a batch")] if beyond else []
    return [*map(read_record, ordered[:_RECORDS_PER_BATCH]), *refused]


def ignored_words(control: Iterable[ControlRecord], heeds: Collection[str]) -> list[str]:
    """Return in words which records mean nothing to a plan that heeds some kinds: not more than people read.

    >>> ignored_words([ControlRecord("drain"), ControlRecord("dance")], ["drain"])
    ['ignored: dance']
    """
    kinds = [record.kind for record in control if record.kind not in heeds]
    words = [f"ignored: {printable(kind)[:_SHOWN]}" for kind in kinds[:_REPORTED]]
    return [*words, f"ignored: {len(kinds) - _REPORTED:,} more"] if len(kinds) > _REPORTED else words


def _told(found: dict[str, Any]) -> Told:
    slack, at = found["slack"], found["at"]
    if type(slack) is not int or type(at) is not int or not 0 <= slack <= Duration.MAX.microseconds:
        raise ValueError
    if not MIN_TIME <= at <= MAX_TIME:
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
    contract: str | None = None,
    stop: bool = False,
) -> None:
    """Put a record into a control folder; it appears there complete or not at all.

    Args:
        folder: what was given to `start(control=)`.
        kind: "drain" releases all that is held, and closes everything that waits; "prod" asks an aggregate for early
            results; "slack" tells a plan with a `Deadline` how long to wait; "contract" lets another contract rule from
            the next micro-batch on, also after a restart.
        until: of a prod, the end of the last window asked for (a datetime, or us); left out, all that are open.
        where: of a prod, values of the columns that the aggregate is grouped by; left out, all groups.
        slack: what to wait; it is followed from the next decision on, for a minute of event time past `at`.
        at: the event time at which the slack was decided, in us.
        contract: as text, such as "recall 0.95 over 1 minute"; period and interval stay where it does not name them.
        stop: of a drain, whether the query ends with it.
    """
    _check_kind(kind, contract=contract, stop=stop)
    if (kind == "slack") != (slack is not None and at is not None):
        raise ParameterError("kind", kind, must='have slack= and at= if it is "slack"', remedy="give both, or none")
    prod = Prod(None if until is None else microseconds_of(until), where or {})
    if kind != "prod" and prod != Prod():
        raise ParameterError("kind", kind, must='be "prod" where until= or where= is given', remedy="leave them out")
    described = _described(Path(folder) / PLAN) or {}
    if kind == "prod" and described:
        _check_answered(described, prod)
    if contract is not None:
        _check_known(described, contract)
    details: dict[str, Any] = prod.as_record() if kind == "prod" else {}
    details |= {} if slack is None else {"slack": Duration.of(slack, parameter="slack").microseconds, "at": at}
    details |= {} if contract is None else {"contract": contract, "sent": time.time_ns() // 1_000}
    record = {"kind": kind, **details, **({"stop": True} if stop else {})}
    put(Path(folder) / f"{uuid.uuid4().hex}.json", json.dumps(record, default=str) + "\n")


def _check_kind(kind: str, *, contract: str | None, stop: bool) -> None:
    if kind not in KINDS:
        raise ParameterError("kind", kind, must=f"be one of {', '.join(KINDS)}", remedy='use "drain"')
    if (kind == "contract") != (contract is not None):
        raise ParameterError("kind", kind, must='have contract= if it is "contract"', remedy="give both, or none")
    if stop and kind != "drain":
        raise ParameterError("kind", kind, must='be "drain" where stop= is given', remedy="leave it out")


def _check_known(plan: Mapping[str, Any], contract: str) -> None:
    """Check what is wrong with a contract whatever the query is; the buckets check the rest, and say so in decisions.

    A chain is described by its last operator, and keeps the contract of its first.
    """
    if len(contract) > MOST_LETTERS:
        raise ParameterError(
            "contract", f"{contract[:40]}...", must=f"have at most {MOST_LETTERS} letters", remedy="write it shorter"
        )
    if plan.get("shared"):
        raise own_change_refused(contract)
    check_contract(plan.get("keeps", plan.get("operator", "aggregate")), parse_contract(contract))


def describe(folder: str | os.PathLike[str] | DataFrame, plan: Mapping[str, Any]) -> None:
    """Write down what runs, so that a mistake is found where a record is sent; a remote folder gets none."""
    if isinstance(folder, str | os.PathLike) and "://" not in os.fspath(folder):
        put(Path(folder) / PLAN, json.dumps(dict(plan)) + "\n")


def _described(file: Path) -> dict[str, Any] | None:
    """Return what runs, where somebody wrote it down so that it can be read."""
    try:
        found = json.loads(file.read_text())
    except (OSError, ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _check_answered(plan: Mapping[str, Any], prod: Prod) -> None:
    if not plan.get("early"):
        raise ParameterError(
            "kind", "prod", must="be one that the query knows", remedy="start it with early=sw.Early() or more"
        )
    check_prod(plan.get("by") or (), prod)


def put(path: Path, text: str, *, lasting: bool = True) -> None:
    """Write a file that appears complete or not at all, whoever looks and whatever crashes.

    Without `lasting` that is so whatever process is killed, but a machine that loses power may lose the file: then
    nothing waits for the disk.

    Raises:
        QueryError: the disk is full.
    """
    try:
        _put(path, text, lasting=lasting)
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT):
            raise
        remedy = "make room, and the same call goes on: nothing is lost"
        raise QueryError(f"writing {path}", problem="no space is left on a disk", remedy=remedy) from error


def _put(path: Path, text: str, *, lasting: bool) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    hidden = path.with_name(f".{path.name}.tmp")
    with hidden.open("w") as file:
        file.write(text)
        if lasting:
            file.flush()
            os.fsync(file.fileno())
    hidden.replace(path)
    if lasting:
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


_LIMITS = {
    "maxFilesPerTrigger": str(_FILES_PER_BATCH),
    "mapreduce.input.linerecordreader.line.maxlength": str(_LONGEST_LINE),
}


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
        control = spark.readStream.options(**_LIMITS, cleanSource="delete" if clean else "off").text(folder)
    whole = F.col(control.columns[0]).cast("string")
    text = control.select(F.substring(whole, 1, _MOST_BYTES + 1).alias("text"))  # enough to see that it is too long
    return text.select(
        F.explode(F.sequence(F.lit(0), F.lit(buckets - 1))).alias("bucket"),
        F.lit(1).cast("tinyint").alias("kind"),
        F.lit(-1).alias("stream"),
        F.lit(-1).alias("source"),
        F.lit(0).alias("position"),
        F.col("text").cast("binary").alias("body"),
    )
