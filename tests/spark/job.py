"""A streaming job in a process of its own, which can be told where to die. Run by test_kill.py.

The whole process group is killed with SIGKILL: driver, JVM and Python workers at once.
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path
from typing import Any

import slackwater as sw
from slackwater.spark.control_stream import send
from slackwater.spark.staged import Output


def plan_of(frames):
    """Reorder one frame, join several."""
    streams = streams_of(frames)
    contract = sw.MaxSlack(cap="300 ms")
    return (
        sw.join(*streams, on="key", within="50 ms", contract=contract)
        if streams[1:]
        else sw.reorder(streams[0], contract=contract)
    )


def aggregate_plan_of(frames):
    """Aggregate one frame, by key, and what that gives."""
    values = {"n": sw.count(), "last": sw.max("seq"), "total": sw.sum("seq")}
    contract = sw.MaxSlack(cap="300 ms")
    asked = {"by": "key", "slide": "100 ms"}
    counts = sw.aggregate(streams_of(frames)[0], size="500 ms", values=values, contract=contract, **asked)
    above = {"n": sw.max("n"), "last": sw.max("last"), "total": sw.sum("total")}
    return sw.aggregate(counts, size="1 second", values=above, early=sw.Early(aggressiveness=0.5), **asked)


def chain_plan_of(frames):
    """Join two frames, and count what that gives by key."""
    asked = {"by": "s0.key", "size": "500 ms", "slide": "100 ms", "values": {"n": sw.count(), "last": sw.max("s1.seq")}}
    return sw.aggregate(plan_of(frames), early=sw.Early(aggressiveness=0.5), **asked)


def led_plan_of(frames):
    """Join thin streams, one slack for all buckets."""
    contract = sw.Recall(0.95, over="1 minute")
    return sw.join(*streams_of(frames), on="key", within="1 second", contract=contract, buckets=4, scope="global")


def streams_of(frames):
    """Name the streams."""
    return [
        sw.stream(frame, name=f"s{number}", event_time="ts", unit="ms", arrival="seq")
        for number, frame in enumerate(frames)
    ]


def frame_of(spark, folder: Path):
    schema = spark.read.parquet(str(folder)).schema
    return spark.readStream.schema(schema).option("maxFilesPerTrigger", 1).parquet(str(folder))


def main(
    folder: Path, *, die_before: str | None = None, die_after: str | None = None, batch: int = -1, plan: str = ""
) -> None:
    """Run over all there is, then drain; in the plan "led" the driver decides for four buckets."""
    led = plan == "led"
    spark = sw.session(app="kill")
    spark.sparkContext.setLogLevel("ERROR")
    frames = [frame_of(spark, path) for path in sorted(folder.glob("in*"))]
    query = {"led": led_plan_of, "aggregate": aggregate_plan_of, "chain": chain_plan_of}.get(plan, plan_of)(frames)

    put_in_place = Output.commit

    def put_in_place_or_die(output: Output, number: int, *what: Any) -> None:
        name = Path(output.folder).name
        if number == batch and name == die_before:
            os.killpg(os.getpgid(0), signal.SIGKILL)
        put_in_place(output, number, *what)
        if number == batch and name == die_after:
            os.killpg(os.getpgid(0), signal.SIGKILL)

    Output.commit = put_in_place_or_die  # type: ignore[method-assign]

    def run():
        running = query.start(
            results=str(folder / "results"),
            late=str(folder / "late"),
            decisions=str(folder / "decisions"),
            checkpoint=str(folder / "checkpoint"),
            control=str(folder / "control"),
            trigger=None if led else {"availableNow": True},  # that would not see what the driver writes meanwhile
        )
        if led:
            running.processAllAvailable()
            running.stop()
        running.awaitTermination()

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
        plan=next((name for name in ("led", "aggregate", "chain") if name in where), ""),
    )
