"""A join of two topics into a third, in a process of its own: job.py FOLDER SERVERS [before=N|after=N] [end=1].

It may be told to die with SIGKILL, with all its processes, before or after results of the Nth batch of this run are
written; with `end` it takes what there is, drains, and ends.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from pathlib import Path
from typing import Any

import slackwater as sw
from slackwater.spark.control_stream import send
from slackwater.testing.kafka_broker import connector_jars
from tests.kafka.data import STREAMS, WITHIN_MS

MOST_ROWS = os.environ["BATCH"]  # of a topic in a batch


def end_with_the_test() -> None:
    """Die when whoever started us does: our standard input is a pipe that ends then."""

    def watch() -> None:
        sys.stdin.read()
        os.killpg(os.getpgid(0), signal.SIGKILL)

    threading.Thread(target=watch, daemon=True).start()


def plan_of(spark: Any, servers: str) -> Any:
    """Join the topics by area, under a contract."""
    streams = []
    for topic in STREAMS:
        frame = sw.from_kafka(
            spark,
            servers,
            topic,
            columns="id BIGINT, ts BIGINT, area INT",
            arrival="append_time",
            starting="earliest",
            options={"maxOffsetsPerTrigger": MOST_ROWS},
        ).select("id", "ts", "area", "arrival")
        streams.append(sw.stream(frame, name=topic, event_time="ts", unit="ms", arrival="arrival"))
    contract = sw.Recall(0.99, over="1 minute")
    return sw.join(*streams, on="area", within=f"{WITHIN_MS} ms", contract=contract)


def dying(sink: Any, *, before: int, after: int) -> Any:
    """Wrap a sink that dies at its nth batch."""
    batches = 0

    def write(rows: Any, batch: int) -> None:
        nonlocal batches
        batches += 1
        if batches == before:
            os.killpg(os.getpgid(0), signal.SIGKILL)
        sink(rows, batch)
        if batches == after:
            os.killpg(os.getpgid(0), signal.SIGKILL)

    return write


def main(folder: Path, servers: str, *, before: int = 0, after: int = 0, end: int = 0) -> None:
    """Run until killed, or to the end."""
    end_with_the_test()
    spark = sw.session(app="kafka", spark__jars=connector_jars(), spark__driver__memory="3g")
    spark.sparkContext.setLogLevel("ERROR")
    sink = sw.to_kafka(servers, "results", key="bus.area").for_output("results")  # also where it is wrapped

    def run(trigger: dict[str, Any] | None) -> None:
        plan_of(spark, servers).start(
            results=dying(sink, before=before, after=after) if before or after else sink,
            late=folder / "late",
            decisions=folder / "decisions",
            checkpoint=folder / "checkpoint",
            control=folder / "control",
            trigger=trigger,
        ).awaitTermination()

    if not end:
        run(None)
    run({"availableNow": True})
    send(folder / "control", "drain")
    run({"availableNow": True})


if __name__ == "__main__":
    where = dict(argument.split("=") for argument in sys.argv[3:])
    main(Path(sys.argv[1]), sys.argv[2], **{name: int(value) for name, value in where.items()})
