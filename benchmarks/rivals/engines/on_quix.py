"""Quix Streams without a broker: its dataframes and RocksDB state, in two processes, fed by hand.

An application cannot run without Kafka, but what it does with a message can: its dataframe is composed, and gets each
row as its own loop would hand it on, with a checkpoint of the state every five seconds. What a broker would cost
(sending, fetching, JSON) is left out, in its favor. Its interval join looks back in time only, so that rows which come
late lose results; joins are therefore stateful functions, as its users write them. Windows are its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextvars import copy_context
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import quixstreams.dataframe.windows.aggregations as agg
from quixstreams import Application
from quixstreams.context import set_message_context
from quixstreams.models import MessageContext, Topic, TopicConfig

from benchmarks.rivals.engines.quix_state import joined
from benchmarks.rivals.jobs import CORES, GROUPS, SIZE_MS, SLACK_MS, SLIDE_MS, STREAMS, main, nothing

Build = Callable[[Any], Any]
Message = tuple[str, dict[str, int], bytes, int]  # topic, value, key, time in ms
COLUMNS = {
    "join2": ["event_time", "key", "a_ts", "a_value", "b_ts", "b_value"],
    "join3": ["event_time", "key", "a_ts", "a_value", "b_ts", "b_value", "c_ts", "c_value"],
    **{job: ["start", group, "n", "total", "most"] for job, group in GROUPS.items()},
}


class _NoBroker:
    """What a checkpoint asks of consumer and producer: nothing was sent, and offsets are nobody's."""

    offsets: dict[Any, int] = {}  # noqa: RUF012

    def flush(self, timeout: float | None = None) -> int:
        return 0

    def commit(self, **_: Any) -> list[Any]:
        return []


def _work(job: str, data: Path, out: Path, partition: int) -> None:
    application = Application(
        "127.0.0.1:9",
        consumer_group=f"rivals-{partition}",
        use_changelog_topics=False,
        state_dir=str(out.parent / f"state-{partition}"),
        loglevel="ERROR",
    )
    context = application._processing_context
    context.consumer = context.producer = _NoBroker()
    topics = {name: _topic(name) for name in STREAMS[job]}
    frames = [application.dataframe(topic) for topic in topics.values()]
    for frame in frames[1:]:
        frames[0] = frames[0].concat(frame)
    built, results = _BUILT[job](frames[0]), []
    composed = built.compose(sink=lambda value, key, *_: results.append((value, key)))
    with application._state_manager:
        for stream in application._state_manager.stores:
            application._state_manager.on_partition_assign(stream, partition, {})
        context.init_checkpoint()
        _feed(composed, context, _rows(job, data, partition), partition)
        context.commit_checkpoint(force=True)
    _write(job, results, out / f"{partition}.parquet")


def _feed(composed: dict[str, Any], context: Any, rows: Iterator[Message], partition: int) -> None:
    """Do for each row what the application's loop does for a message."""
    for offset, (topic, value, key, time) in enumerate(rows):
        own = copy_context()
        own.run(set_message_context, MessageContext(topic, partition, offset, 0))
        own.run(composed[topic], value, key, time, [])
        context.store_offset(topic=topic, partition=partition, offset=offset)
        context.commit_checkpoint()


def _rows(job: str, data: Path, partition: int) -> Iterator[Message]:
    """Give the rows of all streams whose key belongs to a partition, in arrival order; the last ones close windows."""
    key = GROUPS.get(job, "key")
    tables = []
    for place, name in enumerate(STREAMS[job]):
        table = pa.concat_tables([pq.read_table(file) for file in sorted((data / "arrived" / name).glob("*.parquet"))])
        table = table.filter(pc.equal(pc.bit_wise_and(table[key], pa.scalar(CORES - 1)), pa.scalar(partition)))
        tables.append(table.append_column("stream", pa.array([place] * table.num_rows, pa.int64())))
    rows = pa.concat_tables(tables).sort_by("seq")
    times = pc.divide(rows["ts"].cast(pa.int64()), 1_000).to_pylist()
    columns = (rows[name].to_pylist() for name in ("stream", key, "value"))
    for time, stream, own_key, value in zip(times, *columns, strict=True):
        yield STREAMS[job][stream], {"s": stream, "t": time, "k": own_key, "v": value}, str(own_key).encode(), time


def _topic(name: str) -> Topic:
    settings = TopicConfig(CORES, 1, {"retention.ms": "-1", "retention.bytes": "-1"})
    topic = Topic(name, create_config=settings)
    topic.broker_config = settings
    return topic


def _windows(frame: Any) -> Any:
    values = {"n": agg.Count("v"), "total": agg.Sum("v"), "most": agg.Max("v")}
    return frame.hopping_window(SIZE_MS, SLIDE_MS, grace_ms=SLACK_MS).agg(**values).final(closing_strategy="partition")


def _joins(streams: int) -> Build:
    return lambda frame: frame.apply(joined(streams), stateful=True, expand=True)


_BUILT: dict[str, Build] = {
    "join2": _joins(2),
    "join3": _joins(3),
    **dict.fromkeys(GROUPS, _windows),
}


def _write(job: str, results: list[tuple[Any, bytes]], file: Path) -> None:
    if job in GROUPS:
        rows = [(value["start"], int(key), value["n"], value["total"], value["most"]) for value, key in results]
    else:
        rows = [value for value, _ in results]
    table = pa.table(dict(zip(COLUMNS[job], map(pa.array, zip(*rows, strict=True)), strict=True)))
    for name in [name for name in COLUMNS[job] if name in ("event_time", "start") or name.endswith("_ts")]:
        table = table.set_column(table.column_names.index(name), name, pc.multiply(table[name], 1_000))
    pq.write_table(table, file)


def _run(job: str) -> Callable[[Any, Path, Path], None]:
    def run(_: None, data: Path, out: Path) -> None:
        fork = get_context("fork")
        started = [fork.Process(target=_work, args=(job, data, out, partition)) for partition in range(CORES)]
        for process in started:
            process.start()
        for process in started:
            process.join()
            assert process.exitcode == 0

    return run


JOBS = {job: _run(job) for job in COLUMNS}

if __name__ == "__main__":
    main(nothing, JOBS)
