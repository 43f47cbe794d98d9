"""The engines: in which environment each runs, how it is set, what it does less than we do, and what it cannot do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

UNORDERED = "results of a key are not in event-time order"
AT_ONCE = "rows are sorted beforehand and seen at once: a limit, not a stream"
ONE_BATCH = "all rows are one batch"

_BACKLOG = "a backlog: all files in one batch, as Spark takes them by itself"
_AT_ONCE = {"SLACKWATER_RIVALS_AT_ONCE": "yes"}
_PAYS_FOR_ROWS = "not run: a join takes as much processor time as in micro-batches (docs/decisions/0032-rivals.md)"
_ONE_AGGREGATE = "not run: engines that pay for rows have the aggregate by 10,000 groups"
_ROCKSDB = ("RocksDBStateStoreProvider", "RocksDB with changelog checkpoints")
_IN_MEMORY = ("HDFSBackedStateStoreProvider", "state in memory, checkpoints of changes")


@dataclass(frozen=True)
class Engine:
    """`module` is run in `environment` (that of slackwater if none); `cannot` has a reason for each job it lacks.

    A `slow` engine gets a tenth of the rows, and so do ours once more, to be compared with it.
    """

    name: str
    module: str
    environment: str | None
    tuning: str
    less: str = ""
    in_order: bool = True
    cannot: Mapping[str, str] = field(default_factory=dict)
    skipped: str = ""
    slow: bool = False
    settings: Mapping[str, str] = field(default_factory=dict)

    def gives_order(self, job: str) -> bool:
        """Whether its results, of a join or an aggregate those of each key, must be in event-time order."""
        return self.in_order or job == "merge"

    def differs(self, job: str) -> str:
        """Return what the engine does less than we do in a job, besides late rows and decisions."""
        unordered = "" if self.gives_order(job) else UNORDERED
        return "; ".join(part for part in (unordered, self.less) if part)


def _native(
    name: str,
    provider: str,
    store: str,
    *,
    at_once: bool = False,
    no_joins: str = "",
    **settings: str,
) -> Engine:
    """Return Spark's own; `no_joins` says why it is not run for joins."""
    reason = _PAYS_FOR_ROWS if at_once else no_joins
    return Engine(
        f"{name}-at-once" if at_once else name,
        "on_spark",
        None,
        f"two shuffle partitions, {store}, {_BACKLOG if at_once else 'one file per stream and batch'}",
        ONE_BATCH if at_once else "",
        in_order=False,
        cannot={
            "merge": "cannot do it: Spark sorts no stream in append mode",
            **(dict.fromkeys(("join2", "join3"), reason) if reason else {}),
        },
        settings={"SLACKWATER_RIVALS_STORE": provider, **(_AT_ONCE if at_once else {}), **settings},
    )


def _flink_sql(name: str, compiled: str, **settings: str) -> Engine:
    return Engine(
        name,
        "on_flink_sql",
        "flink",
        f"parallelism 2, heap state, no checkpoints, object reuse, {compiled}; reads and writes CSV",
        in_order=False,
        settings=settings,
    )


ENGINES = (
    Engine(
        "slackwater-spark",
        "on_slackwater_spark",
        None,
        "two buckets, RocksDB, one file per stream and batch, whose rows arrive together as in Spark's own; "
        "without the JVM's second compiler",
    ),
    Engine(
        "slackwater-spark-at-once",
        "on_slackwater_spark",
        None,
        f"the same, {_BACKLOG}",
        ONE_BATCH,
        settings=_AT_ONCE,
    ),
    Engine("slackwater", "on_slackwater", None, "one process, Arrow in memory"),
    Engine("duckdb", "on_duckdb", None, "two threads, joins by key and bins of time, windows from slides", AT_ONCE),
    Engine("polars", "on_polars", None, "two threads, joins by key and bins of time, windows from slides", AT_ONCE),
    _native("spark-rocksdb", *_ROCKSDB),
    _native("spark-rocksdb", *_ROCKSDB, at_once=True),
    _native("spark-memory", *_IN_MEMORY),
    _native("spark-memory", *_IN_MEMORY, at_once=True),
    _native(
        "spark-memory-quick",
        _IN_MEMORY[0],
        f"{_IN_MEMORY[1]}, without the JVM's second compiler, as ours",
        no_joins="not run: a long join only loses by it",
        SLACKWATER_RIVALS_QUICK="yes",
    ),
    _flink_sql("flink-sql", "as its JVM compiles"),
    _flink_sql(
        "flink-sql-quick", "without the JVM's second compiler, as ours", JAVA_TOOL_OPTIONS="-XX:TieredStopAtLevel=1"
    ),
    Engine(
        "bytewax",
        "on_bytewax",
        "bytewax",
        "two processes, no recovery, lists per key and stream",
        in_order=False,
    ),
    Engine(
        "pathway",
        "on_pathway",
        "pathway",
        "two threads, no persistence; reads and writes CSV, everything as one minibatch",
        ONE_BATCH,
        in_order=False,
        cannot={"aggregate-few": _ONE_AGGREGATE},
        settings={"PATHWAY_THREADS": "2"},
    ),
    Engine(
        "flink-datastream",
        "on_flink_datastream",
        "flink",
        "parallelism 2, heap state, no checkpoints, functions in two Python processes, states cached there; CSV",
        in_order=False,
        cannot={"aggregate-few": _ONE_AGGREGATE},
        slow=True,
        settings={"_python_worker_execution_mode": "process"},
    ),
    Engine(
        "quix",
        "on_quix",
        "quix",
        "two processes, RocksDB without changelog topics, a checkpoint every 5 s; rows handed over without a broker",
        in_order=False,
        cannot={
            "merge": "not sensible: its state has no order, so every row would rewrite the whole buffer",
            "aggregate-few": _ONE_AGGREGATE,
        },
        slow=True,
    ),
)
BY_NAME = {engine.name: engine for engine in ENGINES}
