"""A driver as a process of its own: runs a query over files that keep coming, and writes down how its batches went.

python -m tests.load.driver /data/join join 8 1 120     (the folder, the query, files of each stream in a batch, cores,
                                                         seconds between two collections of garbage)
"""

from __future__ import annotations

import json
import sys
import threading
import time
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession
from pyspark.sql.streaming.listener import StreamingQueryListener

import slackwater as sw
from slackwater.spark.control_stream import put
from tests.load.patience import Patient
from tests.load.queries import OUTPUTS, QUERIES
from tests.load.rows import NAMES, SCHEMA

HEAP = "1g"
_LOOK, _COLLECT = 0.5, "120"  # seconds between two looks at `stop`, and between two collections of garbage
# The heap has all its memory from the start: what grows after that is no heap that fills up for the first time.
_JVM = f"-Xms{HEAP} -XX:+AlwaysPreTouch"


class Progress(StreamingQueryListener):
    """Writes a line for each batch that had rows."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def onQueryStarted(self, event: Any) -> None:  # noqa: N802
        """Nothing has happened yet."""

    def onQueryProgress(self, event: Any) -> None:  # noqa: N802
        """Write how a batch went."""
        batch = event.progress
        if batch.numInputRows:
            took = {name: int(each) for name, each in batch.durationMs.items()}
            add_line(self._file, {"batch": batch.batchId, "rows": batch.numInputRows, "took_ms": took})

    def onQueryIdle(self, event: Any) -> None:  # noqa: N802
        """Nobody asks."""

    def onQueryTerminated(self, event: Any) -> None:  # noqa: N802
        """Who waits for the query knows."""


def add_line(file: Path, values: dict[str, Any]) -> None:
    """Add values to a file, with the time."""
    with file.open("a") as lines:
        lines.write(json.dumps({"at": round(time.time(), 3), **values}) + "\n")


def main(folder: Path, name: str, files: int, cores: int, collect: float) -> None:
    """Run until a file `stop` is there ("drain": all that is left, and what is held too; "halt": at once)."""
    settings = {"spark__driver__memory": HEAP, "spark__driver__extraJavaOptions": _JVM}
    spark = sw.session(app="load", master=f"local[{cores}]", spark__sql__shuffle__partitions="1", **settings)
    spark.sparkContext.setLogLevel("ERROR")
    spark.streams.addListener(Progress(folder / "progress.jsonl"))
    control = folder / "control"
    control.mkdir(exist_ok=True)
    with Patient(lambda: start(spark, folder, name, files)) as query:
        _wait(spark, query, folder, collect)
        if (folder / "stop").read_text() == "drain":
            query.work_off()
            put(control / "drain.json", '{"kind": "drain"}\n')
            query.work_off()
    spark.stop()


def start(spark: SparkSession, folder: Path, name: str, files: int) -> Any:
    """Start a query that writes all three outputs; files that were read are moved away, so that listing stays short."""
    query = QUERIES[name]
    reader = spark.readStream.schema(SCHEMA).option("maxFilesPerTrigger", files)
    reader = reader.option("cleanSource", "archive").option("sourceArchiveDir", str(folder / "read"))
    frames = [reader.parquet(str(folder / "in" / stream)) for stream in NAMES[: query.streams]]
    return query.of(frames).start(
        **{each: str(folder / each) for each in OUTPUTS},
        checkpoint=str(folder / "checkpoint"),
        control=str(folder / "control"),
    )


def _wait(spark: SparkSession, query: Patient, folder: Path, collect: float) -> None:
    """Wait for `stop`; say now and then how much of the heap is in use when all garbage is gone."""
    stop, collected = threading.Event(), time.monotonic()
    while not (folder / "stop").exists():
        stop.wait(_LOOK)
        query.check()
        if time.monotonic() - collected > collect:
            collected = time.monotonic()
            runtime = spark._jvm.java.lang.Runtime.getRuntime()
            runtime.gc()
            add_line(folder / "heap.jsonl", {"heap": runtime.totalMemory() - runtime.freeMemory()})


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]), int(sys.argv[4]), float((*sys.argv, _COLLECT)[5]))
