"""A streaming job in a process of its own, which can be told where to die. Run by test_kill.py.

The whole process group is killed with SIGKILL: driver, JVM and Python workers at once.
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

import slackwater as sw
from slackwater.spark.control_stream import send
from slackwater.spark.outputs import parquet_folder


def plan_of(frames):
    """Reorder one frame, join several."""
    streams = [
        sw.stream(frame, name=f"s{number}", event_time="ts", unit="ms", arrival="seq")
        for number, frame in enumerate(frames)
    ]
    contract = sw.MaxSlack(cap="300 ms")
    return (
        sw.join(*streams, on="key", within="50 ms", contract=contract)
        if streams[1:]
        else sw.reorder(streams[0], contract=contract)
    )


def frame_of(spark, folder: Path):
    schema = spark.read.parquet(str(folder)).schema
    return spark.readStream.schema(schema).option("maxFilesPerTrigger", 1).parquet(str(folder))


def main(folder: Path, *, die_before: str | None = None, die_after: str | None = None, batch: int = -1) -> None:
    spark = sw.session(app="kill")
    spark.sparkContext.setLogLevel("ERROR")
    query = plan_of([frame_of(spark, path) for path in sorted(folder.glob("in*"))])

    def destination(name: str):
        write = parquet_folder(str(folder / name))

        def write_or_die(rows, number):
            if number == batch and name == die_before:
                os.killpg(os.getpgid(0), signal.SIGKILL)
            write(rows, number)
            if number == batch and name == die_after:
                os.killpg(os.getpgid(0), signal.SIGKILL)

        return write_or_die

    def run():
        query.start(
            results=destination("results"),
            late=destination("late"),
            decisions=destination("decisions"),
            checkpoint=str(folder / "checkpoint"),
            control=str(folder / "control"),
            trigger={"availableNow": True},
        ).awaitTermination()

    run()
    if not (folder / "drained").exists():
        send(folder / "control", "drain")
        (folder / "drained").touch()
    run()


if __name__ == "__main__":
    where = dict(argument.split("=") for argument in sys.argv[2:])
    main(
        Path(sys.argv[1]),
        die_before=where.get("before"),
        die_after=where.get("after"),
        batch=int(where.get("batch", -1)),
    )
