"""Runs queries over shapes, in process and on Spark, and verifies what came out."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from slackwater.errors import QueryError
from slackwater.spark.control_stream import put
from tests.load.patience import TRIES, is_slow_start
from tests.load.queries import OUTPUTS, QUERIES
from tests.load.rows import NAMES, SCHEMA, write_chunk
from tests.load.samples import folders, forget_peak, peak
from tests.load.shapes import DAY, IN_PROCESS, SHAPES, Shape
from tests.load.verify import Verdict, verify

_FILES = 8  # of each stream on Spark, a batch each


@dataclass(frozen=True)
class Shaped:
    """What a query made of a shape."""

    shape: str
    query: str
    engine: str
    rows: int
    seconds: float
    memory_mb: float  # in process: the most of this process meanwhile; on Spark: what its state has on disk
    accounted: bool  # arrived = released + late + buffered, as the query itself counts
    reasons: dict[str, int]  # of late rows
    misrouted: int  # rows more than a day ahead of their arrival that are not late as `future`, or others that are
    verdict: Verdict

    @property
    def is_good(self) -> bool:
        return self.accounted and not self.misrouted and self.verdict.is_good


def run_shape(
    name: str, query: str, engine: str, folder: Path, *, rows: int = 0, spark: Any = None, files: int = _FILES
) -> Shaped:
    """Run a query over a shape, with the number of rows of the engine unless told; on Spark in so many batches."""
    shape = SHAPES[name]
    rows = rows or shape.rows(query, engine)
    write_shape(folder, shape.make(rows), query, 1 if engine == IN_PROCESS else files)
    forget_peak()
    began = time.perf_counter()
    if engine == IN_PROCESS:
        _in_process(shape, query, folder)
        memory = peak()
    else:
        _on_spark(spark, shape, query, folder)
        memory = folders(folder)["state_mb"]
    seconds = time.perf_counter() - began
    found = Shaped(
        name,
        query,
        engine,
        rows,
        seconds,
        memory,
        *counted(folder, rows),
        _misrouted(folder, query),
        verify(query, folder),
    )
    shutil.rmtree(folder)
    return found


def write_shape(folder: Path, table: pa.Table, query: str, files: int, *, first: int = 0) -> None:
    """Write the rows of each stream as files, cut at the same arrivals."""
    streams = QUERIES[query].streams
    edges = np.linspace(0, table.num_rows, files + 1).astype(np.int64)
    for number, (begin, end) in enumerate(pairwise(edges), first):
        part = table.slice(begin, end - begin)
        dealt = part["stream"] if streams > 1 else None
        write_chunk(folder, number, part.drop("stream"), streams, dealt=dealt)


def _in_process(shape: Shape, query: str, folder: Path) -> None:
    tables = [pq.read_table(folder / "in" / name) for name in NAMES[: QUERIES[query].streams]]
    found = QUERIES[query].of(tables, arrival_time="at", **shape.options)
    for output in OUTPUTS:
        place = folder / output / "batch=0"
        place.mkdir(parents=True)
        pq.write_table(getattr(found, output), place / "part-0.parquet")


def _on_spark(spark: Any, shape: Shape, query: str, folder: Path) -> None:
    _run_in_time(spark, shape, query, folder)
    put(folder / "control" / "drain.json", '{"kind": "drain"}\n')
    _run_in_time(spark, shape, query, folder)


def _run_in_time(spark: Any, shape: Shape, query: str, folder: Path) -> None:
    """Run a query over what is there; where a busy machine did not start Python in time, go on once more."""
    for left in reversed(range(TRIES)):
        try:
            return start_shape(spark, query, folder, {"availableNow": True}, **shape.options).awaitTermination()
        except QueryError as error:
            if not left or not is_slow_start(error):
                raise
    return None


def start_shape(spark: Any, query: str, folder: Path, trigger: dict[str, Any], **options: Any) -> Any:
    """Start a query over the files of a shape."""
    reader = spark.readStream.schema(f"{SCHEMA}, at BIGINT").option("maxFilesPerTrigger", 1)
    (folder / "control").mkdir(exist_ok=True)
    frames = [reader.parquet(str(folder / "in" / name)) for name in NAMES[: QUERIES[query].streams]]
    return (
        QUERIES[query]
        .of(frames, arrival_time="at", **options)
        .start(
            **{each: str(folder / each) for each in OUTPUTS},
            checkpoint=str(folder / "checkpoint"),
            control=str(folder / "control"),
            trigger=trigger,
        )
    )


def counted(folder: Path, rows: int) -> tuple[bool, dict[str, int]]:
    """Return whether decisions account for every row, none held in the end; and how many rows were late for what."""
    names = ("arrived", "released", "late", "buffered")
    decisions = pq.read_table(folder / "decisions", columns=list(names), partitioning=None)
    arrived, released, late_so_far, buffered = (decisions[name].to_numpy() for name in names)
    last = np.argmax(arrived + released)
    accounted = bool((arrived == released + late_so_far + buffered).all())
    accounted = accounted and (int(arrived[last]), int(buffered[last])) == (rows, 0)
    reasons = pq.read_table(folder / "late", columns=["reason"], partitioning=None)["reason"].value_counts()
    late = {str(each["values"]): int(each["counts"].as_py()) for each in reasons}
    return accounted, late


def _misrouted(folder: Path, query: str) -> int:
    """Return how many rows were wrongly taken, or not taken, for rows of the future."""
    with duckdb.connect() as base:
        base.execute(f"CREATE VIEW ahead AS SELECT seq FROM '{folder}/in/*/*.parquet' WHERE ts > \"at\" + {DAY}")
        late = base.read_parquet(f"{folder}/late/batch=*/*.parquet")
        seq = "seq" if "seq" in late.columns else "coalesce(a.seq, b.seq) AS seq"
        base.execute(f"CREATE VIEW future AS SELECT {seq} FROM late WHERE reason = 'future'")
        apart = "(FROM ahead EXCEPT FROM future) UNION ALL (FROM future EXCEPT FROM ahead)"
        return int(base.execute(f"SELECT count(*) FROM ({apart})").fetchone()[0])


def shapes_of(
    engine: str, folder: Path, *, shapes: Sequence[str] = (), spark: Any = None, tell: Callable[[str], None]
) -> Iterator[Shaped]:
    """Run every query over every shape, or over some of them."""
    for number, name in enumerate(shapes or SHAPES):
        for query in SHAPES[name].queries:
            found = run_shape(name, query, engine, folder / f"{number}-{query}", spark=spark)
            tell(f"{engine}: {found}")
            yield found
