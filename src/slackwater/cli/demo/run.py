"""The demo itself: make the stream, start the queries, watch them, check the books, write the report."""

from __future__ import annotations

import math
import shutil
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeAlias

from rich.console import Console

import slackwater as sw
from slackwater.cli.demo.display import closing_table, watch
from slackwater.cli.demo.folder import DemoFolder, prepare
from slackwater.cli.demo.following import Following
from slackwater.cli.demo.interrupt import interrupts_wait
from slackwater.cli.demo.quiet import children_log_to
from slackwater.contracts import Contract
from slackwater.errors import AccountingError
from slackwater.report.html import write_page
from slackwater.report.tables import Run, Summary, read_run, summarize_run
from slackwater.sources import Dataset, delays_of, soccer
from slackwater.time import Duration

Pause: TypeAlias = Callable[[float], None]

STREAM = "team_a"
LEAST_BATCHES = 6  # so that there is something to see from the start, when much is due at once
PROMISED = sw.DropRatio(0.01)
POLICIES: Mapping[str, tuple[str, Contract]] = {
    "fixed-20-ms": ('FixedSlack("20 ms")', sw.FixedSlack("20 ms")),
    "drop-1-percent": ("DropRatio(0.01)", PROMISED),
}


def run_demo(output: Path, *, minutes: float, speed: float, console: Console) -> Path:
    """Run it all; return the path of the report."""
    started = time.monotonic()
    folder = prepare(output)
    stream = _make_stream(folder, minutes)
    console.print(f"1/4  {stream.rows:,} rows of {minutes:g} min, out of order: {folder.data}", soft_wrap=True)
    console.print(f"2/4  starting Spark (its messages go to {folder.log})", soft_wrap=True)
    with _spark(folder) as (spark, pause):
        live = _live(spark, folder, stream.rows, rows_per_second=stream.rows / (minutes * 60) * speed)
        console.print(
            f"3/4  playing it at {speed:g} times its speed through two queries; the first rows take a while",
            soft_wrap=True,
        )
        _reorder(live, folder, stream.rows, console=console, pause=pause)
        console.print("     all rows have left; stopping Spark")
    console.print("     reading what the queries wrote, drawing the report")
    runs = [read_run(label, folder.outputs(name)) for name, (label, _) in POLICIES.items()]
    summaries = [check_books(run, stream.rows) for run in runs]
    shutil.rmtree(folder.work)
    page = _write_report(folder, stream, runs)
    console.print(f"4/4  every row accounted for; done in {time.monotonic() - started:.0f} s")
    console.print(closing_table(summaries))
    console.print(verdict(summaries[-1], PROMISED), soft_wrap=True)
    return page


def verdict(summary: Summary, promised: sw.DropRatio) -> str:
    """Say whether a contract was kept, over the whole stream."""
    kept = "kept" if summary.late_share <= promised.target else "broken"
    return (
        f"{summary.policy} promised that at most {promised.target:.1%} come late; {summary.late_share:.3%} did: {kept}"
    )


def check_books(run: Run, rows: int) -> Summary:
    """Return the summary of a run, or raise unless each of the `rows` was written, as released or as late."""
    summary = summarize_run(run)
    if not rows == summary.arrived == summary.released + summary.late:
        raise AccountingError(
            arrived=rows, released=summary.released, late=summary.late, buffered=rows - summary.arrived
        )
    return summary


def _make_stream(folder: DemoFolder, minutes: float) -> Dataset:
    game = soccer(duration=Duration(round(minutes * 60_000_000)))
    team = Dataset(game.name, {STREAM: game.streams[STREAM]}, game.description)
    team.write(folder.data)
    return team


@contextmanager
def _spark(folder: DemoFolder) -> Iterator[tuple[Any, Pause]]:
    """Yield a session whose messages go to the log, and a pause in which Ctrl-C may end it all."""
    with children_log_to(folder.log):
        warehouse = str(folder.work / "warehouse")
        spark = sw.session(app="slackwater-demo", short_lived=True, spark__sql__warehouse__dir=warehouse)
        spark.sparkContext.setLogLevel("ERROR")
    with interrupts_wait() as pause:
        try:
            yield spark, pause
        finally:
            spark.stop()


def _live(spark: Any, folder: DemoFolder, rows: int, rows_per_second: float) -> Any:
    """Return the stream as Spark sees it, playing."""
    from slackwater.spark.live import live_stream

    per_batch = math.ceil(rows / LEAST_BATCHES)
    return live_stream(spark, folder.data, stream=STREAM, rows_per_second=rows_per_second, rows_per_batch=per_batch)


def _reorder(live: Any, folder: DemoFolder, total: int, *, console: Console, pause: Pause) -> None:
    """Run one query for each policy, at the same time, from the first row to the drain."""
    queries: list[Following] = []
    try:
        for name, (label, contract) in POLICIES.items():
            query = _start(live, folder, name, contract)
            queries.append(Following(label, query, control=_control(folder, name), total=total))
        watch(queries, console, sleep=pause)
    finally:
        for each in queries:
            each.stop()


def _start(live: Any, folder: DemoFolder, name: str, contract: Contract) -> Any:
    positions = sw.stream(live, name=STREAM, event_time="event_time", arrival="arrival", arrival_time="arrival_time")
    outputs = folder.outputs(name)
    return sw.reorder(positions, contract=contract).start(
        results=str(outputs / "results"),
        late=str(outputs / "late"),
        decisions=str(outputs / "decisions"),
        checkpoint=str(folder.work / name / "checkpoint"),
        control=str(_control(folder, name)),
        trigger={"processingTime": "1 second"},
        name=name,
    )


def _control(folder: DemoFolder, name: str) -> Path:
    return folder.work / name / "control"


def _write_report(folder: DemoFolder, stream: Dataset, runs: Sequence[Run]) -> Path:
    return write_page(
        folder.page,
        title="slackwater demo: one stream, a guess and a contract",
        intro=(
            f"{stream.rows:,} rows that arrived out of order, put in order by two Spark queries at the same time. "
            + stream.description
        ),
        runs=runs,
        delays={name: delays_of(table) for name, table in stream.streams.items()},
        footer=f"Made by slackwater {sw.__version__} from the files in {folder.root}.",
    )
