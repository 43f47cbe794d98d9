"""Plays transcripts on Spark: the processor under TwsTester, and a real streaming query."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql.streaming.tws_tester import TwsTester

import slackwater as sw
from slackwater.decisions import DECISIONS as DECISIONS_SCHEMA
from slackwater.decisions import late_schema
from slackwater.errors import LateEventError
from slackwater.measurement import Counts
from slackwater.spark.call import DECISIONS, LATE, RESULTS, SUMMARY, Saved, identity_of
from slackwater.spark.packets import CONTROL, ROWS, from_bytes, to_bytes
from slackwater.spark.places import places
from slackwater.spark.processor import KeyedProcessor, ReorderProcessor
from slackwater.testing.check import Seen
from slackwater.testing.local_runner import seconds, seen_in_tables, step_tables
from slackwater.testing.transcripts import Transcript

DRAIN = b'{"kind": "drain"}'
BUCKET = places(1)[0]  # where the first bucket lives


class Bucket:
    """One bucket of a reorder processor, called as Spark would call it, with its state in memory."""

    def __init__(self, node, schema: pa.Schema, *, time_mode: str = "None") -> None:
        self.schema = schema
        self.identity = identity_of(node, schema)
        processor = KeyedProcessor if node.by else ReorderProcessor
        self.tester = TwsTester(processor(node, schema), timeMode=time_mode)

    def on_tables(
        self, *tables: pa.Table, now: int = 0, control: tuple[bytes, ...] = (), bucket: int = BUCKET
    ) -> pd.DataFrame:
        """Send the packets of one micro-batch."""
        packets = [(ROWS, 0, position, to_bytes(table)) for position, table in enumerate(tables)]
        packets += [(CONTROL, -1, 0, body) for body in control]
        frame = pd.DataFrame(packets, columns=["kind", "source", "position", "body"])
        return self.tester.testInPandas(bucket, frame.assign(bucket=bucket, stream=0, processing_time=now))

    def restarted(self, node) -> Bucket:
        """Return a bucket that has nothing but the state of this one."""
        other = Bucket(node, self.schema)
        other.tester.updateValueState("meta", BUCKET, self.tester.peekValueState("meta", BUCKET))
        other.tester.updateMapState("chunks", BUCKET, self.tester.peekMapState("chunks", BUCKET))
        return other

    def output(self, packets: pd.DataFrame, kind: int) -> pa.Table:
        """Return the rows of one kind of packets."""
        empty = {
            RESULTS: self.schema.empty_table(),
            LATE: late_schema(self.schema).empty_table(),
            DECISIONS: DECISIONS_SCHEMA.empty_table(),
        }
        bodies = packets.loc[packets["kind"] == kind, "body"]
        return pa.concat_tables([empty[kind], *(from_bytes(body) for body in bodies)])

    def saved(self) -> Saved:
        """Return the small part of the state."""
        return Saved.load(self.tester.peekValueState("meta", BUCKET), self.identity)

    def waiting(self) -> list[int]:
        """Return the event times of the rows in the state store."""
        bodies = self.tester.peekMapState("chunks", BUCKET)
        times = []
        for chunk in self.saved().chunks:
            stored = from_bytes(bodies[(chunk.number,)][0])["__slackwater_time"].to_pylist()
            times += [time for time in stored if time > chunk.gone_to]
        return sorted(times)


def play_on_processor(transcript: Transcript) -> Iterator[Seen]:
    """Play a transcript on the processor, one micro-batch per step."""
    payload = step_tables(transcript)
    bucket, total = Bucket(transcript.node, payload[0].schema), Counts()
    for step, rows in zip(transcript.steps, payload, strict=True):
        try:
            packets = bucket.on_tables(rows, control=(DRAIN,) if step.drain else ())
        except LateEventError as error:
            yield Seen(error=error.reason)
            return
        total = _added(total, packets)
        yield _seen(bucket, packets, total)


def _seen(bucket: Bucket, packets: pd.DataFrame, total: Counts) -> Seen:
    outputs = [bucket.output(packets, kind) for kind in (RESULTS, LATE, DECISIONS)]
    return Seen(
        **seen_in_tables(*outputs),
        buffered=tuple(map(seconds, bucket.waiting())),
        clock=seconds(bucket.saved().pipeline["clock"]),
        slack=seconds(int(_summary(packets)["slack"])),
        counts=total,
    )


def _summary(packets: pd.DataFrame) -> pd.Series:
    return packets[packets["kind"] == SUMMARY].iloc[0]


def _added(total: Counts, packets: pd.DataFrame) -> Counts:
    """Add the counts of one call to those from the start."""
    summary = _summary(packets)
    return Counts(
        arrived=total.arrived + int(summary["arrived"]),
        released=total.released + int(summary["released"]),
        late=total.late + int(summary["late"]),
        buffered=int(summary["buffered"]),
    )


class Query:
    """A streaming query over a folder of Parquet files: one micro-batch per file, three outputs kept by batch."""

    def __init__(self, spark, folder: Path, transcript: Transcript) -> None:
        self.folder = folder
        self.seen: dict[int, dict[str, pa.Table]] = {}
        payload = step_tables(transcript)
        self.schema = payload[0].schema
        (folder / "input").mkdir(parents=True)
        for number, table in enumerate(payload):
            file = folder / "input" / f"step-{number:03}.parquet"
            pq.write_table(table, file)
            os.utime(file, (number, number))  # Spark reads the oldest files first
        rows = (
            spark.readStream.schema("event_time LONG, arrival LONG, arrival_time LONG")
            .option("maxFilesPerTrigger", 1)
            .parquet(str(folder / "input"))
        )
        node = transcript.node
        stream = sw.stream(
            rows,
            name=node.stream.name,
            event_time="event_time",
            unit="us",
            arrival="arrival",
            arrival_time="arrival_time",
            max_ahead=node.stream.max_ahead,
        )
        self.output = sw.reorder(stream, contract=node.contract, late=node.late, release=node.release)

    def start(self) -> Query:
        """Start to read the files; the query ends with the last one."""
        self._running = self.output.start(
            results=self._keep("results"),
            late=self._keep("late"),
            decisions=self._keep("decisions"),
            checkpoint=str(self.folder / "checkpoint"),
            trigger={"availableNow": True},
            name=self.folder.name,
        )
        return self

    def _keep(self, name: str):
        def keep(rows, batch: int) -> None:
            self.seen.setdefault(batch, {})[name] = rows.toArrow()

        return keep

    def play(self, transcript: Transcript) -> Iterator[Seen]:
        """Wait for the end, and tell what was seen in each micro-batch."""
        self._running.awaitTermination()
        empty = {
            "results": self.schema.empty_table(),
            "late": late_schema(self.schema).empty_table(),
            "decisions": DECISIONS_SCHEMA.empty_table(),
        }
        for batch in range(len(transcript.steps)):
            outputs = {**empty, **self.seen.get(batch, {})}
            yield Seen(**seen_in_tables(outputs["results"], outputs["late"], outputs["decisions"]))
