"""The control stream: small records that reach every bucket of a running query.

It is part of the input, so a replayed batch sees the same records. By default it is a folder of JSON files.
"""

from __future__ import annotations

import json
import os
import uuid
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from pyspark.sql import functions as F  # noqa: N812  (the name that every Spark program uses)

from slackwater.errors import ParameterError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

KINDS = ("drain",)
_MOST_BYTES = 4096


@dataclass(frozen=True, slots=True)
class ControlRecord:
    """What a record asks for; a kind that is not known is ignored and reported in `decisions`."""

    kind: str

    @property
    def known(self) -> bool:
        """Whether the record means something to us."""
        return self.kind in KINDS


def read_record(body: bytes) -> ControlRecord:
    """Read a record; whatever is not a JSON object with a kind becomes one of an unknown kind.

    >>> read_record(b'{"kind": "drain"}')
    ControlRecord(kind='drain')
    >>> read_record(b"nonsense").known
    False
    """
    try:
        kind = json.loads(body[:_MOST_BYTES])["kind"]
    except (ValueError, KeyError, TypeError):
        kind = "unreadable"
    return ControlRecord(str(kind))


def send(folder: str | os.PathLike[str], kind: str) -> None:
    """Put a record into a control folder; it appears there complete or not at all."""
    if kind not in KINDS:
        raise ParameterError("kind", kind, must=f"be one of {', '.join(KINDS)}", remedy='use "drain"')
    target = Path(folder)
    target.mkdir(parents=True, exist_ok=True)
    name = uuid.uuid4().hex
    hidden = target / f".{name}.tmp"
    hidden.write_text(json.dumps({"kind": kind}) + "\n")
    hidden.rename(target / f"{name}.json")


def control_packets(spark: SparkSession, control: str | os.PathLike[str] | DataFrame, buckets: int) -> DataFrame:
    """Return the records of a folder, or of a streaming DataFrame with one text column, for every bucket."""
    if isinstance(control, str | os.PathLike):
        folder = os.fspath(control)
        if "://" not in folder:
            Path(folder).mkdir(parents=True, exist_ok=True)  # Spark refuses to watch a folder that is not there
        control = spark.readStream.text(folder)
    text = control.select(F.col(control.columns[0]).cast("string").alias("text"))
    return text.select(
        F.explode(F.sequence(F.lit(0), F.lit(buckets - 1))).alias("bucket"),
        F.lit(1).cast("tinyint").alias("kind"),
        F.lit(-1).alias("stream"),
        F.lit(-1).alias("source"),
        F.lit(0).alias("position"),
        F.col("text").cast("binary").alias("body"),
    )
